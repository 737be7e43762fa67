"""Word documents: order of paragraphs and tables, headings by style, what is not text."""

import re
from pathlib import Path
from zipfile import ZipFile

import docx
import pytest
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from services.ingestion.parsers.docx_parser import parse_docx
from services.ingestion.parsers.extraction import Extraction
from services.ingestion.parsers.numbering import Level, ListCounter, format_number


@pytest.fixture
def document() -> Document:
    return docx.Document()


def parsed(document: Document, folder: Path) -> Extraction:
    path = folder / "a.docx"
    document.save(str(path))
    return parse_docx(path)


def test_text_in_order_with_tables(document: Document, tmp_path: Path) -> None:
    document.add_paragraph("Before.")
    table = document.add_table(2, 2)
    for cell, text in zip([c for r in table.rows for c in r.cells], "abcd", strict=True):
        cell.text = text
    document.add_paragraph("After.")
    assert parsed(document, tmp_path).text == "Before.\n\na | b\na: c | b: d\n\nAfter."
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    inner = table.cell(1, 1).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "x", "y"
    assert parsed(document, tmp_path).text == "Before.\n\nwide\nc | d x | y\n\nAfter."


def test_headers_and_footers_that_pages_show_begin_the_text_once(
    document: Document, tmp_path: Path
) -> None:
    document.add_heading("Lease", 1)
    section = document.sections[0]
    section.header.paragraphs[0].text = section.footer.paragraphs[0].text = "Version 2.1"
    section.first_page_header.paragraphs[0].text = "not shown"
    section.different_first_page_header_footer = False
    document.add_section().footer.paragraphs[0].text = "3"
    extraction = parsed(document, tmp_path)
    assert extraction.text == "Version 2.1\n\nLease"
    assert extraction.title == "Lease"


def test_rows_know_heads_of_two_rows_and_cells_over_several(
    document: Document, tmp_path: Path
) -> None:
    rows = ["Leistung|Gebühr|", "|Werktag|Samstag", "Ausweis|9,00|12,50", "|11,00|14,00"]
    table = document.add_table(len(rows), 3)
    for line, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(line.cells, texts.split("|"), strict=True):
            cell.text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(2, 0).merge(table.cell(3, 0))
    assert parsed(document, tmp_path).text.splitlines()[2:] == [
        "Leistung: Ausweis | Gebühr, Werktag: 9,00 | Gebühr, Samstag: 12,50",
        "Leistung: Ausweis | Gebühr, Werktag: 11,00 | Gebühr, Samstag: 14,00",
    ]


def test_headings_and_title_by_style(document: Document, tmp_path: Path) -> None:
    document.add_paragraph("The Act (A)", style="Title")
    document.add_heading("Erster Abschnitt Allgemeines", 1)
    document.add_heading("§ 1 Zweck", 4)
    document.add_paragraph("Text.")
    extraction = parsed(document, tmp_path)
    assert extraction.title == "The Act (A)"
    assert [(heading.title, heading.level) for heading in extraction.headings] == [
        ("Erster Abschnitt Allgemeines", 1),
        ("§ 1 Zweck", 4),
    ]
    first = extraction.headings[0]
    assert extraction.text[first.start : first.end] == "Erster Abschnitt Allgemeines"


def test_heading_level_is_inherited_by_styles(document: Document, tmp_path: Path) -> None:
    for text in ("§ 1 Zweck", "(1) Text.", "§ 2 Pflichten", "Text."):
        document.add_paragraph(text)
    titles = [heading.title for heading in parsed(document, tmp_path).headings]
    assert titles == ["§ 1 Zweck", "§ 2 Pflichten"], "patterns serve where no style is used"
    style = document.styles.add_style("Kapitel", WD_STYLE_TYPE.PARAGRAPH)
    style.base_style = document.styles["Heading 2"]
    document.add_paragraph("Geerbt", style="Kapitel")
    assert [heading.level for heading in parsed(document, tmp_path).headings] == [2]


