"""Web pages, and EPUB books, which are made of them. Both become Markdown."""

import posixpath
import re
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final
from urllib.parse import unquote
from zipfile import ZipFile

from bs4 import BeautifulSoup, Tag
from bs4.builder import HTMLTreeBuilder
from bs4.dammit import EncodingDetector
from lxml import etree
from markdownify import MarkdownConverter

from services.domain.errors import UnreadableDocument
from services.ingestion.parsers.archive import checked_archive, parsed_xml
from services.ingestion.parsers.encoding import Decoded, decode_part
from services.ingestion.parsers.extraction import Extraction, clean, plain_title
from services.ingestion.parsers.file_metadata import file_metadata
from services.ingestion.parsers.mathml import flatten_formulas
from services.ingestion.parsers.numbering import format_number
from services.ingestion.parsers.plain_parser import markdown
from services.ingestion.parsers.superscripts import to_superscript
from services.ingestion.parsers.tables import Cell, grid_lines, heads_of
from services.ingestion.parsers.web_visible import page_of, remove_unseen

_BLOCKS: Final = [
    "address", "aside", "details", "fieldset", "form", "figcaption", "figure", "footer", "header",
    "hgroup", "main", "search", "section", "summary",
]  # fmt: skip
"""Elements that stand on lines of their own, which the converter would run into one another."""
_APART: Final = ["br", *HTMLTreeBuilder.DEFAULT_BLOCK_ELEMENTS]
"""Elements whose words no browser joins with those around them."""
_HEADINGS: Final = ["h1", "h2", "h3", "h4", "h5", "h6"]
_NUMBER_FORMATS: Final = {
    "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
}  # fmt: skip
_LABEL: Final = "data-label"
_WIDEST: Final = 200
"""Places that a cell may cover in one direction."""
_CONTAINER: Final = "META-INF/container.xml"


def parse_html(path: Path) -> Extraction:
    """Read a saved web page: what its reader sees, with headings, lists and tables."""
    data = path.read_bytes()
    text, warnings = _decoded(data)
    page = page_of(text)
    title = page.title.get_text() if page.title else None
    fields = {str(tag.get("name")).lower(): tag.get("content") for tag in page.find_all("meta")}
    metadata = file_metadata(
        tags=fields.get("keywords"), author=fields.get("author"), day=fields.get("date")
    )
    return replace(markdown(visible_markdown(page), title), metadata=metadata, warnings=warnings)


class _Converter(MarkdownConverter):
    """Markdown in which each row of a table is a line with its cells after their heads."""

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Convert a table to a line for each row."""
        grid, marked = _grid(el)
        above, heads = heads_of(grid, marked)
        caption = el.caption.get_text(" ", strip=True) if el.caption else ""
        return "\n\n" + "\n".join(filter(None, [caption, *grid_lines(grid, heads, above)])) + "\n\n"

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Convert an item of a list, with the label that a browser gives it."""
        item = super().convert_li(el, text, parent_tags)  # type: ignore[misc]
        return re.sub(r"^\d+(?=\.)", str(el.get(_LABEL, r"\g<0>")), item)


def _dissolve_layout(page: BeautifulSoup) -> None:
    """Leave only the contents of tables that place headings or other tables."""
    for table in page("table"):
        if table.find(["table", *_HEADINGS]):
            inner = table(["thead", "tbody", "tfoot", "tr", "td", "th", "caption"])
            for element in [table, *(cell for cell in inner if cell.find_parent("table") is table)]:
                element.name = "div"


def _number_items(page: BeautifulSoup) -> None:
    """Mark the items of numbered lists with the number or letter that a browser shows."""
    for parent in page("ol"):
        number = _integer(parent, "start", 1) - 1
        for item in parent("li", recursive=False):
            number = _integer(item, "value", number + 1)
            kind = str(item.get("type") or parent.get("type"))
            item[_LABEL] = format_number(number, _NUMBER_FORMATS.get(kind, "decimal")) or str(
                number
            )


