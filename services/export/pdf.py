"""PDF by reportlab, in Roboto, whose letters go beyond German: Greek, Cyrillic, superscripts."""

from collections.abc import Iterable, Sequence
from html import escape
from io import BytesIO
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, TableStyle
from reportlab.platypus import Table as PdfTable

from services.export.blocks import Block, Table
from services.export.document import Document, Passage
from services.export.layout import Line

FONT, BOLD = "Roboto", "Roboto-Bold"
INK, SOFT, LINE, ACCENT = (HexColor(c) for c in ("#22272a", "#5c6468", "#b9b5ab", "#1d5c63"))
MARGIN = 24 * mm
LETTER = 5.4
"""Points that a letter of a table is given."""

TEXT = ParagraphStyle(
    "text",
    fontName=FONT,
    bulletFontName=FONT,
    fontSize=10,
    leading=14.5,
    textColor=INK,
    spaceAfter=7,
    linkUnderline=0,
)
TITLE = ParagraphStyle("title", TEXT, fontName=BOLD, fontSize=17, leading=22, spaceAfter=8)
HEADING = ParagraphStyle(
    "heading", TEXT, fontName=BOLD, fontSize=12.5, leading=16, spaceBefore=12, keepWithNext=1
)
QUOTE = ParagraphStyle("quote", TEXT, leftIndent=12)
SMALL = ParagraphStyle("small", TEXT, fontSize=8.5, leading=12, textColor=SOFT)
ENTRY = ParagraphStyle(
    "entry", TEXT, fontSize=9, bulletFontSize=9, leading=13, leftIndent=18, spaceAfter=5
)
CELL = ParagraphStyle("cell", TEXT, fontSize=8.5, leading=11.5, spaceAfter=0)
HEADER = ParagraphStyle("header", CELL, fontName=BOLD)
FOOTER = ParagraphStyle("footer", SMALL, alignment=TA_RIGHT)


def to_pdf(document: Document) -> bytes:
    """The report on A4 pages, with an outline and links from marks to passages to sources."""
    _register_fonts()
    buffer = BytesIO()
    pages = _Pages(
        buffer,
        pagesize=A4,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN,
        title=document.title,
        author="Rabbithole",
        lang=document.words.language,
    )
    pages.build(list(_flow(document)), onFirstPage=_footer, onLaterPages=_footer)
    return buffer.getvalue()


class _Pages(SimpleDocTemplate):
    """Adds an entry to the outline for every heading."""

    def afterFlowable(self, flowable: Flowable) -> None:
        if isinstance(flowable, Paragraph) and flowable.style.name in ("title", "heading"):
            key = f"heading-{id(flowable)}"
            self.canv.bookmarkPage(key)
            text = flowable.getPlainText(identify=True)
            self.canv.addOutlineEntry(text, key, level=int(flowable.style.name == "heading"))


def _register_fonts() -> None:
    if FONT in pdfmetrics.getRegisteredFontNames():
        return
    from font_roboto import font_files

    pdfmetrics.registerFont(TTFont(FONT, font_files["Roboto"]))
    pdfmetrics.registerFont(TTFont(BOLD, font_files["RobotoBold"]))
    pdfmetrics.registerFontFamily(FONT, normal=FONT, bold=BOLD, italic=FONT, boldItalic=BOLD)


def _footer(canvas: Any, pages: Any) -> None:
    canvas.setFont(FONT, 8)
    canvas.setFillColor(SOFT)
    canvas.drawRightString(A4[0] - MARGIN, MARGIN / 2, str(pages.page))


