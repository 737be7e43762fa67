"""DOCX by python-docx: Word's own styles for headings, quotes and lists, and inner links."""

from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from services.export.blocks import Block, Table
from services.export.document import Document, Passage
from services.export.layout import Line

ACCENT = "1D5C63"
SOFT = RGBColor(0x5C, 0x64, 0x68)
PROOFING = {"de": "de-DE", "en": "en-GB"}
LONGEST_PROPERTY = 255
"""Characters of a core property; python-docx refuses longer ones."""


def to_docx(document: Document) -> bytes:
    """The report as a Word document, with links from marks to passages to sources."""
    file = docx.Document()
    _set_up(file, document)
    _Writer(file, document).write()
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


class _Writer:
    """Writes a document into a file; ``_anchors`` numbers the places that links lead to."""

    def __init__(self, file: Any, document: Document) -> None:
        self._file = file
        self._document = document
        self._anchors = 0

    def write(self) -> None:
        document, words = self._document, self._document.words
        self._file.add_paragraph(document.title, style="Title")
        self._soft(" · ".join(document.facts))
        self._blocks(document.before)
        if not document.parts:
            self._file.add_paragraph(words.nothing_found)
        for part in document.parts:
            if part.heading:
                self._file.add_heading(part.heading, 1)
            for lines in part.paragraphs:
                self._paragraph(lines)
        self._blocks(document.after)
        if document.passages:
            self._file.add_heading(words.passages, 1)
            for passage in document.passages:
                self._passage(passage)
        if document.sources:
            self._file.add_heading(words.sources, 1)
            self._sources()
        self._blocks(document.behind)
        made_by = self._soft(words.made_by.format(document.thread_id))
        made_by.alignment = WD_ALIGN_PARAGRAPH.RIGHT

    def _soft(self, text: str) -> Any:
        paragraph = self._file.add_paragraph()
        paragraph.add_run(text).font.color.rgb = SOFT
        return paragraph

    def _paragraph(self, lines: Sequence[Line]) -> None:
        paragraph = self._file.add_paragraph(style="Quote" if lines[0].quote else None)
        for number, line in enumerate(lines):
            if number:
                paragraph.add_run(" ")
            self._line(paragraph, line)

    def _line(self, paragraph: Any, line: Line) -> None:
        follows, mark = self._document.follows(line), self._document.mark(line)
        if line.case:
            paragraph.add_run(f"{line.case} ").font.color.rgb = SOFT
        paragraph.add_run(line.text)
        if mark:
            paragraph.add_run(f" ({mark})").bold = True
        if follows:
            paragraph.add_run(f" {follows}").font.color.rgb = SOFT
        for number in line.numbers:
            paragraph.add_run(" ")
            _link(paragraph, f"passage-{number}", str(number), raised=True)

    def _passage(self, passage: Passage) -> None:
        paragraph = self._entry(f"passage-{passage.number}", passage.number)
        place = self._document.place(passage)
        if passage.source:
            _link(paragraph, f"source-{passage.source}", place)
        else:
            paragraph.add_run(place)
        if not passage.in_text:
            paragraph.add_run(": ")
            if passage.case:
                paragraph.add_run(f"{passage.case} ").font.color.rgb = SOFT
            paragraph.add_run(passage.quote)
        remark = self._document.remark(passage)
        if remark:
            paragraph.add_run(f" ({remark})").font.color.rgb = SOFT

    def _sources(self) -> None:
        for source in self._document.sources:
            paragraph = self._entry(f"source-{source.number}", source.number)
            paragraph.add_run(source.document).bold = True
            if source.title != source.document:
                paragraph.add_run(f": {source.title}")
            paragraph.add_run().add_break()
            paragraph.add_run(self._document.description(source)).font.color.rgb = SOFT

    def _entry(self, anchor: str, number: int) -> Any:
        """A numbered paragraph that links can lead to."""
        paragraph = self._file.add_paragraph()
        layout = paragraph.paragraph_format
        layout.left_indent, layout.first_line_indent = Mm(9), Mm(-9)
        layout.tab_stops.add_tab_stop(Mm(9))
        self._anchors += 1
        for kind in ("start", "end"):
            mark = OxmlElement(f"w:bookmark{kind.title()}")
            mark.set(qn("w:id"), str(self._anchors))
            if kind == "start":
                mark.set(qn("w:name"), anchor)
            paragraph._p.append(mark)
        paragraph.add_run(f"{number}.\t")
        return paragraph

    def _blocks(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            self._file.add_heading(block.title, 1)
            if isinstance(block, Table):
                self._table(block)
            else:
                for item in block.items:
                    self._file.add_paragraph(item, style="List Bullet")

    def _table(self, block: Table) -> None:
        table = self._file.add_table(1 + len(block.rows), len(block.header), style="Table Grid")
        for row, cells in zip(table.rows, (block.header, *block.rows), strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                run = cell.paragraphs[0].add_run(text)
                run.font.size, run.bold = Pt(8.5), cells is block.header


def _link(paragraph: Any, anchor: str, text: str, *, raised: bool = False) -> None:
    """A link inside the document, which python-docx has no method for."""
    run = paragraph.add_run(text)
    run.font.color.rgb = RGBColor.from_string(ACCENT)
    run.font.superscript = raised or None
    link = OxmlElement("w:hyperlink")
    link.set(qn("w:anchor"), anchor)
    link.append(run._r)
    paragraph._p.append(link)