def _integer(element: Tag, name: str, default: int) -> int:
    value = str(element.get(name, "")).strip()
    return int(value) if re.fullmatch(r"-?\d{1,9}", value, re.ASCII) else default


def _grid(table: Tag) -> tuple[list[list[Cell]], int]:
    """Return the cells of a table, each at all its places, and how many rows of heads it marks."""
    rows: list[dict[int, Cell]] = []
    spans: dict[tuple[int, int], Cell] = {}
    marked = 0
    for number, row in enumerate(table("tr")):
        cells = row(["td", "th"], recursive=False)
        is_head = row.parent is not None and row.parent.name == "thead"
        is_head = is_head or all(cell.name == "th" for cell in cells)
        marked += marked == number and bool(cells) and is_head
        column, row_cells = 0, {at: cell for (down, at), cell in spans.items() if down == number}
        for element in cells:
            while column in row_cells:
                column += 1
            for apart in element(_APART):
                apart.insert_before(" ")
                apart.insert_after(" ")
            cell = Cell(" ".join(element.get_text().split()))
            for across in range(column, column + _span(element, "colspan")):
                row_cells[across] = cell
                for down in range(number + 1, number + _span(element, "rowspan")):
                    spans[down, across] = cell
        rows.append(row_cells)
    width = max((max(row, default=-1) + 1 for row in rows), default=0)
    return [[row.get(n) or Cell("") for n in range(width)] for row in rows], marked


def _span(cell: Tag, name: str) -> int:
    return min(max(_integer(cell, name, 1), 1), _WIDEST)


def parse_epub(path: Path) -> Extraction:
    """Read a book, chapter by chapter in its own order."""
    with checked_archive(path, etree.LxmlError), ZipFile(path) as archive:
        root = parsed_xml(archive.read(_CONTAINER)).find(".//{*}rootfile")
        if root is None:
            raise ValueError("it names no content")
        package_path = root.get("full-path", "")
        package = parsed_xml(archive.read(package_path))
        files = {item.get("id"): item.get("href", "") for item in package.iterfind(".//{*}item")}
        chapters = [files[item.get("idref")] for item in package.iterfind(".//{*}itemref")]
        folder = posixpath.dirname(package_path)
        chapter_paths = (
            posixpath.normpath(posixpath.join(folder, unquote(item))) for item in chapters
        )
        decoded = [_decoded(archive.read(item)) for item in chapter_paths]
    stated = {name: package.findtext(f".//{{*}}{name}") for name in ("title", "creator", "date")}
    metadata = file_metadata(author=stated["creator"], day=stated["date"])
    texts = [visible_markdown(page_of(text)) for text, _ in decoded]
    warnings = tuple(dict.fromkeys(chain.from_iterable(doubts for _, doubts in decoded)))
    read = markdown("\n\n".join(texts), None)
    title = plain_title(stated["title"] or "")
    return replace(read, title=title or read.title, metadata=metadata, warnings=warnings)


def _decoded(data: bytes) -> Decoded:
    return decode_part(data, EncodingDetector.find_declared_encoding(data, is_html=True) or "")


def visible_markdown(page: BeautifulSoup) -> str:
    """Return what a reader of a page sees, as Markdown.

    Raises:
        UnreadableDocument: its elements stand in each other too deeply.
    """
    try:
        flatten_formulas(page)
        remove_unseen(page)
        _dissolve_layout(page)
        _number_items(page)
        for element in page(_BLOCKS):
            element.name = "div"
        for element in page("sup"):
            for string in element.find_all(string=True):
                string.replace_with(to_superscript(string))
        converter = _Converter(
            heading_style="ATX",
            strip=["a", "img"],
            escape_asterisks=False,
            escape_underscores=False,
        )
        text = converter.convert_soup(page.body or page)
    except RecursionError:
        raise UnreadableDocument("its elements are nested too deeply") from None
    return clean(text)
