"""The columns of tables without rules on a PDF page, and where pieces of text stand in them.

Coordinates are points in the page as displayed, as in `lines`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.ingestion.parsers.pdf.columns import Row
from services.ingestion.parsers.pdf.lines import Line

FEWEST_ROWS: Final = 3
MOST_OTHERS: Final = 2
"""Lines that may follow one another within a table though they do not fit its columns."""
FURNITURE_LINES: Final = 4
"""Lines that may stand between the edge of a page and a table that goes on over it."""
_DISTANT: Final = 3.0
"""Distance of rows, in their heights, at which a table ends."""
_OTHER_SIZE: Final = 1.25
_APART: Final = 0.4
"""Distance, in heights of their letters, at which words begin a new column."""
_CLOSED: Final = 0.1
"""Distance of columns, in heights, at which nothing parts them."""

Column = tuple[float, float]
"""The leftmost and the rightmost x of its cells."""
Cells = dict[int, Line]
"""The cells of a row by the numbers of their columns."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with their columns; those that fit no columns have no cells."""

    rows: Sequence[Row]
    columns: Sequence[Column]
    cells: Sequence[Cells]

    @property
    def filled(self) -> list[Cells]:
        return [cells for cells in self.cells if cells]

    def texts(self) -> list[list[str]]:
        """Return the texts of each row, "" for an empty cell."""
        numbers = range(len(self.columns))
        return [[cells[n].text if n in cells else "" for n in numbers] for cells in self.cells]


def drop(above: Row, below: Row) -> float:
    """Return by how many points a row stands below another one."""
    return above.pieces[0].baseline - below.pieces[0].baseline


def is_near(above: Row, below: Row) -> bool:
    """Return whether a row is below another one, and no table ends between them."""
    return 0 < drop(above, below) <= _DISTANT * max(above.pieces[0].height, below.pieces[0].height)


def is_same_size(above: Row, below: Row) -> bool:
    """Return whether the letters of two rows have about one size."""
    small, large = sorted((above.pieces[0].height, below.pieces[0].height))
    return large <= _OTHER_SIZE * small


def columns_at(columns: Sequence[Column], word: Line) -> tuple[list[int], float]:
    """Return the columns that a word overlaps, or else the nearest, and how far it keeps apart."""
    over = [n for n, (x0, x1) in enumerate(columns) if word.x0 < x1 and x0 < word.x1]
    if over:
        return over, _CLOSED * word.height
    nearest, distance = nearest_column(columns, word)
    apart = _APART * word.height
    return [nearest] if distance < apart else [], apart


def nearest_column(columns: Sequence[Column], piece: Line) -> tuple[int, float]:
    """Return the column that is nearest to a piece, and its distance."""
    distances = [max(x0 - piece.x1, piece.x0 - x1) for x0, x1 in columns]
    distance = min(distances, default=float("inf"))
    return (distances.index(distance) if distances else 0), distance
