"""Names that documents have, and what references lead to by them."""

import pytest

from services.catalog import Alias
from services.domain import ParsedDocument
from services.ingestion.abbreviations import abbreviates
from services.ingestion.names import nominative
from services.ingestion.references import detect_references
from services.ingestion.registry import Registry, Resolution, aliases_of
from tests.services.ingestion.german_laws import LAWS
from tests.support.tables import rows

TITLES = {
    "AtG.docx": (
        "Gesetz über die friedliche Verwendung der Kernenergie und den Schutz gegen ihre Gefahren "
        "(AtG)"
    ),
    "StrlSchG.pdf": (
        "Gesetz zum Schutz vor der schädlichen Wirkung ionisierender Strahlung (StrlSchG)"
    ),
    "StrlSchV.pdf": (
        "Verordnung zum Schutz vor der schädlichen Wirkung ionisierender Strahlung (StrlSchV 2018)"
    ),
    "UVSV.txt": (
        "Verordnung zum Schutz vor schädlichen Wirkungen künstlicher ultravioletter Strahlung "
        "(UVSV)"
    ),
    "NiSG.md": (
        "Gesetz zum Schutz vor nichtionisierender Strahlung bei der Anwendung am Menschen (NiSG)"
    ),
    "pep-0484.txt": "PEP 484 – Type Hints",
    "norm.pdf": "DIN EN ISO 9001:2015 Qualitätsmanagementsysteme",
    "mdr.pdf": "Verordnung (EU) 2017/745 des Europäischen Parlaments und des Rates",
}
HEADS = {"StrlSchV.pdf": "Ausfertigungsdatum: 2018-11-29\n"}


def aliases(
    document: str, title: str, text: str = "", document_id: str | None = None
) -> list[Alias]:
    parsed = ParsedDocument(
        title=title, text=text, pages=(), sections=(), language="de", parser_version="test"
    )
    return aliases_of(parsed, document=document, document_id=document_id or document)


def corpus(*more: Alias) -> Registry:
    known = [
        alias
        for document, title in TITLES.items()
        for alias in aliases(document, title, HEADS.get(document, ""))
    ]
    return Registry([*known, *more])


def resolve(text: str, registry: Registry | None = None, source: str = "letter.txt") -> Resolution:
    (reference,) = detect_references(text)
    return (registry or corpus()).resolve(reference, from_document_id=source)


def test_aliases_of_a_law() -> None:
    found = aliases("v.pdf", "Verordnung zum Schutz (Strahlenschutzverordnung - StrlSchV 2018)")
    assert [(alias.kind, alias.alias) for alias in found] == [
        ("title", "Verordnung zum Schutz (Strahlenschutzverordnung - StrlSchV 2018)"),
        ("title", "Verordnung zum Schutz"),
        ("title", "Strahlenschutzverordnung"),
        ("abbreviation", "StrlSchV 2018"),
        ("abbreviation", "StrlSchV"),
        ("file", "v"),
    ]
    found = aliases("guide.pdf", "Guide to Dosimetry (second edition)")
    assert [alias.kind for alias in found] == ["title", "file"], "these parentheses hold no name"
    issued = aliases("a.md", "Gesetz über X (AtG)", "Ausfertigungsdatum: 1959-12-23\n")
    assert "AtG vom 23.12.1959" in [alias.alias for alias in issued]


@pytest.mark.parametrize(
    ("document", "title", "text"),
    [
        ("a.txt", "PEP 484 – Type Hints", ""),
        ("a.txt", "Type Hints", "PEP: 484\nTitle: Type Hints\n"),
        ("pep-0484.txt", "Type Hints", ""),
    ],
)
def test_the_number_comes_from_title_header_or_file_name(
    document: str, title: str, text: str
) -> None:
    (alias,) = [alias for alias in aliases(document, title, text) if alias.kind == "series"]
    assert (alias.alias, alias.series, alias.number) == ("PEP 484", "PEP", "484")


# A text | the document that it names, its section and its short name, or why there is none.
NAMED = r"""
§ 9a Absatz 3 des Atomgesetzes | AtG.docx | § 9a | AtG
§ 78 des Strahlenschutzgesetzes | StrlSchG.pdf | § 78 | StrlSchG
§ 5 der Strahlenschutzverordnung | StrlSchV.pdf | § 5 | StrlSchV
§ 5 StrlSchV | StrlSchV.pdf | § 5 | StrlSchV
§ 5 StrlSchV 2018 | StrlSchV.pdf | § 5 | StrlSchV
§ 3 der UV-Schutz-Verordnung | UVSV.txt | § 3 | UVSV
nach dem Atomgesetz | AtG.docx |  | AtG
§ 5 des Gesetzes zum Schutz vor nichtionisierender Strahlung bei der Anwendung am Menschen \
    geahndet | NiSG.md | § 5 | NiSG
nach dem Gesetz über die friedliche Verwendung der Kernenergie ist | AtG.docx |  | AtG
in PEP 484 we | pep-0484.txt |  | PEP 484
:pep:`484#x` | pep-0484.txt |  | PEP 484
nach ISO 9001 ist | norm.pdf |  | DIN EN ISO 9001:2015
Regulation (EU) 2017/745 | mdr.pdf |  | Verordnung (EU) 2017/745
§ 5 der Strahlenschutzverordnung vom 29. November 2018 | StrlSchV.pdf | § 5 | StrlSchV
"""


