"""DOCX by python-docx: Word's own styles for headings, quotes and lists, and inner links."""

from io import BytesIO
from typing import Any

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from services.export.document import Document
from services.export.paragraphs import Grid, Paragraph, Picture, Run, paragraphs

ACCENT = "1D5C63"
SOFT = RGBColor(0x5C, 0x64, 0x68)
STYLES = {
    "title": "Title",
    "heading": "Heading 1",
    "quote": "Quote",
    "item": "List Bullet",
    "bullet": "List Bullet",
}
CELL = Pt(8.5)
PROOFING = {"de": "de-DE", "en": "en-GB"}
PICTURE_WIDTH, PICTURE_HEIGHT = Mm(148), Mm(140)
LONGEST_PROPERTY = 255
"""Characters of a core property; python-docx refuses longer ones."""


def to_docx(document: Document) -> bytes:
    """The report as a Word document, with links from marks to passages to sources."""
    file = docx.Document()
    _set_up(file, document)
    for each in paragraphs(document):
        if isinstance(each, Grid):
            _add_table(file, each)
        elif isinstance(each, Picture):
            _add_picture(file, each)
        else:
            _add_paragraph(file, each)
    buffer = BytesIO()
    file.save(buffer)
    return buffer.getvalue()


def _set_up(file: Any, document: Document) -> None:
    properties = file.core_properties
    properties.title = document.title[:LONGEST_PROPERTY]
    properties.author = "Rabbithole"
    properties.comments = ""
    properties.language = document.words.language
    for language in file.styles.element.iter(qn("w:lang")):
        language.set(qn("w:val"), PROOFING[document.words.language])
    section = file.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(26)
    normal = file.styles["Normal"]
    normal.font.name, normal.font.size = "Georgia", Pt(10.5)
    normal.paragraph_format.space_after = Pt(6)
    for name in ("Title", "Heading 1"):
        style = file.styles[name]
        style.font.name, style.font.color.rgb = "Georgia", RGBColor(0x22, 0x27, 0x2A)
        style.element.rPr.rFonts.attrib.clear()
        style.element.rPr.rFonts.set(qn("w:ascii"), "Georgia")
        style.element.rPr.rFonts.set(qn("w:hAnsi"), "Georgia")
    file.styles["Title"].font.size = Pt(18)


def _add_paragraph(file: Any, each: Paragraph) -> None:
    paragraph = file.add_paragraph(style=STYLES.get(each.kind))
    if each.kind == "footer":
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    if each.anchor:
        _begin_entry(paragraph, each, str(len(file.element.body)))
        paragraph.paragraph_format.keep_with_next = each.pictured or None
    for run in each.runs:
        _add_run(paragraph, run)


def _add_run(paragraph: Any, run: Run, size: Pt | None = None) -> None:
    written = paragraph.add_run(run.text)  # a line break in it becomes one
    if run.target:
        _link(paragraph, written, run.target)
    elif run.style == "soft":
        written.font.color.rgb = SOFT
    written.font.size = size
    written.bold = run.style == "bold" or None
    written.font.superscript = run.style == "raised" or None


def _begin_entry(paragraph: Any, each: Paragraph, bookmark: str) -> None:
    """A hanging number, and a place to which links lead."""
    layout = paragraph.paragraph_format
    layout.left_indent, layout.first_line_indent = Mm(9), Mm(-9)
    layout.tab_stops.add_tab_stop(Mm(9))
    for kind in ("Start", "End"):
        mark = OxmlElement(f"w:bookmark{kind}")
        mark.set(qn("w:id"), bookmark)
        if kind == "Start":
            mark.set(qn("w:name"), each.anchor)
        paragraph._p.append(mark)
    paragraph.add_run(f"{each.number}.\t")


def _add_table(file: Any, grid: Grid) -> None:
    table = file.add_table(1 + len(grid.rows), len(grid.header), style="Table Grid")
    head = tuple((Run(name, "bold"),) for name in grid.header)
    for row, cells in zip(table.rows, (head, *grid.rows), strict=True):
        for cell, runs in zip(row.cells, cells, strict=True):
            for run in runs:
                _add_run(cell.paragraphs[0], run, CELL)


def _add_picture(file: Any, each: Picture) -> None:
    """As wide as the text behind a number; a high one as high as half a page."""
    paragraph = file.add_paragraph()
    paragraph.paragraph_format.left_indent = Mm(9)
    shape = paragraph.add_run().add_picture(BytesIO(each.png), width=PICTURE_WIDTH)
    if shape.height > PICTURE_HEIGHT:
        shape.width = int(shape.width * PICTURE_HEIGHT / shape.height)
        shape.height = PICTURE_HEIGHT
    shape._inline.docPr.set("descr", each.words)


def _link(paragraph: Any, run: Any, anchor: str) -> None:
    """Makes the last run a link inside the document, which python-docx has no method for."""
    run.font.color.rgb = RGBColor.from_string(ACCENT)
    link = OxmlElement("w:hyperlink")
    link.set(qn("w:anchor"), anchor)
    link.append(run._r)
    paragraph._p.append(link)
