"""Markdown with citations as footnotes, which GitHub, Pandoc and most editors link both ways."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from services.domain.markdown import plain_markdown
from services.export.document import Document
from services.export.texts import Block, Run, Table, spaced

_STARTS: Final = {"title": "# ", "heading": "## ", "quote": "> ", "item": "- ", "bullet": "- "}
_STYLES: Final = {"soft": "*", "bold": "**", "place": "**"}
_SPACE_BEFORE_FOOTNOTE: Final = re.compile("[ \u00a0](?=\\[\\^)")


def to_markdown(document: Document) -> bytes:
    """Return the document, its lists without blank lines between their items."""
    groups = groupby(document.blocks, lambda block: block.kind)
    texts = ("\n".join(map(_block, group)) if kind in ("item", "bullet", "entry")
             else "\n\n".join(map(_block, group)) for kind, group in groups)  # fmt: skip
    return ("\n\n".join(texts) + "\n").encode()


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return "\n".join(_rows(block))
    start = _STARTS.get(block.kind, "")
    if block.kind == "entry":
        cited = block.anchor.startswith("passage-")
        start = f"[^{block.number}]: " if cited else f"{block.number}. "
    return start + _runs(block.runs, "> " if block.kind == "quote" else " " * len(start))


def _rows(table: Table) -> Iterator[str]:
    header = [plain_markdown(name) for name in table.header]
    for cells in (header, ["---"] * len(header), *([_runs(c) for c in row] for row in table.rows)):
        yield f"| {' | '.join(cells)} |"


def _runs(runs: Iterable[Run], indent: str = "") -> str:
    """Return the runs of a paragraph; what follows a line break in it has an indent."""
    text = _SPACE_BEFORE_FOOTNOTE.sub("", "".join(map(_run, spaced(runs))))
    return text.replace("\n", f"\\\n{indent}")


def _run(run: Run) -> str:
    if run.style == "raised":
        return f"[^{run.text}]"
    text = run.text.lstrip("\n")
    if not text.strip():
        return run.text
    mark = _STYLES.get(run.style, "")
    return "\n" * (len(run.text) - len(text)) + mark + plain_markdown(text) + mark
