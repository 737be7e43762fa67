"""Web pages, and EPUB books, which are made of them. Both become Markdown."""

import posixpath
import re
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import unquote
from zipfile import ZipFile

from bs4 import BeautifulSoup
from lxml import etree
from markdownify import MarkdownConverter

from services.domain.errors import UnreadableDocument
from services.ingestion.archive import opened
from services.ingestion.extraction import Extraction, clean, plain_title
from services.ingestion.file_metadata import file_metadata
from services.ingestion.plain_parser import markdown
from services.ingestion.raised import raised

_UNREAD: Final = ["script", "style", "noscript", "template", "nav", "iframe", "svg", "form"]
_BLOCKS: Final = [
    *("address", "aside", "details", "fieldset", "figcaption", "figure", "footer", "header"),
    *("hgroup", "main", "search", "section", "summary"),
]
"""Elements that stand on lines of their own, which the converter would run into one another."""
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CONTAINER: Final = "META-INF/container.xml"


def parse_html(path: Path) -> Extraction:
    """Read a saved web page: what its reader sees, with headings, lists and tables."""
    page = BeautifulSoup(path.read_bytes(), "html.parser")
    title = page.title.get_text() if page.title else None
    said = {str(each.get("name")).lower(): each.get("content") for each in page.find_all("meta")}
    metadata = file_metadata(
        tags=said.get("keywords"), author=said.get("author"), day=said.get("date")
    )
    return replace(markdown(seen(page), title), metadata=metadata)


def parse_epub(path: Path) -> Extraction:
    """Read a book, chapter by chapter in its own order."""
    with opened(path, etree.LxmlError), ZipFile(path) as archive:
        root = _xml(archive.read(_CONTAINER)).find(".//{*}rootfile")
        if root is None:
            raise ValueError("it names no content")
        place = root.get("full-path", "")
        package = _xml(archive.read(place))
        files = {each.get("id"): each.get("href", "") for each in package.iterfind(".//{*}item")}
        chapters = [files[each.get("idref")] for each in package.iterfind(".//{*}itemref")]
        folder = posixpath.dirname(place)
        places = (posixpath.normpath(posixpath.join(folder, unquote(each))) for each in chapters)
        texts = [seen(BeautifulSoup(archive.read(each), "html.parser")) for each in places]
    says = {name: package.findtext(f".//{{*}}{name}") for name in ("title", "creator", "date")}
    metadata = file_metadata(author=says["creator"], day=says["date"])
    read = markdown("\n\n".join(texts), None)
    title = plain_title(says["title"] or "")
    return replace(read, title=title or read.title, metadata=metadata)


def _xml(data: bytes) -> etree._Element:
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))


def seen(page: BeautifulSoup) -> str:
    """As Markdown what a reader of a page sees.

    Raises:
        UnreadableDocument: its elements stand in each other too deeply.
    """
    try:
        hidden = page.find_all(
            lambda tag: tag.has_attr("hidden") or bool(_HIDDEN.search(str(tag.get("style"))))
        )
        for each in [*page(_UNREAD), *hidden]:
            each.decompose()
        for each in page(_BLOCKS):
            each.name = "div"
        for each in page("sup"):
            for said in each.find_all(string=True):
                said.replace_with(raised(said))
        text = MarkdownConverter(heading_style="ATX", strip=["a", "img"]).convert_soup(
            page.body or page
        )
    except RecursionError:
        raise UnreadableDocument(
            "its elements stand in each other more deeply than any program writes them"
        ) from None
    return clean(text)
