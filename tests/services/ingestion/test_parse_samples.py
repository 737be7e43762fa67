"""The sample documents that come with the program."""

import pytest

from services.ingestion.extraction import Extraction
from services.ingestion.headings import Section, build_sections
from services.ingestion.worker import parse
from services.settings import Settings

SAMPLES = Settings().samples


@pytest.fixture(scope="module")
def law() -> Extraction:
    return parse(SAMPLES / "strahlenschutz" / "StrlSchG.pdf")


@pytest.fixture(scope="module")
def sections(law: Extraction) -> list[Section]:
    return build_sections(law)


def test_title_of_the_law(law: Extraction) -> None:
    assert law.title == (
        "Gesetz zum Schutz vor der schädlichen Wirkung ionisierender Strahlung (StrlSchG)"
    )


def test_every_entry_of_the_outline_is_a_section(sections: list[Section]) -> None:
    assert len(sections) == 291
    labels = [section.label for section in sections]
    assert [label for label in labels if label.startswith("Anlage")] == [
        f"Anlage {number}" for number in range(1, 10)
    ]
    assert {"§ 1", "§ 31a", "§ 78", "§ 218", "Teil 2", "Kapitel 5"} <= set(labels)


def test_dose_limits_stand_where_the_law_has_them(law: Extraction, sections: list[Section]) -> None:
    section = next(section for section in sections if section.label == "§ 78")
    text = law.text[section.start : section.end]
    assert text.startswith("§ 78 Grenzwerte für beruflich exponierte Personen\n\n(1) Der Grenzwert")
    assert "20 Millisievert im Kalenderjahr" in text
    assert section.heading_path == (
        "Teil 2 Strahlenschutz bei geplanten Expositionssituationen",
        "Kapitel 5 Anforderungen an die Ausübung von Tätigkeiten",
        "§ 78 Grenzwerte für beruflich exponierte Personen",
    )


def test_page_footers_are_gone(law: Extraction) -> None:
    assert len(law.pages) == 117
    assert "· Seite" not in law.text


def test_suspended_hyphens_stay_and_broken_words_are_joined(law: Extraction) -> None:
    assert "Verwertungs- oder Beseitigungsweg" in law.text
    assert "grenzüberschreitenden Verbringung von Konsumgütern" in law.text


@pytest.mark.parametrize(
    ("name", "title", "label", "count"),
    [
        ("strahlenschutz/AtG.docx", "Gesetz über die friedliche Verwendung", "§ 9a", 106),
        ("strahlenschutz/NiSG.md", "Gesetz zum Schutz vor nichtionisierender", "§ 6a", 9),
        ("strahlenschutz/UVSV.txt", "Verordnung zum Schutz vor schädlichen", "Anlage 8", 19),
        ("typing-peps/pep-0604.txt", "PEP 604 – Allow writing union types", "PEP 604", 15),
    ],
)
def test_other_formats(name: str, title: str, label: str, count: int) -> None:
    extraction = parse(SAMPLES / name)
    sections = build_sections(extraction)
    assert (extraction.title or "").startswith(title)
    assert label in {section.label for section in sections}
    assert len(sections) == count
