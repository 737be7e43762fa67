"""Quantities with units and dates, by their value: ``20 mSv`` and ``20 Millisievert`` are one."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from services.knowledge_graph.structure.source import Source, Window
from services.quantities.parse import Quantity, quantities

_TIMES = ("month", "day", "s")


class Measure(NamedTuple):
    """A quantity or date where it stands; ``node_id`` tells its value."""

    node_id: str
    name: str
    owner: str
    start: int
    end: int


def measures(source: Source, pieces: Iterable[Window]) -> Iterator[Measure]:
    """What the windows measure and date, in order."""
    for piece in pieces:
        for found in quantities(source.text[piece.start : piece.end], source.language):
            node_id = _identity(found)
            if node_id is not None:
                start, end = piece.start + found.start, piece.start + found.end
                name = " ".join(source.text[start:end].split())
                yield Measure(node_id, name, piece.owner, start, end)


def _identity(found: Quantity) -> str | None:
    """Kind and value; None for a bare number, a count or what counts nothing."""
    if found.unit == "date":
        digits = f"{int(found.number):08d}"
        return f"date:{digits[:4]}-{digits[4:6]}-{digits[6:]}"
    if found.article or not (found.measured or found.unit in _TIMES):
        return None
    return f"quantity:{found.value:.6g} {found.unit}"
