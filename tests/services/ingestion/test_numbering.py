"""Automatic numbers: formats, restarts, and where Word documents define them."""

from pathlib import Path

import docx
import pytest
from docx.document import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from services.ingestion.parsers.docx_parser import parse_docx
from services.ingestion.parsers.numbering import Level, ListCounter, format_number

LEVELS = {
    0: Level("§ %1"),
    1: Level("(%2)", restarts_after=0),
    2: Level("%1.%2.%3", "lowerLetter", restarts_after=1),
}


@pytest.mark.parametrize(
    ("number_format", "number", "shown"),
    [
        ("lowerLetter", 28, "bb"),
        ("upperRoman", 1994, "MCMXCIV"),
        ("decimalZero", 7, "07"),
        ("001", 7, "007"),
        ("ordinal", 112, "112th"),
        ("bullet", 3, ""),
        ("chicago", 3, None),
    ],
)
def test_formats(number_format: str, number: int, shown: str | None) -> None:
    assert format_number(number, number_format) == shown


def test_inner_levels_start_again_and_skipped_ones_count() -> None:
    counter = ListCounter()
    depths = [0, 1, 1, 0, 1, 2, 0, 2, 1]
    labels = [counter.label(LEVELS, depth) for depth in depths]
    assert labels == ["§ 1", "(1)", "(2)", "§ 2", "(1)", "2.1.a", "§ 3", "3.1.a", "(2)"]


def test_a_level_that_never_restarts() -> None:
    counter = ListCounter()
    levels = {0: Level("%1"), 1: Level("(%2)", restarts_after=-1)}
    assert [counter.label(levels, depth) for depth in (0, 1, 0, 1)] == ["1", "(1)", "2", "(2)"]


def level(depth: int, template: str, more: str = "", number_format: str = "decimal") -> str:
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{number_format}"/>{more}'
        f'<w:lvlText w:val="{template}"/></w:lvl>'
    )


@pytest.fixture
def document() -> Document:
    """A document with the list 90 for headings and paragraphs, which 91 starts again."""
    made = docx.Document()
    root = made.part.numbering_part.element
    levels = level(0, "§ %1", '<w:pStyle w:val="Heading1"/>') + level(1, "(%2)")
    root.insert(
        0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="90">{levels}</w:abstractNum>')
    )
    start = '<w:lvlOverride w:ilvl="1"><w:startOverride w:val="5"/></w:lvlOverride>'
    for number, override in ((90, ""), (91, start)):
        link = '<w:abstractNumId w:val="90"/>'
        root.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="{number}">{link}{override}</w:num>'))
    style = made.styles["Heading 1"].element.get_or_add_pPr()
    style.append(parse_xml(f'<w:numPr {nsdecls("w")}><w:numId w:val="90"/></w:numPr>'))
    return made


def add_item(document: Document, text: str, number: int, depth: int = 1) -> None:
    properties = document.add_paragraph(text)._p.get_or_add_pPr()
    place = f'<w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/>'
    properties.append(parse_xml(f"<w:numPr {nsdecls('w')}>{place}</w:numPr>"))


def test_labels_of_styles_and_paragraphs(document: Document, tmp_path: Path) -> None:
    document.add_heading("Scope", 1)
    add_item(document, "For members.", 90)
    add_item(document, "Not for guests.", 90)
    document.add_heading("Fees", 1)
    add_item(document, "", 90)
    add_item(document, "60 euros.", 90)
    add_item(document, "Other list.", 91)
    add_item(document, "Without a number.", 0)
    document.save(str(tmp_path / "a.docx"))
    extraction = parse_docx(tmp_path / "a.docx")
    assert extraction.text.split("\n\n") == [
        "§ 1 Scope",
        "(1) For members.",
        "(2) Not for guests.",
        "§ 2 Fees",
        "(2) 60 euros.",
        "(5) Other list.",
        "Without a number.",
    ]
    assert [heading.title for heading in extraction.headings] == ["§ 1 Scope", "§ 2 Fees"]


def test_an_unknown_format_is_named(document: Document, tmp_path: Path) -> None:
    root = document.part.numbering_part.element
    unknown = level(0, "%1.", number_format="hebrew1")
    root.insert(
        0,
        parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="92">{unknown}</w:abstractNum>'),
    )
    link = '<w:abstractNumId w:val="92"/>'
    root.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="92">{link}</w:num>'))
    add_item(document, "First.", 92, 0)
    document.save(str(tmp_path / "a.docx"))
    extraction = parse_docx(tmp_path / "a.docx")
    assert extraction.text == "First."
    assert "unknown format" in str(extraction.warnings[0])