def test_outline_level_makes_a_heading_or_unmakes_it(document: Document, tmp_path: Path) -> None:
    for text, style, level in (("Direct", "Normal", 2), ("Body", "Heading 1", 9)):
        properties = document.add_paragraph(text, style=style)._p.get_or_add_pPr()
        properties.append(parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="{level}"/>'))
    headings = parsed(document, tmp_path).headings
    assert [(heading.title, heading.level) for heading in headings] == [("Direct", 3)]


def test_insertions_stay_and_deletions_go(document: Document, tmp_path: Path) -> None:
    paragraph = document.add_paragraph("Kept ")._p
    run = "<w:r><w:{0}>{1}</w:{0}></w:r>"
    for tag, content in (
        ("ins", run.format("t", "inserted")),
        ("del", run.format("delText", "deleted")),
    ):
        paragraph.append(parse_xml(f'<w:{tag} {nsdecls("w")} w:id="1">{content}</w:{tag}>'))
    assert parsed(document, tmp_path).text == "Kept inserted"


def test_content_controls_and_breaks(document: Document, tmp_path: Path) -> None:
    document.add_paragraph("First\nsecond\tthird")
    control = f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>Inside</w:t></w:r></w:p>"
    document.element.body.insert(1, parse_xml(control + "</w:sdtContent></w:sdt>"))
    assert parsed(document, tmp_path).text == "First\nsecond\tthird\n\nInside"


NOTES = (
    '<w:footnotes {0}><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>'
    "<w:r><w:t> {1}</w:t></w:r></w:p></w:footnote></w:footnotes>"
)
FOOTNOTES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"


def add_footnote(document: Document, paragraph: object, text: str) -> None:
    reference = f'<w:r {nsdecls("w")}><w:footnoteReference w:id="2"/></w:r>'
    paragraph._p.append(parse_xml(reference))  # type: ignore[attr-defined]
    content = NOTES.format(nsdecls("w"), text).encode()
    name = PackURI("/word/footnotes.xml")
    part = Part(name, "application/xml", content, document.part.package)
    document.part.relate_to(part, FOOTNOTES)


def test_a_footnote_follows_its_paragraph(document: Document, tmp_path: Path) -> None:
    heading = document.add_heading("Cellar", 1)
    add_footnote(document, heading, "Since 2020.")
    document.add_paragraph("Bicycles are kept there.")
    extraction = parsed(document, tmp_path)
    assert extraction.text == "Cellar[1]\n\n[1] Since 2020.\n\nBicycles are kept there."
    assert [heading.title for heading in extraction.headings] == ["Cellar"]


def test_a_footnote_of_a_cell_follows_the_table(document: Document, tmp_path: Path) -> None:
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Fee", "60"
    add_footnote(document, table.cell(0, 1).paragraphs[0], "Net.")
    assert parsed(document, tmp_path).text == "Fee | 60[1]\n\n[1] Net."


def test_a_text_box_follows_its_paragraph_once(document: Document, tmp_path: Path) -> None:
    paragraph = document.add_paragraph("Before.")
    box = "<w:txbxContent><w:p><w:r><w:t>Inside.</w:t></w:r></w:p></w:txbxContent>"
    drawing = f"<mc:Choice><w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    markup = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    run = f"<w:r {nsdecls('w')} {markup}><mc:AlternateContent>{drawing}</mc:AlternateContent></w:r>"
    paragraph._p.insert(0, parse_xml(run))
    document.add_paragraph("After.")
    assert parsed(document, tmp_path).text == "Before.\n\nInside.\n\nAfter."


def test_struck_out_and_hidden_text_is_left_out_and_named(
    document: Document, tmp_path: Path
) -> None:
    document.styles.add_style("Note", WD_STYLE_TYPE.CHARACTER).font.hidden = True
    document.styles.add_style("Inner", WD_STYLE_TYPE.PARAGRAPH).font.hidden = True
    paragraph = document.add_paragraph("Two ")
    paragraph.add_run("three ").font.strike = True
    paragraph.add_run("four ").font.double_strike = True
    paragraph.add_run("five ", style="Note")
    paragraph.add_run("months").font.strike = False
    inner = document.add_paragraph("Secret. ", style="Inner")
    inner.add_run("Both styles switch it off.", style="Note")
    extraction = parsed(document, tmp_path)
    assert extraction.text == "Two months\n\nBoth styles switch it off."
    assert [str(warning) for warning in extraction.warnings] == [
        "struck-out passages are left out: 2",
        "hidden passages are left out: 2",
    ]


def test_symbols_are_what_their_font_shows(document: Document, tmp_path: Path) -> None:
    paragraph = document.add_paragraph()
    for font, text in (("Symbol", "\uf06d"), ("Wingdings", "\uf0fe"), ("Arial", "\uf0fe")):
        paragraph.add_run(text).font.name = font
    symbol = '<w:sym w:font="Symbol" w:char="F0A3"/>'
    paragraph._p.append(parse_xml(f"<w:r {nsdecls('w')}>{symbol}</w:r>"))
    box = '<w:sym w:font="Wingdings" w:char="F0FE"/>'
    fonts = '<w:rPr><w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/></w:rPr>'
    paragraph._p.append(parse_xml(f"<w:r {nsdecls('w')}>{fonts}{box}</w:r>"))
    extraction = parsed(document, tmp_path)
    assert extraction.text == "μ☑�≤☑"
    assert len(extraction.warnings) == 1


def test_formulas_keep_their_structure(document: Document, tmp_path: Path) -> None:
    term = "<m:r><m:t>{}</m:t></m:r>"
    half = f"<m:f><m:num>{term.format('1')}</m:num><m:den>{term.format('a+2')}</m:den></m:f>"
    power = f"<m:sSup><m:e>{term.format('x')}</m:e><m:sup>{term.format('n')}</m:sup></m:sSup>"
    math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    document.add_paragraph("y = ")._p.append(
        parse_xml(f"<m:oMath {math}>{half}<m:rad><m:e>{power}</m:e></m:rad></m:oMath>")
    )
    assert parsed(document, tmp_path).text == "y = 1/(a+2)√(x^n)"


def test_a_form_shows_its_boxes_and_choices(document: Document, tmp_path: Path) -> None:
    entries = '<w:listEntry w:val="a"/><w:listEntry w:val="b"/>'
    fields = (
        "<w:checkBox><w:checked/></w:checkBox>",
        '<w:checkBox><w:default w:val="0"/></w:checkBox>',
        f'<w:ddList><w:result w:val="1"/>{entries}</w:ddList>',
    )
    for field in fields:
        run = f"<w:r {nsdecls('w')}><w:fldChar><w:ffData>{field}</w:ffData></w:fldChar></w:r>"
        document.add_paragraph()._p.append(parse_xml(run))
    assert parsed(document, tmp_path).text == "☒\n\n☐\n\nb"


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (rb"http://schemas.openxmlformats.org/(\w+)/2006/", rb"http://purl.oclc.org/ooxml/\1/"),
        (rb"wordprocessingml.document.main", rb"wordprocessingml.template.main"),
    ],
)
def test_strict_documents_and_templates_are_read(
    document: Document, tmp_path: Path, pattern: bytes, replacement: bytes
) -> None:
    document.add_heading("Scope", 1)
    document.save(str(tmp_path / "usual.docx"))
    with ZipFile(tmp_path / "usual.docx") as usual, ZipFile(tmp_path / "a.docx", "w") as other:
        for name in usual.namelist():
            content = usual.read(name)
            is_package = b"/package/2006/" in content and not name.endswith(("types].xml", ".rels"))
            other.writestr(name, content if is_package else re.sub(pattern, replacement, content))
    assert [heading.title for heading in parse_docx(tmp_path / "a.docx").headings] == ["Scope"]


