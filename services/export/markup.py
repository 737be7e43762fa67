"""HTML in one file that runs no script and loads nothing from the network, and Markdown with
citations as footnotes, which GitHub, Pandoc and most editors link both ways.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Final

from services.domain.markdown import plain_markdown
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


_STARTS: Final = {"title": "# ", "heading": "## ", "quote": "> ", "item": "- ", "bullet": "- "}
_MARKS: Final = {"soft": "*", "bold": "**", "place": "**"}
_SPACE_BEFORE_FOOTNOTE: Final = re.compile("[ \u00a0](?=\\[\\^)")


def to_markdown(document: Document) -> bytes:
    """Return the document, its lists without blank lines between their items."""
    groups = groupby(document.blocks, lambda block: block.kind)
    texts = ("\n".join(map(_markdown_block, group)) if kind in ("item", "bullet", "entry")
             else "\n\n".join(map(_markdown_block, group)) for kind, group in groups)  # fmt: skip
    return ("\n\n".join(texts) + "\n").encode()


def _markdown_block(block: Block) -> str:
    if isinstance(block, Table):
        return "\n".join(_markdown_rows(block))
    start = _STARTS.get(block.kind, "")
    if block.kind == "entry":
        cited = block.anchor.startswith("passage-")
        start = f"[^{block.number}]: " if cited else f"{block.number}. "
    return start + _markdown_runs(block.runs, "> " if block.kind == "quote" else " " * len(start))


def _markdown_rows(table: Table) -> Iterator[str]:
    header = [plain_markdown(name) for name in table.header]
    for cells in (
        header,
        ["---"] * len(header),
        *([_markdown_runs(c) for c in row] for row in table.rows),
    ):
        yield f"| {' | '.join(cells)} |"


def _markdown_runs(runs: Iterable[Run], indent: str = "") -> str:
    """Return the runs of a paragraph; what follows a line break in it has an indent."""
    text = _SPACE_BEFORE_FOOTNOTE.sub("", "".join(map(_markdown_run, spaced(runs))))
    return text.replace("\n", f"\\\n{indent}")


def _markdown_run(run: Run) -> str:
    if run.style == "raised":
        return f"[^{run.text}]"
    text = run.text.lstrip("\n")
    if not text.strip():
        return run.text
    mark = _MARKS.get(run.style, "")
    return "\n" * (len(run.text) - len(text)) + mark + plain_markdown(text) + mark
