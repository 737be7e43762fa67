"""DOCX by python-docx, with Word's styles for headings, quotes and lists, and internal links."""

from io import BytesIO
from typing import Any

import docx
from docx.enum.section import WD_ORIENT
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from services.export.document import Document
from services.export.texts import Paragraph, Run, Table, spaced, starts_right_to_left

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
IMAGE_WIDTH, IMAGE_HEIGHT = Mm(148), Mm(140)
LONGEST_PROPERTY = 255
"""Characters of a core property; python-docx refuses longer ones."""


def to_docx(document: Document, *, landscape: bool = False) -> bytes:
    """Return a Word document, with links from marks to passages to sources."""
    file = docx.Document()
    _set_up(file, document)
    if landscape:
        section = file.sections[0]
        section.orientation = WD_ORIENT.LANDSCAPE
        section.page_width, section.page_height = section.page_height, section.page_width
    for block in document.blocks:
        if isinstance(block, Table):
            _add_table(file, block)
        else:
            _add_paragraph(file, block)
    buffer = BytesIO()
    file.save(buffer)
    return buffer.getvalue()


def _set_up(file: Any, document: Document) -> None:
    properties = file.core_properties
    properties.title = document.title[:LONGEST_PROPERTY]
    properties.author = "Rabbithole"
    properties.comments = ""
    properties.language = document.labels.language
    for language in file.styles.element.iter(qn("w:lang")):
        language.set(qn("w:val"), PROOFING[document.labels.language])
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


def _add_paragraph(file: Any, block: Paragraph) -> None:
    paragraph = file.add_paragraph(style=STYLES.get(block.kind))
    if block.kind == "footer":
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    if block.anchor:
        _add_number(paragraph, block, str(len(file.element.body)))
        paragraph.paragraph_format.keep_with_next = bool(block.images) or None
    for run in spaced(block.runs):
        _add_run(paragraph, run)
    quote = next((run.text for run in block.runs if run.style == "quoted"), block.text)
    for png in block.images:
        _add_image(file, png, quote)


def _add_run(paragraph: Any, run: Run, size: Pt | None = None) -> None:
    written = paragraph.add_run(run.text)  # a line break in it becomes one
    if run.target:
        _link(paragraph, written, run.target)
    elif run.style == "soft":
        written.font.color.rgb = SOFT
    written.font.size = size
    written.font.rtl = starts_right_to_left(run.text) or None
    written.bold = run.style == "bold" or None
    written.font.superscript = run.style == "raised" or None


def _add_number(paragraph: Any, block: Paragraph, bookmark: str) -> None:
    """Add a hanging number, and a bookmark that links lead to."""
    layout = paragraph.paragraph_format
    layout.left_indent, layout.first_line_indent = Mm(9), Mm(-9)
    layout.tab_stops.add_tab_stop(Mm(9))
    for kind in ("Start", "End"):
        mark = OxmlElement(f"w:bookmark{kind}")
        mark.set(qn("w:id"), bookmark)
        if kind == "Start":
            mark.set(qn("w:name"), block.anchor)
        paragraph._p.append(mark)
    paragraph.add_run(f"{block.number}.\t")


def _add_table(file: Any, block: Table) -> None:
    table = file.add_table(1 + len(block.rows), len(block.header), style="Table Grid")
    header = tuple((Run(name, "bold"),) for name in block.header)
    for row, cells in zip(table.rows, (header, *block.rows), strict=True):
        for cell, runs in zip(row.cells, cells, strict=True):
            for run in spaced(runs):
                _add_run(cell.paragraphs[0], run, CELL)


def _add_image(file: Any, png: bytes, description: str) -> None:
    """Add an image as wide as the text of an entry, but no higher than half a page."""
    paragraph = file.add_paragraph()
    paragraph.paragraph_format.left_indent = Mm(9)
    shape = paragraph.add_run().add_picture(BytesIO(png), width=IMAGE_WIDTH)
    if shape.height > IMAGE_HEIGHT:
        shape.width = int(shape.width * IMAGE_HEIGHT / shape.height)
        shape.height = IMAGE_HEIGHT
    shape._inline.docPr.set("descr", description)


def _link(paragraph: Any, run: Any, anchor: str) -> None:
    """Turn the last run into an internal link, which python-docx has no method for."""
    run.font.color.rgb = RGBColor.from_string(ACCENT)
    link = OxmlElement("w:hyperlink")
    link.set(qn("w:anchor"), anchor)
    link.append(run._r)
    paragraph._p.append(link)