def test_rows_and_cells_inside_content_controls_are_read(
    document: Document, tmp_path: Path
) -> None:
    rows = document.add_table(2, 2).rows
    for cell, text in zip([c for row in rows for c in row.cells], "abcd", strict=True):
        cell.text = text
    for element in (rows[1]._tr, rows[0].cells[1]._tc):
        control = parse_xml(f"<w:sdt {nsdecls('w')}><w:sdtContent/></w:sdt>")
        element.addprevious(control)
        control[0].append(element)
    assert parsed(document, tmp_path).text == "a | b\na: c | b: d"


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
def numbered() -> Document:
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


def add_item(numbered: Document, text: str, number: int, depth: int = 1) -> None:
    properties = numbered.add_paragraph(text)._p.get_or_add_pPr()
    place = f'<w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/>'
    properties.append(parse_xml(f"<w:numPr {nsdecls('w')}>{place}</w:numPr>"))


def test_labels_of_styles_and_paragraphs(numbered: Document, tmp_path: Path) -> None:
    numbered.add_heading("Scope", 1)
    add_item(numbered, "For members.", 90)
    add_item(numbered, "Not for guests.", 90)
    numbered.add_heading("Fees", 1)
    add_item(numbered, "", 90)
    add_item(numbered, "60 euros.", 90)
    add_item(numbered, "Other list.", 91)
    add_item(numbered, "Without a number.", 0)
    numbered.save(str(tmp_path / "a.docx"))
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


def test_an_unknown_format_is_named(numbered: Document, tmp_path: Path) -> None:
    root = numbered.part.numbering_part.element
    unknown = level(0, "%1.", number_format="hebrew1")
    root.insert(
        0,
        parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="92">{unknown}</w:abstractNum>'),
    )
    link = '<w:abstractNumId w:val="92"/>'
    root.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="92">{link}</w:num>'))
    add_item(numbered, "First.", 92, 0)
    numbered.save(str(tmp_path / "a.docx"))
    extraction = parse_docx(tmp_path / "a.docx")
    assert extraction.text == "First."
    assert "unknown format" in str(extraction.warnings[0])
