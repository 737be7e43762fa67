"""The blocks that an exported document consists of; every format writes down the same ones."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from services.export.texts import one_line

Style = Literal["plain", "soft", "bold", "place", "quoted", "unproven", "raised"]
Kind = Literal["title", "heading", "soft", "text", "quote", "item", "bullet", "entry", "footer"]


@dataclass(frozen=True)
class Run:
    """Words in one style; ``target`` is the anchor that they link to."""

    text: str
    style: Style = "plain"
    target: str = ""


@dataclass(frozen=True)
class Paragraph:
    """Runs with a space between them, or one item of a list.

    An entry of a numbered list has a ``number`` and an ``anchor`` that links lead to. ``images``
    are the PNGs that PDF and DOCX show below it.
    """

    kind: Kind
    runs: tuple[Run, ...]
    number: int = 0
    anchor: str = ""
    images: tuple[bytes, ...] = ()

    @property
    def text(self) -> str:
        """Return the words without their styles."""
        return " ".join(run.text for run in self.runs)


@dataclass(frozen=True)
class Table:
    """A table; every row has as many cells as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[tuple[Run, ...], ...], ...]
    kind: Literal["table"] = "table"


Block = Paragraph | Table


def heading(text: str, kind: Kind = "heading") -> Paragraph:
    return Paragraph(kind, (Run(text),))


def bullet_list(title: str, texts: Iterable[str]) -> list[Block]:
    """Return a heading and a bullet for each text that is not empty; nothing if all are."""
    lines = [line for line in map(one_line, texts) if line]
    bullets: list[Block] = [Paragraph("bullet", (Run(line),)) for line in lines]
    return [heading(title), *bullets] if bullets else []


def titled_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[Block]:
    """Return a heading and a table of plain cells; nothing without rows."""
    cells = tuple(tuple((Run(cell),) for cell in row) for row in rows)
    return [heading(title), Table(tuple(header), cells)] if cells else []


def spaced(runs: Iterable[Run]) -> Iterator[Run]:
    """Put a space before each run but the first; no line begins with the number of a passage."""
    for index, run in enumerate(runs):
        if index and not run.text.startswith("\n"):
            yield Run("\u00a0" if run.style == "raised" else " ")
        yield run
