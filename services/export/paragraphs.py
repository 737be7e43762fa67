"""A document as paragraphs of styled words, in order: what PDF and DOCX write down."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from services.export.blocks import Block, Items, Table
from services.export.document import Document, Passage, Source
from services.export.layout import Line


@dataclass(frozen=True)
class Run:
    """Words of one style; ``target`` is the anchor to which they lead."""

    text: str
    style: Literal["plain", "soft", "bold", "place", "raised"] = "plain"
    target: str = ""


Kind = Literal["title", "soft", "heading", "text", "quote", "item", "entry", "bullet", "footer"]
KINDS: Final[Mapping[str, Kind]] = {"prose": "text", "quote": "quote", "item": "item"}


@dataclass(frozen=True)
class Paragraph:
    """``number`` and ``anchor`` are those of an entry, to which links lead.

    ``pictured`` tells that a picture of it follows.
    """

    kind: Kind
    runs: tuple[Run, ...]
    number: int = 0
    anchor: str = ""
    pictured: bool = False


@dataclass(frozen=True)
class Picture:
    """What a page shows of a place, as PNG, and its words for who does not see it."""

    png: bytes
    words: str


@dataclass(frozen=True)
class Grid:
    """A table; every row has as many cells as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[tuple[Run, ...], ...], ...]


Piece = Paragraph | Picture | Grid


def paragraphs(document: Document) -> Iterator[Piece]:
    """All that a document says."""
    words = document.words
    yield Paragraph("title", (Run(document.title),))
    yield Paragraph("soft", (Run(" · ".join(document.facts), "soft"),))
    yield from _all(document.before)
    if not document.parts:
        yield Paragraph("text", (Run(words.nothing_found),))
    for part in document.parts:
        if part.heading:
            yield _heading(part.heading)
        for lines in part.paragraphs:
            yield from _together(document, lines)
    yield from _all(document.after)
    if document.passages:
        yield _heading(words.passages)
        for passage in document.passages:
            yield _passage(document, passage)
            yield from (Picture(png, passage.quote) for png in passage.pictures)
    if document.sources:
        yield _heading(words.sources)
        yield from (_source(document, source) for source in document.sources)
    yield from _all((*document.behind, *document.appendix))
    yield Paragraph("footer", (Run(document.made_by, "soft"),))


def _heading(text: str) -> Paragraph:
    return Paragraph("heading", (Run(text),))


def _together(document: Document, lines: Sequence[Line]) -> Iterator[Piece]:
    """Lines as a paragraph, a list or a table; a row has its numbers in the last cell."""
    form = lines[0].form
    if form == "row":
        rows = (
            (*((Run(cell),) for _, cell in line.cells[:-1]), _spaced([*_line(document, line)]))
            for line in lines
        )
        yield Grid(lines[0].columns, tuple(rows))
        return
    groups = [[line] for line in lines] if form == "item" else [lines]
    for group in groups:
        runs = [run for line in group for run in _line(document, line)]
        yield Paragraph(KINDS[form], _spaced(runs))


def _all(blocks: Iterable[Block]) -> Iterator[Paragraph | Grid]:
    for block in blocks:
        alone = isinstance(block, Items) and not block.items
        yield Paragraph("title", (Run(block.title),)) if alone else _heading(block.title)
        if isinstance(block, Table):
            yield Grid(
                block.header, tuple(tuple((Run(cell),) for cell in row) for row in block.rows)
            )
        else:
            yield from (Paragraph("bullet", (Run(item),)) for item in block.items)


def _line(document: Document, line: Line) -> Iterator[Run]:
    if line.case:
        yield Run(line.case, "soft")
    yield Run(line.shown)
    if mark := document.mark(line):
        yield Run(f"({mark})", "bold")
    yield from (Run(str(number), "raised", f"passage-{number}") for number in line.numbers)
    if note := document.note(line):
        yield Run(f"[{note}]", "soft")


def _passage(document: Document, passage: Passage) -> Paragraph:
    target = f"source-{passage.source}" if passage.source else ""
    runs = [Run(document.place(passage), "place", target)]
    if not passage.in_text:
        runs.append(Run(": "))
        if passage.case:
            runs += [Run(passage.case, "soft"), Run(" ")]
        runs.append(Run(passage.quote))
    if remark := document.remark(passage):
        runs.append(Run(f" ({remark})", "soft"))
    anchor = f"passage-{passage.number}"
    return Paragraph("entry", tuple(runs), passage.number, anchor, bool(passage.pictures))


def _source(document: Document, source: Source) -> Paragraph:
    title = "" if source.title == source.document else f": {source.title}"
    runs = (
        Run(source.document, "bold"),
        Run(f"{title}\n"),
        Run(document.description(source), "soft"),
    )
    return Paragraph("entry", runs, source.number, f"source-{source.number}")


def _spaced(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Runs with a blank between each two; no line begins with a number of a place."""
    spaced = [each for run in runs for each in (_blank(run), run)]
    return tuple(spaced[1:])


def _blank(before: Run) -> Run:
    return Run("\u00a0" if before.style == "raised" else " ")
