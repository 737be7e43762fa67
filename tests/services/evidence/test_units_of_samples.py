"""Units of the sample documents, as they are ingested."""

from functools import cache

import pytest

from services.evidence.units import Unit, quotable_units
from services.ingestion.extraction import Extraction
from services.ingestion.headings import build_sections
from services.ingestion.worker import parse
from services.settings import Settings

SAMPLES = Settings().samples


@cache
def extraction(name: str) -> Extraction:
    return parse(SAMPLES / name)


def units(name: str, heading: str) -> tuple[str, list[Unit]]:
    """The text of a sample and the units of the section with a heading."""
    read = extraction(name)
    section = next(each for each in build_sections(read) if each.heading_path[-1:] == (heading,))
    span = (section.start, section.end)
    return read.text, quotable_units(read.text, *span, span)


def case_of(text: str, unit: Unit) -> str:
    return text[slice(*unit.case)] if unit.case else ""


def test_every_limit_for_minors_says_so() -> None:
    text, found = units(
        "strahlenschutz/StrlSchG.pdf", "§ 78 Grenzwerte für beruflich exponierte Personen"
    )
    begin = text.index("(3) Für beruflich", found[0].start)
    minors = [unit for unit in found if begin < unit.start < text.index("(4) ", begin)]
    limits = [unit for unit in minors if "Millisievert" in text[unit.start : unit.end]]
    assert {unit.kind for unit in limits} == {"sentence", "item", "list"}
    for unit in limits:
        assert "unter 18 Jahren" in case_of(text, unit) + text[unit.start : unit.end]
    lens = [unit for unit in limits if text.startswith("1. für die Augenlinse 15", unit.start)]
    assert "Organ-Äquivalentdosis beträgt" in case_of(text, lens[0])


def test_the_duties_of_an_ordinance_name_who_has_them() -> None:
    text, found = units(
        "strahlenschutz/UVSV.txt", "§ 3 Anforderungen an den Betrieb von UV-Bestrahlungsgeräten"
    )
    items = [unit for unit in found if unit.kind == "item"]
    assert len(items) == 9
    assert {case_of(text, unit)[:34] for unit in items} == {"Wer ein UV-Bestrahlungsgerät betre"}


def test_an_exception_of_the_ordinance_is_quoted_with_its_rule() -> None:
    text, found = units("strahlenschutz/StrlSchV.pdf", "§ 5 Genehmigungsfreier Umgang")
    (exception,) = (u for u in found if "Dies gilt nicht" in text[u.start : u.end])
    assert text.startswith("Bei einem nach § 12", exception.start)


@pytest.mark.parametrize(
    ("name", "heading", "lead_in", "items"),
    [
        (
            "typing-peps/pep-0484.txt",
            "Stub Files",
            "There are several use",
            5,
        ),
        (
            "typing-peps/pep-0484.txt",
            "Compatibility with other uses of function annotations",
            "To mark portions of the program",
            3,
        ),
    ],
)
def test_a_list_of_a_pep_is_whole_and_in_items(
    name: str, heading: str, lead_in: str, items: int
) -> None:
    text, found = units(name, heading)
    own = [unit for unit in found if case_of(text, unit).startswith(lead_in)]
    assert [unit.kind for unit in own] == ["item"] * items
    (whole,) = (u for u in found if u.kind == "list" and text.startswith(lead_in, u.start))
    assert whole.end == own[-1].end
