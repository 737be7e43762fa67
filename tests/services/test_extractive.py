import pytest

from services.extractive import facets, keyphrases


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("Was ist Äquivalentdosis?", "de", ["Was ist Äquivalentdosis"]),
        (
            "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren,"
            " und welche Ausnahmen kann die Behörde zulassen?",
            "de",
            [
                "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren",
                "welche Ausnahmen kann die Behörde zulassen",
            ],
        ),
        (
            "How does TypeIs differ from TypeGuard?",
            "en",
            ["TypeIs", "TypeGuard", "How does TypeIs differ from TypeGuard"],
        ),
        (
            "Welche Grenzwerte gelten für die Augenlinse, die Haut und die Hände?",
            "de",
            [
                "Welche Grenzwerte gelten für die Augenlinse",
                "Welche Grenzwerte gelten für die Haut",
                "Welche Grenzwerte gelten für die Hände",
            ],
        ),
        (
            "Welche Grenzwerte gelten zwischen 16 und 18 Jahren?",
            "de",
            ["Welche Grenzwerte gelten zwischen 16 und 18 Jahren"],
        ),
        (
            "Was ist ein Strahlenschutzbeauftragter? Wer bestellt ihn?",
            "de",
            [
                "Was ist ein Strahlenschutzbeauftragter",
                "Wer bestellt ihn (Strahlenschutzbeauftragter)",
            ],
        ),
    ],
)
def test_facets(question: str, language: str, expected: list[str]) -> None:
    assert [facet.text for facet in facets(question, language)] == expected


def test_there_are_at_most_five_facets_and_none_without_content() -> None:
    many = "Was ist " + ", was ist ".join(f"Ding{letter}" for letter in "ABCDEFGH") + "?"
    assert 1 <= len(facets(many, "de")) <= 5
    assert facets("Und warum?", "de") == []


def test_keyphrases() -> None:
    found = keyphrases("Gilt § 78 StrlSchG für beruflich exponierte Personen nach TypeIs?", "de")
    assert set(found[:2]) == {"§ 78 StrlSchG", "TypeIs"}
    assert "beruflich exponierte Personen" in found
    english = keyphrases("How are default values for type parameters evaluated?", "en")
    assert english[0] in ("default values", "type parameters evaluated")
    law = "Der Grenzwert der effektiven Dosis beträgt für exponierte Personen 20 Millisievert."
    assert len(keyphrases(law, "de", limit=2)) == 2
