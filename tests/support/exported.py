"""Exported reports read again by libraries that did not write them."""

import io
import re
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from typing import Any

from services.domain.markdown import WORD_JOINER
from services.export.document import make_document
from services.export.formats import as_json, render
from services.locale import rendered
from tests.support import played_report

READING = ("md", "html", "pdf", "docx")


def export_report(made: Mapping[str, Any], name: str, **known: Any) -> bytes:
    return as_json(made) if name == "json" else render(make_document(made, **known), name)


def report(*, hostile: bool = False) -> dict[str, Any]:
    question = "Welche Grenzwerte gelten für Jugendliche?"
    made: dict[str, Any] = rendered(played_report.report("t1", question, hostile=hostile))
    return made


def with_texts(texts: list[str]) -> dict[str, Any]:
    """A report whose sentences, quotes, headings, names and notes are these texts."""
    made = report()
    text = " ".join(texts)
    citation = made["sentences"][0]["citations"][0]
    made["sentences"] = [
        {
            "text": each,
            "supported": bool(number % 2),
            "citations": [
                {**citation, "quote": f"Q {each}", "start": number, "section": each[:20]}
            ],
        }
        for number, each in enumerate(texts)
    ]
    made["answer"] = "\n\n".join(texts)
    made["gaps"] = made["warnings"] = made["degraded"] = texts
    made["question"] = text
    made["sources"][0] |= {"title": text, "document": text, "sections": texts}
    made["dropped"][0] |= {"reason": text, "document": text}
    return made


def read(name: str, made: Mapping[str, Any], **known: Any) -> str:
    """The report in a format, read again as text; blanks are single."""
    return squeezed(READERS[name](export_report(made, name, **known)))


def squeezed(text: str) -> str:
    return " ".join(text.split())


class Page(HTMLParser):
    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self._style = False
        self.feed(content.decode())
        self.close()

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.attributes if key == name]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(key, value or "") for key, value in attrs]
        self._style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._style = False
        self.text += " " if tag in ("p", "li", "td", "th", "h1", "h2", "blockquote") else ""

    def handle_data(self, data: str) -> None:
        self.text += "" if self._style else data


def closed_page(made: Mapping[str, Any]) -> Page:
    """The page of a report whose links stay inside, and which runs and loads nothing."""
    page = Page(export_report(made, "html"))
    anchors = page.values("id")
    assert len(anchors) == len(set(anchors))
    assert {f"#{anchor}" for anchor in anchors} == set(page.values("href"))
    assert not {"script", "img", "link", "iframe", "object", "base"} & set(page.tags)
    return page


def markdown_tokens(content: bytes) -> list[Any]:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").parse(content.decode())


def _markdown(content: bytes) -> str:
    leaves = [leaf for token in markdown_tokens(content) for leaf in token.children or []]
    shown = " ".join(leaf.content for leaf in leaves if leaf.type != "image")
    return shown.replace(WORD_JOINER, "")


def _pdf(content: bytes) -> str:
    from pypdf import PdfReader

    pages = (page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    return "\n".join(re.sub(r"\A\d+\s", "", page.strip()) for page in pages)


def _docx(content: bytes) -> str:
    import docx

    file = docx.Document(io.BytesIO(content))
    cells = (cell.text for table in file.tables for row in table.rows for cell in row.cells)
    return "\n".join([*(paragraph.text for paragraph in file.paragraphs), *cells])


READERS: dict[str, Callable[[bytes], str]] = {
    "md": _markdown,
    "html": lambda content: Page(content).text,
    "pdf": _pdf,
    "docx": _docx,
}
