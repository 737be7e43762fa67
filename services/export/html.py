"""HTML in one file that runs no script and loads nothing from the network."""

from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Final

from services.export.document import Document
from services.export.texts import Block, Paragraph, Run, Table, spaced

_TAGS: Final = {"title": "h1", "heading": "h2", "text": "p", "quote": "blockquote"}
_LISTS: Final = {"item": '<ul class="answer">', "bullet": "<ul>", "entry": "<ol>"}
_STYLES: Final = {
    "plain": "{}",
    "place": "{}",
    "soft": '<span class="soft">{}</span>',
    "bold": "<strong>{}</strong>",
    "quoted": "<q>{}</q>",
    "unproven": '<span class="unproven">{}</span>',
    "raised": "<sup>{}</sup>",
}


def to_html(document: Document) -> bytes:
    """Return the page, with links from marks to passages, and from these to sources and back."""
    page = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    body = "\n".join(_Body().groups(document.blocks))
    title = escape(document.title)
    return page.substitute(language=document.labels.language, title=title, body=body).encode()


class _Body:
    """Writes blocks, and remembers where each passage is cited first, for the links back."""

    def __init__(self) -> None:
        self._cited: set[str] = set()

    def groups(self, blocks: Iterable[Block]) -> Iterable[str]:
        """Yield tables and paragraphs, and items that follow each other as one list."""
        for kind, group in groupby(blocks, lambda block: block.kind):
            html = [self._block(block) for block in group]
            if start := _LISTS.get(kind):
                yield f"{start}{''.join(html)}</{start[1:3]}>"
            else:
                yield from html

    def _block(self, block: Block) -> str:
        if isinstance(block, Table):
            return self._table(block)
        text = self._runs(block.runs)
        match block.kind:
            case "item" | "bullet":
                return f"<li>{text}</li>"
            case "entry":
                return f'<li id="{block.anchor}">{text}{self._link_back(block)}</li>'
            case "soft":
                return f"<p>{text}</p>"
            case "footer":
                return f"<footer>{text}</footer>"
            case kind:
                return f"<{_TAGS[kind]}>{text}</{_TAGS[kind]}>"

    def _table(self, table: Table) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in table.header)
        rows = ["".join(f"<td>{self._runs(cell)}</td>" for cell in row) for row in table.rows]
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in (head, *rows))}</table>"

    def _runs(self, runs: Iterable[Run]) -> str:
        return "".join(map(self._run, spaced(runs)))

    def _run(self, run: Run) -> str:
        text = escape(run.text).replace("\n", "<br>")
        if run.target:
            anchor = ""
            if run.style == "raised" and run.target not in self._cited:
                self._cited.add(run.target)
                anchor = f' id="mark-{run.target}"'
            text = f'<a{anchor} href="#{run.target}">{text}</a>'
        return _STYLES[run.style].format(text)

    def _link_back(self, entry: Paragraph) -> str:
        return f' <a href="#mark-{entry.anchor}">↑</a>' if entry.anchor in self._cited else ""
