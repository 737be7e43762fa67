"""Web pages, and EPUB books, which are made of them. Both become Markdown."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final
from urllib.parse import unquote
from zipfile import ZipFile

import soupsieve
from bs4 import BeautifulSoup, Tag
from bs4.builder import HTMLTreeBuilder
from bs4.dammit import EncodingDetector
from bs4.element import Declaration, ProcessingInstruction
from lxml import etree
from markdownify import MarkdownConverter
from soupsieve import SelectorSyntaxError, SoupSieve

from services.domain.errors import UnreadableDocument
from services.ingestion.parsers.archive import checked_archive, parsed_xml
from services.ingestion.parsers.encoding import Decoded, decode_part
from services.ingestion.parsers.extraction import Extraction, clean, plain_title, to_superscript
from services.ingestion.parsers.file_metadata import file_metadata
from services.ingestion.parsers.formulas import grouped, power
from services.ingestion.parsers.numbering import format_number
from services.ingestion.parsers.plain_parser import markdown
from services.ingestion.parsers.tables import ParsedCell, grid_lines, heads_of

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
_WIDEST: Final = 200  # places that a cell may cover in one direction
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
    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        grid, marked = _grid(el)
        above, heads = heads_of(grid, marked)
        caption = el.caption.get_text(" ", strip=True) if el.caption else ""
        return "\n\n" + "\n".join(filter(None, [caption, *grid_lines(grid, heads, above)])) + "\n\n"

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
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


def _grid(table: Tag) -> tuple[list[list[ParsedCell]], int]:
    rows: list[dict[int, ParsedCell]] = []
    spans: dict[tuple[int, int], ParsedCell] = {}
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
            cell = ParsedCell(" ".join(element.get_text().split()))
            for across in range(column, column + _span(element, "colspan")):
                row_cells[across] = cell
                for down in range(number + 1, number + _span(element, "rowspan")):
                    spans[down, across] = cell
        rows.append(row_cells)
    width = max((max(row, default=-1) + 1 for row in rows), default=0)
    return [[row.get(n) or ParsedCell("") for n in range(width)] for row in rows], marked


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
    """Return what a reader sees, as Markdown. Raises UnreadableDocument if nested too deeply."""
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


_UNSEEN: Final = ["annotation", "annotation-xml", "mphantom"]
_FORMS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = {
    "mfrac": lambda operands: "/".join(map(grouped, operands)),
    "msqrt": lambda operands: f"√{grouped(''.join(operands))}",
    "mroot": lambda operands: f"{power(operands[-1])}√{grouped(operands[0])}",
    "msup": lambda operands: operands[0] + power("".join(operands[1:])),
    "msub": lambda operands: f"{operands[0]}_{grouped(''.join(operands[1:]))}",
    "munder": lambda operands: f"{operands[0]}_{grouped(''.join(operands[1:]))}",
    "msubsup": lambda operands: "".join(
        (operands[0], "_", *map(grouped, operands[1:2]), *map(power, operands[2:]))
    ),
    "munderover": lambda operands: "".join(
        (operands[0], "_", *map(grouped, operands[1:2]), "^", *map(grouped, operands[2:]))
    ),
    "mtd": lambda operands: "".join(operands) + ", ",
    "mtr": lambda operands: "".join(operands).rstrip(", ") + "; ",
}


def flatten_formulas(page: BeautifulSoup) -> None:
    for formula in page("math"):
        for element in formula(_UNSEEN):
            element.decompose()
        for element in reversed(formula.find_all(True)):
            _flatten(element)
        formula.string = " ".join(formula.get_text().split())


def _flatten(element: Tag) -> None:
    operands = [" ".join(child.get_text().split()) for child in element.find_all(recursive=False)]
    form = _FORMS.get(element.name.rpartition(":")[2])
    element.string = form(operands) if form and operands else element.get_text()


_FIELDS: Final = ["button", "datalist", "input", "select", "textarea"]
"""What a form is filled in with; the form itself may hold the whole page."""
_FALLBACKS: Final = ["audio", "canvas", "iframe", "noscript", "video"]
"""What is within them is for programs that cannot show them."""
_UNREAD: Final = [
    *("script", "style", "template", "nav", "svg", "dialog:not([open])", "rp", "rt"),
    *_FIELDS,
    *_FALLBACKS,
]
"""Navigation, fields, how words are spoken, and what is not shown; all as selectors."""
_MARKUP: Final = re.compile(
    r"(?P<style><style\b.*?(?:</style\b[^>]*>|\Z))|<script\b.*?(?:</script\b[^>]*>|\Z)"
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))",
    re.IGNORECASE | re.DOTALL,
)
"""Scripts and comments as the HTML standard ends them; older versions of Python end them early."""
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CSS_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_CONDITIONAL: Final = re.compile(r"@[^{};]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})")
"""What holds for some devices only, with its rules: these may show an element, but not hide it."""
_RULE: Final = re.compile(r"([^{}]+)\{([^{}]*)\}")
_DISPLAY: Final = re.compile(r"(?:^|;)\s*display\s*:\s*([\w-]+)\s*(!\s*important)?", re.IGNORECASE)
_ALWAYS_SHOWN: Final = ("html", "body")
"""Pages hide all of themselves until their scripts run."""


def page_of(text: str) -> BeautifulSoup:
    return BeautifulSoup(_MARKUP.sub(lambda match: match["style"] or "", text), "html.parser")


def remove_unseen(page: BeautifulSoup) -> None:
    """Remove what a browser does not show, and what is no text: navigation and fields."""
    unseen = page.find_all(
        lambda tag: tag.has_attr("hidden") or bool(_HIDDEN.search(str(tag.get("style"))))
    )
    for element in [*unseen, *_hidden_by_styles(page), *page.select(", ".join(_UNREAD))]:
        element.decompose()
    for string in page.find_all(string=True):
        if isinstance(string, (Declaration, ProcessingInstruction)):
            string.extract()


def _hidden_by_styles(page: BeautifulSoup) -> Iterator[Tag]:
    """Yield the elements that the strongest rule of the page's own style sheets leaves out."""
    rules: list[tuple[tuple[bool, int, int, int], int, SoupSieve, str]] = []
    for n, (selector, display, important) in enumerate(_display_rules(page)):
        # Selectors of states and of parts of elements, which a text does not have, are unknown.
        with suppress(SelectorSyntaxError, NotImplementedError):
            rank = important, *_specificity(selector)
            rules.append((rank, n, soupsieve.compile(selector), display))
    rules.sort(key=lambda rule: rule[:2], reverse=True)
    hidden = {
        id(element): element
        for _, _, sieve, display in rules
        if display == "none"
        for element in sieve.select(page)
    }
    for element in hidden.values():
        shown_inline = _DISPLAY.search(str(element.get("style", "")))
        strongest = next(display for _, _, sieve, display in rules if sieve.match(element))
        if strongest == "none" and not shown_inline and element.name not in _ALWAYS_SHOWN:
            yield element


def _display_rules(page: BeautifulSoup) -> Iterator[tuple[str, str, bool]]:
    for style in page("style"):
        if style.find_parent(["noscript", "template"]):
            continue
        if str(style.get("media", "all")).strip().lower() in ("all", "screen", ""):
            css = _CSS_COMMENT.sub("", style.get_text())
            yield from _rules(_CONDITIONAL.sub("", css))
            for block in _CONDITIONAL.findall(css):
                rules = _rules(block.partition("{")[2])
                yield from (rule for rule in rules if rule[1] != "none")


def _rules(css: str) -> Iterator[tuple[str, str, bool]]:
    for selectors, declarations in _RULE.findall(css):
        for value, important in _DISPLAY.findall(declarations)[-1:]:
            for selector in selectors.split(","):
                yield selector.strip(), value.lower(), bool(important)


def _specificity(selector: str) -> tuple[int, int, int]:
    """Return how many ids, classes and names of elements a selector has."""
    counts = (len(re.findall(kind, selector)) for kind in (r"#", r"[.\[:]", r"(?:^|[\s>+~])[a-z]"))
    ids, classes, names = counts
    return ids, classes, names
