"""Markdown: citations are footnotes, which GitHub, Pandoc and most editors link both ways."""

import re
from collections.abc import Iterable, Sequence

from services.export.blocks import Block, Table
from services.export.document import Document, Passage
from services.export.layout import Line

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~$&#]|!(?=\[|$))")
_LINK = re.compile(r"(?i)(https?|ftp)(?=://)|\bwww(?=\.)")
_BLOCK = re.compile(r"^([-+=]|\d+(?=[.)](?:\s|$)))")


def to_markdown(document: Document) -> bytes:
    """The report as UTF-8 Markdown."""
    return ("\n\n".join(_blocks(document)) + "\n").encode()


def plain(text: str) -> str:
    """Text that Markdown shows letter by letter: no markup, no HTML, no link."""
    escaped = _SPECIAL.sub(r"\\\1", text)
    escaped = _LINK.sub(lambda match: f"{match[0]}\\", escaped)
    return _BLOCK.sub(_escaped_start, escaped)


def _escaped_start(match: re.Match[str]) -> str:
    """``- x``, ``1. x`` and the like would begin a list: what begins it is escaped."""
    start = match[0]
    return f"{start}\\" if start[0].isdigit() else f"\\{start}"


def _blocks(document: Document) -> Iterable[str]:
    words = document.words
    yield f"# {plain(document.title)}"
    yield f"*{plain(' · '.join(document.facts))}*"
    yield from _all(document.before)
    if not document.parts:
        yield words.nothing_found
    for part in document.parts:
        if part.heading:
            yield f"## {plain(part.heading)}"
        yield from (_paragraph(document, lines) for lines in part.paragraphs)
    yield from _all(document.after)
    if document.passages:
        yield f"## {words.passages}"
        yield from _passages(document)
    if document.sources:
        yield f"## {words.sources}"
        yield "\n".join(_sources(document))
    yield from _all(document.behind)
    yield f"*{plain(words.made_by.format(document.thread_id))}*"


def _paragraph(document: Document, lines: Sequence[Line]) -> str:
    text = " ".join(_line(document, line) for line in lines)
    return f"> {text}" if lines[0].quote else text


def _line(document: Document, line: Line) -> str:
    marks = "".join(f"[^{number}]" for number in line.numbers)
    follows, mark = document.follows(line), document.mark(line)
    said = [
        f"*{plain(line.case)}* " if line.case else "",
        plain(line.text),
        f" *({follows}* {marks}*)*" if follows else marks,
        f" **({plain(mark)})**" if mark else "",
    ]
    return "".join(said)


def _passages(document: Document) -> Iterable[str]:
    for passage in document.passages:
        remark = document.remark(passage)
        said = [
            f"[^{passage.number}]: **{plain(document.place(passage))}**",
            "" if passage.in_text else f" – {_quote(passage)}",
            f" *({remark})*" if remark else "",
        ]
        yield "".join(said)


def _quote(passage: Passage) -> str:
    case = f"*{plain(passage.case)}* " if passage.case else ""
    return f"{case}{plain(passage.quote)}"


def _sources(document: Document) -> Iterable[str]:
    for source in document.sources:
        name = f"**{plain(source.document)}**"
        title = "" if source.title == source.document else f": {plain(source.title)}"
        yield f"{source.number}. {name}{title}. {plain(document.description(source))}"


def _all(blocks: Iterable[Block]) -> Iterable[str]:
    for block in blocks:
        yield f"## {plain(block.title)}"
        if isinstance(block, Table):
            rule = ("---",) * len(block.header)
            yield "\n".join(map(_row, (block.header, rule, *block.rows)))
        else:
            yield "\n".join(f"- {plain(item)}" for item in block.items)


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cell if cell == '---' else plain(cell) for cell in cells)} |"