@pytest.mark.parametrize(("text", "document", "label", "name"), rows(NAMED))
def test_a_name_leads_to_its_document(text: str, document: str, label: str, name: str) -> None:
    assert resolve(text) == Resolution(
        document_id=document, document=document, label=label or None, name=name
    )


UNKNOWN = """
nach dem Arzneimittelgesetz
des Arbeitsschutzgesetzes
des Medizinproduktegesetzes
das Strahlenschutzvorsorgegesetz
der Ersten Strahlenschutzverordnung vom 15. Oktober 1965
§ 5 StrlSchV 2001
§ 5 der Röntgenverordnung
in PEP 526 we
nach DIN 9001 ist
nach ISO 9001:2008 ist
die Richtlinie 2017/745/EU
§ 1 des Dreizehnten Gesetzes zur Änderung des Atomgesetzes
"""


@pytest.mark.parametrize("text", [text for (text,) in rows(UNKNOWN)])
def test_another_name_leads_nowhere(text: str) -> None:
    resolution = resolve(text)
    assert (resolution.document_id, str(resolution.reason)) == (None, "not in the corpus")


@pytest.mark.parametrize(
    "version",
    ["vom 20. Juli 2001", "in der bis zum 31. Dezember 2018 geltenden Fassung"],
)
def test_another_version_is_not_the_one_in_the_corpus(version: str) -> None:
    resolution = resolve(f"§ 5 der Strahlenschutzverordnung {version}")
    assert resolution.document_id is None
    assert str(resolution.reason) == f"another version, not in the corpus: {version}"


def test_a_bare_section_leads_into_the_citing_document() -> None:
    found = resolve("siehe § 172 dazu", source="AtG.docx")
    assert (found.document_id, found.label, found.name) == ("AtG.docx", "§ 172", "AtG")
    assert resolve("siehe § 172 dazu", source="x").document_id == "x"
    former = resolve("§ 24 in der bis zum 26. Juli 2013 geltenden Fassung", source="AtG.docx")
    assert (former.document_id, former.label) == (None, "§ 24")
    assert str(resolve("https://example.org").reason) == "external: listed, not fetched"


def test_a_name_of_two_documents_is_reported_and_not_guessed() -> None:
    registry = corpus(*aliases("AtG-neu.pdf", TITLES["AtG.docx"]))
    resolution = resolve("§ 9a des Atomgesetzes", registry)
    assert (resolution.label, str(resolution.reason)) == (
        "§ 9a",
        "ambiguous: AtG-neu.pdf, AtG.docx",
    )
    assert str(resolve("§ 9a AtG", registry).reason) == "ambiguous: AtG-neu.pdf, AtG.docx"
    assert resolve("des Atomgesetzes", registry, source="AtG.docx").document == "AtG.docx"


def test_the_same_document_in_two_collections_is_one() -> None:
    again = aliases("copy.docx", TITLES["AtG.docx"], document_id="AtG.docx")
    assert resolve("des Atomgesetzes", corpus(*again)).document_id == "AtG.docx"


def test_an_abbreviation_fits_its_own_law_alone() -> None:
    fitting = [
        (short, name, other)
        for short, name, title in LAWS
        for _, other, _ in LAWS
        if abbreviates(short, other, title)
    ]
    assert [each for each in fitting if each[1] != each[2]] == []
    assert len(fitting) >= len(LAWS) - 1


BASE_FORMS = """
Atomgesetzes | Atomgesetz
Lebensmittel- und Futtermittelgesetzbuchs | Lebensmittel- und Futtermittelgesetzbuch
Bürgerlichen Gesetzbuches | Bürgerliches Gesetzbuch
Atomrechtlichen Entsorgungsverordnung | Atomrechtliche Entsorgungsverordnung
Verordnungen (EU) 2017/745 | Verordnung (EU) 2017/745
Pariser Übereinkommens | Pariser Übereinkommen
PEP 484 | PEP 484
"""


@pytest.mark.parametrize(("written", "base"), rows(BASE_FORMS))
def test_base_form(written: str, base: str) -> None:
    assert nominative(written) == base