def _flow(document: Document) -> Iterable[Flowable]:
    words = document.words
    yield Paragraph(escape(document.title), TITLE)
    yield Paragraph(escape(" · ".join(document.facts)), SMALL)
    yield from _all(document.before)
    if not document.parts:
        yield Paragraph(words.nothing_found, TEXT)
    for part in document.parts:
        if part.heading:
            yield Paragraph(escape(part.heading), HEADING)
        yield from (_paragraph(document, lines) for lines in part.paragraphs)
    yield from _all(document.after)
    if document.passages:
        yield Paragraph(words.passages, HEADING)
        yield from (_passage(document, passage) for passage in document.passages)
    if document.sources:
        yield Paragraph(words.sources, HEADING)
        yield from _sources(document)
    yield from _all(document.behind)
    yield Paragraph(escape(words.made_by.format(document.thread_id)), FOOTER)


def _paragraph(document: Document, lines: Sequence[Line]) -> Flowable:
    text = " ".join(_line(document, line) for line in lines)
    return Paragraph(text, QUOTE if lines[0].quote else TEXT)


def _line(document: Document, line: Line) -> str:
    marks = " ".join(_link(f"passage-{number}", str(number)) for number in line.numbers)
    follows, mark = document.follows(line), document.mark(line)
    parts = [
        _soft(line.case) if line.case else "",
        escape(line.text),
        f"<b>({escape(mark)})</b>" if mark else "",
        _soft(follows) if follows else "",
        f"<super>{marks}</super>" if marks else "",
    ]
    return " ".join(filter(None, parts))


def _soft(text: str) -> str:
    return f'<font color="{_hex(SOFT)}">{escape(text)}</font>'


def _hex(color: Any) -> str:
    return str(color.hexval()).replace("0x", "#")


def _link(anchor: str, text: str) -> str:
    return f'<a href="#{anchor}" color="{_hex(ACCENT)}">{text}</a>'


def _passage(document: Document, passage: Passage) -> Flowable:
    place = escape(document.place(passage))
    if passage.source:
        place = _link(f"source-{passage.source}", place)
    case = f"{_soft(passage.case)} " if passage.case else ""
    quote = "" if passage.in_text else f": {case}{escape(passage.quote)}"
    remark = document.remark(passage)
    said = f" ({escape(remark)})" if remark else ""
    text = f'<a name="passage-{passage.number}"/><b>{place}</b>{quote}{said}'
    return Paragraph(text, ENTRY, bulletText=f"{passage.number}.")


def _sources(document: Document) -> Iterable[Flowable]:
    for source in document.sources:
        title = "" if source.title == source.document else f": {escape(source.title)}"
        told = escape(document.description(source))
        anchor = f'<a name="source-{source.number}"/>'
        text = f"{anchor}<b>{escape(source.document)}</b>{title}<br/>{told}"
        yield Paragraph(text, ENTRY, bulletText=f"{source.number}.")


def _all(blocks: Iterable[Block]) -> Iterable[Flowable]:
    for block in blocks:
        yield Paragraph(escape(block.title), HEADING)
        if isinstance(block, Table):
            yield _table(block)
        else:
            yield from (Paragraph(escape(item), ENTRY, bulletText="•") for item in block.items)


def _table(block: Table) -> Flowable:
    rows = [[Paragraph(escape(cell), HEADER) for cell in block.header]]
    rows += [[Paragraph(escape(cell), CELL) for cell in row] for row in block.rows]
    style = TableStyle(
        [
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ]
    )
    width = A4[0] - 2 * MARGIN
    return PdfTable(
        rows,
        colWidths=_widths(block, width),
        style=style,
        repeatRows=1,
        splitInRow=1,
        hAlign="LEFT",
    )


def _widths(block: Table, width: float) -> list[float]:
    """Room for the longest word of each column, the rest in proportion to what they hold."""
    columns = list(zip(block.header, *block.rows, strict=True))
    words = [max((len(word) for cell in column for word in cell.split()), default=0)
             for column in columns]  # fmt: skip
    least = [min(LETTER * each, width / len(columns)) for each in words]
    longest = [min(40, max(8, *map(len, column))) for column in columns]
    rest = (width - sum(least)) / sum(longest)
    return [floor + rest * each for floor, each in zip(least, longest, strict=True)]
