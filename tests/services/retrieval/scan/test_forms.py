"""Inflections and compounds, told apart by spelling alone."""

import pytest

from services.retrieval.scan.matcher import folded, relation, roots

CASES = {
    "de": {
        "Freigrenze": {
            "exact": "Freigrenze FREIGRENZE freigrenze¹",
            "inflection": "Freigrenzen",
            "compound": "Tätigkeitsfreigrenze Tätigkeitsfreigrenzen Freigrenzenregelung",
            "": "Grenze Freigang Freistellungsgrenze",
        },
        "Freigrenzen": {"inflection": "Freigrenze", "compound": "Freigrenzenregelung"},
        "Grenzwert": {
            "inflection": "Grenzwerte Grenzwertes Grenzwerten",
            "compound": "Dosisgrenzwerte Grenzwertüberschreitung",
            "": "Grenze Wert Richtwert",
        },
        "Vertrag": {"inflection": "Verträge Vertrags Verträgen", "compound": "Arbeitsverträge"},
        "Dosis": {"inflection": "Dosen", "compound": "Organdosis Dosisleistung Organdosen"},
        "Haltung": {"compound": "Tierhaltung", "": "Unterhaltung Verhaltung"},
        "zuständig": {"inflection": "zuständige zuständigen", "": "Zustand"},
        "prüfen": {"inflection": "prüft geprüft geprüften"},
        "der": {"exact": "Der", "": "deren derjenige Bruder"},
        "Beauftragte": {"inflection": "Beauftragter Beauftragten", "": "Auftrag"},
        "Rat": {"inflection": "Rates", "": "Ratte Monat"},
        "Straße": {"exact": "STRASSE STRAẞE", "inflection": "Straßen", "": "Strasse"},
        "Masse": {"exact": "MASSE", "": "Maße"},
        "78": {"exact": "78", "": "78a 178 780"},
        "is_str": {"exact": "is_str", "": "str is_strict"},
    },
    "en": {
        "limit": {"inflection": "limits limited limiting", "": "limitation unlimited"},
        "study": {"inflection": "studies studied", "": "student"},
        "stop": {"inflection": "stopped stopping", "": "stopwatch"},
        "port": {"": "report transport airport"},
    },
    "fr": {"travailleur": {"inflection": "travailleurs"}, "national": {"inflection": "nationaux"}},
    "es": {"acción": {"inflection": "acciones"}, "límite": {"inflection": "límites"}},
}


@pytest.mark.parametrize(
    ("language", "wanted", "kind", "found"),
    [
        (language, wanted, kind, found)
        for language, words in CASES.items()
        for wanted, kinds in words.items()
        for kind, forms in kinds.items()
        for found in forms.split()
    ],
)
def test_what_a_word_is_to_another(language: str, wanted: str, kind: str, found: str) -> None:
    """Where one is a form of the other, a root of it is in both."""
    assert relation(wanted, found, [language]) == (kind or None)
    if kind in ("exact", "inflection") and not found.startswith("ge"):
        assert any(each in folded(found) for each in roots(wanted, [language]))


def test_the_nearest_relation_in_any_language_counts() -> None:
    assert relation("Freigrenze", "Freigrenzen", ["en"]) is None
    assert relation("Freigrenze", "Freigrenzen", ["en", "de"]) == "inflection"


def test_folding_keeps_every_place() -> None:
    assert folded("İÄÖÜß ﬁ") == "iaouß ﬁ"
    assert len(folded("İstanbul ẞ")) == len("İstanbul ẞ")
