"""PDF by reportlab, set in Roboto, which also has Greek, Cyrillic and superscripts."""

from collections.abc import Iterable, Iterator
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
from reportlab.platypus import Flowable, Image, Paragraph, SimpleDocTemplate, TableStyle
from reportlab.platypus import Table as PdfTable

from services.export.blocks import Block, Run, Table, spaced
from services.export.document import Document

FONT, BOLD = "Roboto", "Roboto-Bold"
INK, SOFT, LINE, ACCENT = (HexColor(c) for c in ("#22272a", "#5c6468", "#b9b5ab", "#1d5c63"))
MARGIN, EDGE = 24 * mm, 20 * mm
"""Left and right of the text, and above and below it."""
IMAGE_SHARE = 0.72
"""Share of the text width that the image of a passage takes."""
LETTER = 5.4
"""Points of width for a letter in a table."""

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
ITEM = ParagraphStyle("item", TEXT, leftIndent=14, bulletIndent=3, spaceAfter=4)
SMALL = ParagraphStyle("small", TEXT, fontSize=8.5, leading=12, textColor=SOFT)
ENTRY = ParagraphStyle(
    "entry", TEXT, fontSize=9, bulletFontSize=9, leading=13, leftIndent=18, spaceAfter=5
)
ENTRY_WITH_IMAGES = ParagraphStyle("entry-with-images", ENTRY, keepWithNext=1)
CELL = ParagraphStyle("cell", TEXT, fontSize=8.5, leading=11.5, spaceAfter=0)
HEADER = ParagraphStyle("header", CELL, fontName=BOLD)
STYLES = {
    "title": TITLE,
    "soft": SMALL,
    "heading": HEADING,
    "text": TEXT,
    "quote": QUOTE,
    "item": ITEM,
    "entry": ENTRY,
    "bullet": ENTRY,
    "footer": ParagraphStyle("footer", SMALL, alignment=TA_RIGHT),
}

BULLETS = {"bullet": "•", "item": "•"}


def to_pdf(document: Document) -> bytes:
    """Return A4 pages, with an outline and links from marks to passages to sources."""
    _register_fonts()
    buffer = BytesIO()
    pages = _Pages(
        buffer,
        pagesize=A4,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=EDGE,
        bottomMargin=EDGE,
        title=document.title,
        author="Rabbithole",
        lang=document.labels.language,
    )
    story = [flowable for block in document.blocks for flowable in _flowables(block)]
    pages.build(story, onFirstPage=_footer, onLaterPages=_footer)
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


def _flowables(block: Block) -> Iterator[Flowable]:
    if isinstance(block, Table):
        yield _table(block)
        return
    bullet = f"{block.number}." if block.number else BULLETS.get(block.kind)
    anchor = f'<a name="{block.anchor}"/>' if block.anchor else ""
    style = ENTRY_WITH_IMAGES if block.images else STYLES[block.kind]
    yield Paragraph(anchor + _markup(block.runs), style, bulletText=bullet)
    yield from map(_image, block.images)


def _image(png: bytes) -> Flowable:
    """Return an image as wide as fits the text, but no higher than half a page."""
    image = Image(BytesIO(png))
    width, height = IMAGE_SHARE * (A4[0] - 2 * MARGIN), A4[1] / 2
    scale = min(width / image.imageWidth, height / image.imageHeight)
    image.drawWidth, image.drawHeight = image.imageWidth * scale, image.imageHeight * scale
    framed = [("BOX", (1, 0), (1, 0), 0.4, LINE), ("BOTTOMPADDING", (0, 0), (-1, -1), 3)]
    return PdfTable(
        [["", image]],
        colWidths=[ENTRY.leftIndent, image.drawWidth + 12],
        style=TableStyle(framed),
        hAlign="LEFT",
        spaceAfter=8,
    )


def _markup(runs: Iterable[Run]) -> str:
    """Return runs in reportlab's markup, which reads what is not escaped as tags."""
    return "".join(map(_run_markup, spaced(runs)))


def _run_markup(run: Run) -> str:
    text = escape(run.text).replace("\n", "<br/>")
    if run.target:
        text = f'<a href="#{run.target}" color="{_hex(ACCENT)}">{text}</a>'
    match run.style:
        case "bold" | "place":
            return f"<b>{text}</b>"
        case "soft":
            return f'<font color="{_hex(SOFT)}">{text}</font>'
        case "raised":
            return f"<super>{text}</super>"
    return text


def _hex(color: Any) -> str:
    return str(color.hexval()).replace("0x", "#")


def _table(table: Table) -> Flowable:
    rows = [[Paragraph(escape(cell), HEADER) for cell in table.header]]
    rows += [[Paragraph(_markup(cell), CELL) for cell in row] for row in table.rows]
    style = TableStyle(
        [
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ]
    )
    return PdfTable(
        rows,
        colWidths=_column_widths(table, A4[0] - 2 * MARGIN),
        style=style,
        repeatRows=1,
        splitInRow=1,
        hAlign="LEFT",
        spaceAfter=7,
    )


def _column_widths(table: Table, width: float) -> list[float]:
    """Fit the longest word of each column, and share the remaining width by text length."""
    texts = [[" ".join(run.text for run in cell) for cell in row] for row in table.rows]
    columns = list(zip(table.header, *texts, strict=True))
    longest_words = [
        max((len(word) for text in column for word in text.split()), default=0)
        for column in columns
    ]
    least = [min(LETTER * letters, width / len(columns)) for letters in longest_words]
    lengths = [min(40, max(8, *map(len, column))) for column in columns]
    point = (width - sum(least)) / sum(lengths)
    return [minimum + point * length for minimum, length in zip(least, lengths, strict=True)]
