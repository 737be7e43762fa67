"""PDF by reportlab, set in Roboto, and where that lacks a character in the fonts of `glyphs`."""

from collections.abc import Iterable, Iterator
from html import escape
from io import BytesIO
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Image, Paragraph, SimpleDocTemplate, TableStyle
from reportlab.platypus import Table as PdfTable

from services.export.document import Document
from services.export.glyphs import BOLD, FONT, Typesetter, described, load_font, visual_order
from services.export.texts import Block, Labels, Run, Table, spaced

INK, SOFT, LINE, ACCENT = (HexColor(c) for c in ("#22272a", "#5c6468", "#b9b5ab", "#1d5c63"))
MARGIN, EDGE = 24 * mm, 20 * mm
"""Left and right of the text, and above and below it."""
FULL_PAGE = A4[1] - 2 * EDGE - 13
"""Points below the top of a page, without the padding of its frame."""
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
    load_font(BOLD)
    load_font(FONT)
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
    writer = _Writer()
    story = [flowable for block in document.blocks for flowable in writer.flowables(block)]
    story += [Paragraph(escape(note), SMALL) for note in writer.notes(document.labels)]
    pages.build(story, onFirstPage=_footer, onLaterPages=_footer)
    return buffer.getvalue()


class _Pages(SimpleDocTemplate):
    def afterFlowable(self, flowable: Flowable) -> None:
        if isinstance(flowable, _Text) and flowable.style.name in ("title", "heading"):
            key = f"heading-{id(flowable)}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(
                flowable.title, key, level=int(flowable.style.name == "heading")
            )


def _footer(canvas: Any, pages: Any) -> None:
    canvas.setFont(FONT, 8)
    canvas.setFillColor(SOFT)
    canvas.drawRightString(A4[0] - MARGIN, MARGIN / 2, str(pages.page))


class _Text(Paragraph):
    """Draws what is written from right to left in that order, once its lines are known."""

    title = ""

    def draw(self) -> None:
        if not getattr(self.blPara, "turned", False):
            self.blPara.lines = list(map(_turned, self.blPara.lines))
            self.blPara.turned = True
        super().draw()


class _Rows(PdfTable):
    """Goes on over the page between rows; within one only where that is higher than a page."""

    def split(self, availWidth: float, availHeight: float) -> list[Flowable]:
        self.splitInRow = int(availHeight >= FULL_PAGE)
        tables: list[Flowable] = super().split(availWidth, availHeight)
        for table in tables:
            table.hAlign = self.hAlign
        return tables


def _turned(line: Any) -> Any:
    """Return a line with its words in visual order: of one style a pair, else an object."""
    if isinstance(line, tuple):
        return line[0], visual_order(" ".join(line[1])).split(" "), *line[2:]
    for fragment in line.words:
        fragment.text = visual_order(fragment.text)
    return line


class _Writer:
    def __init__(self) -> None:
        self.typesetter = Typesetter()

    def flowables(self, block: Block) -> Iterator[Flowable]:
        if isinstance(block, Table):
            yield self._table(block)
            return
        bullet = f"{block.number}." if block.number else BULLETS.get(block.kind)
        anchor = f'<a name="{block.anchor}"/>' if block.anchor else ""
        style = ENTRY_WITH_IMAGES if block.images else STYLES[block.kind]
        text = _Text(anchor + self._markup(block.runs), style, bulletText=bullet)
        text.title = block.text
        yield text
        yield from map(_image, block.images)

    def notes(self, labels: Labels) -> Iterator[str]:
        """Yield what is shown in another way than in the documents."""
        if substituted := described(self.typesetter.substituted):
            yield labels.substituted.format(substituted)
        if unjoined := ", ".join(self.typesetter.unjoined):
            yield labels.unjoined.format(unjoined)

    def _markup(self, runs: Iterable[Run]) -> str:
        return "".join(map(self._run_markup, spaced(runs)))

    def _run_markup(self, run: Run) -> str:
        text = "".join(map(_piece_markup, self.typesetter.pieces(run.text)))
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

    def _table(self, table: Table) -> Flowable:
        rows = [[_Text(self._markup([Run(cell)]), HEADER) for cell in table.header]]
        rows += [[_Text(self._markup(cell), CELL) for cell in row] for row in table.rows]
        style = TableStyle(
            [
                ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
            ]
        )
        return _Rows(
            rows,
            colWidths=_column_widths(table, A4[0] - 2 * MARGIN),
            style=style,
            repeatRows=1,
            hAlign="LEFT",
            spaceAfter=7,
        )


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


def _piece_markup(piece: tuple[str, str]) -> str:
    font, text = piece
    text = escape(text).replace("\n", "<br/>")
    return text if font == FONT else f'<font name="{font}">{text}</font>'


def _hex(color: Any) -> str:
    return str(color.hexval()).replace("0x", "#")


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
