"""Tables of a report: rows as a model writes them, and as they are verified and shown."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from agent.prompts import say
from agent.prompts.reading import WrittenSentence
from agent.reading.prove import Claim

WrittenLine = tuple[WrittenSentence, Claim, str]
"""A sentence as it was written, as it was checked, and its form."""
_DASHES: Final = " -–—"


def table_row(text: str, columns: Sequence[str]) -> str | None:
    """Return a table row as ``Column: cell | Column: cell``; None if it has other cells."""
    cells = _cells(text)
    if len(columns) < 2 or len(cells) != len(columns):
        return None
    return " | ".join(f"{name}: {cell}" for name, cell in zip(columns, cells, strict=True))


def checked_row(row: str, text: str, language: str) -> str | None:
    """Return the row as it was verified (``text``), which may have lost the names of its columns.

    It says so where nothing was found. None if it has other cells than the row that was written.
    """
    names, cells = _columns(row), _cells(text)
    if len(cells) != len(names):
        return None
    named = {
        name: cell[len(name) + 1 :]
        for cell in cells
        for name in names
        if cell.startswith(f"{name}:")
    }
    if len(named) == len(names):
        cells = [named[name] for name in names]
    empty = say(language, "empty_cell")
    pairs = zip(names, cells, strict=True)
    return " | ".join(
        f"{name}: {cell.strip() if cell.strip(_DASHES) else empty}" for name, cell in pairs
    )


def whole_tables(lines: Iterable[WrittenLine]) -> Iterator[WrittenLine]:
    """Put what is no row of a table any more behind its rows: it would divide the table."""
    for columns, run in groupby(lines, key=_table_of):
        yield from sorted(run, key=lambda line: bool(columns) and not _is_row(line))


def _table_of(line: WrittenLine) -> tuple[str, ...]:
    written, _claim, form = line
    return tuple(_columns(written.text)) if form == "table" else ()


def _is_row(line: WrittenLine) -> bool:
    written, claim, _form = line
    return not claim.fault and len(_cells(claim.text)) == len(_columns(written.text))


def _columns(row: str) -> list[str]:
    return [cell.partition(": ")[0] for cell in row.split(" | ")]


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in text.strip().strip("|").split("|")]
