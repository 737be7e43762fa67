"""PDF by reportlab, in Roboto, whose letters go beyond German: Greek, Cyrillic, superscripts."""

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

from services.export import paragraphs as export
from services.export.document import Document

FONT, BOLD = "Roboto", "Roboto-Bold"
INK, SOFT, LINE, ACCENT = (HexColor(c) for c in ("#22272a", "#5c6468", "#b9b5ab", "#1d5c63"))
MARGIN, EDGE = 24 * mm, 20 * mm
"""Beside the text, and above and below it."""
PICTURE_SHARE = 0.72
"""Of the width of the text that a cut-out of a page takes."""
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
ITEM = ParagraphStyle("item", TEXT, leftIndent=14, bulletIndent=3, spaceAfter=4)
SMALL = ParagraphStyle("small", TEXT, fontSize=8.5, leading=12, textColor=SOFT)
ENTRY = ParagraphStyle(
    "entry", TEXT, fontSize=9, bulletFontSize=9, leading=13, leftIndent=18, spaceAfter=5
)
PLACE = ParagraphStyle("place", ENTRY, keepWithNext=1)
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
    """The report on A4 pages, with an outline and links from marks to passages to sources."""
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
        lang=document.words.language,
    )
    story = [_flowable(each) for each in export.paragraphs(document)]
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


def _flowable(each: export.Piece) -> Flowable:
    if isinstance(each, export.Grid):
        return _table(each)
    if isinstance(each, export.Picture):
        return _picture(each)
    bullet = f"{each.number}." if each.number else BULLETS.get(each.kind)
    anchor = f'<a name="{each.anchor}"/>' if each.anchor else ""
    text = anchor + "".join(map(_markup, each.runs))
    style = PLACE if each.pictured else STYLES[each.kind]
    return Paragraph(text, style, bulletText=bullet)


def _picture(each: export.Picture) -> Flowable:
    """Small, but large enough to be read; a high one as high as a page allows."""
    image = Image(BytesIO(each.png))
    width, height = PICTURE_SHARE * (A4[0] - 2 * MARGIN), A4[1] / 2
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


def _markup(run: export.Run) -> str:
    """Words in the markup of reportlab, which reads what is not escaped as tags."""
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


def _table(grid: export.Grid) -> Flowable:
    rows = [[Paragraph(escape(cell), HEADER) for cell in grid.header]]
    rows += [[Paragraph("".join(map(_markup, cell)), CELL) for cell in row] for row in grid.rows]
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
        colWidths=_widths(grid, width),
        style=style,
        repeatRows=1,
        splitInRow=1,
        hAlign="LEFT",
        spaceAfter=7,
    )


def _widths(grid: export.Grid, width: float) -> list[float]:
    """Room for the longest word of each column, the rest in proportion to what they hold."""
    texts = [["".join(run.text for run in cell) for cell in row] for row in grid.rows]
    columns = list(zip(grid.header, *texts, strict=True))
    words = [max((len(word) for cell in column for word in cell.split()), default=0)
             for column in columns]  # fmt: skip
    least = [min(LETTER * each, width / len(columns)) for each in words]
    longest = [min(40, max(8, *map(len, column))) for column in columns]
    rest = (width - sum(least)) / sum(longest)
    return [floor + rest * each for floor, each in zip(least, longest, strict=True)]
