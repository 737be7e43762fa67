"""Tables of a report: rows as a model writes them, and as they are verified and shown."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from agent.prompts import say
from agent.prompts.reading import WrittenSentence
from agent.reading.prove import Claim

WrittenLine = tuple[WrittenSentence, Claim, str]
"""A sentence as it was written, as it was checked, and its form."""


def table_row(text: str, columns: Sequence[str]) -> str | None:
    """Return a table row as ``Column: cell | Column: cell``; None if it has other cells."""
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    if len(columns) < 2 or len(cells) != len(columns):
        return None
    return " | ".join(f"{name}: {cell}" for name, cell in zip(columns, cells, strict=True))


def checked_row(row: str, text: str, language: str) -> str | None:
    """Return the row as it was verified (``text``), which may have lost the names of its columns.

    It says so where nothing was found: a dash reads as if there were nothing. None if it has
    other cells than the row that was written.
    """
    names = [cell.partition(": ")[0] for cell in row.split(" | ")]
    cells = [cell.strip() for cell in text.split("|")]
    if len(cells) != len(names):
        return None
    values = [cell.removeprefix(f"{name}:") for name, cell in zip(names, cells, strict=True)]
    filled = [
        value.strip() if any(map(str.isalnum, value)) else say(language, "empty_cell")
        for value in values
    ]
    return " | ".join(f"{name}: {value}" for name, value in zip(names, filled, strict=True))


def whole_tables(lines: Iterable[WrittenLine]) -> Iterator[WrittenLine]:
    """Put the rows with a fault behind the others: what replaces them would divide the table."""
    for is_table, run in groupby(lines, key=lambda line: line[2] == "table"):
        yield from sorted(run, key=lambda line: is_table and bool(line[1].fault))
