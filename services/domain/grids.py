"""Grids and sweeps: the same questions to many documents, one question to every section."""

from typing import Final, Literal

from pydantic import Field

from services.domain.answers import Citation
from services.domain.notices import Notice
from services.domain.runs import RunStatus
from services.domain.value import DocumentSpan, Value

Form = Literal["text", "yesno", "number", "date", "party", "list"]
"""What a column's values look like. A ``list`` has a value for every item."""
YES_NO: Final = {"yes": "yes", "no": "no", "ja": "yes", "nein": "no"}
"""The words that the prompts offer, as they are compared."""
RowKind = Literal["documents", "sections", "sweep"]
"""What the rows of a grid are: documents, their sections, or what a sweep listed."""
CellState = Literal["verified", "to_check", "absent", "closest"]
"""``verified``: proven and verified. ``to_check``: quoted, but not all of it is verified; without a
value, a model quoted words that are not there. ``absent``: all sections were read, and none says
it. ``closest``: no model read, these are the closest words.
"""
MOST_COLUMNS: Final = 40
SWEPT: Final = 1
"""The id of the only column of a sweep."""


class Column(Value):
    """A question to every row. A column that is edited keeps its ``id``, counted from 1."""

    id: int = Field(ge=1)
    question: str = Field(min_length=1, max_length=500)
    form: Form = "text"


class GridRow(DocumentSpan):
    """What the cells of a row are read from: a document, a section, or what a sweep listed.

    A sweep's item is read about in all documents and has no document of its own.
    """

    id: str
    name: str
    text_id: str = ""


class Finding(Value):
    """A value with the claim that states it and the quotes that prove the claim.

    ``normal`` is the value as values are compared (``2027-03-01``, ``3 month``, ``yes``), and
    ``amount`` as they are sorted, None if it is neither number nor date. ``doubt`` are the words
    that nothing proves, "" for a proven one. ``row`` is the section in which a sweep found it.
    """

    value: str
    normal: str
    claim: str
    citations: tuple[Citation, ...]
    amount: float | None = None
    doubt: str = ""
    row: str = ""


class CellReading(Value):
    """What was read for a cell: ``sections_read`` of the ``sections`` of its row."""

    state: CellState
    findings: tuple[Finding, ...] = ()
    sections_read: int = 0
    sections: int = 0
    model: str = ""

    @property
    def value(self) -> str:
        return "; ".join(dict.fromkeys(finding.value for finding in self.findings))

    @property
    def normal(self) -> str:
        return "; ".join(sorted({finding.normal for finding in self.findings}))

    @property
    def amount(self) -> float | None:
        return self.findings[0].amount if self.findings else None


class CellReview(Value):
    """A person has accepted a cell's value, or corrected it; ``at`` is ISO 8601 in UTC.

    ``question`` is that of its column then, "" if an earlier version kept the review.
    """

    value: str
    corrected: bool
    by: str
    at: str
    question: str = ""


class Cell(Value):
    """A cell as a table shows it. ``state`` is None until it has been read.

    ``differs``: its value is not that of most rows. ``reading`` is there if the cell was asked for
    alone.
    """

    row: str
    column: int
    state: CellState | None = None
    value: str = ""
    normal: str = ""
    amount: float | None = None
    differs: bool = False
    review: CellReview | None = None
    reading: CellReading | None = None


class Estimate(Value):
    """What is still to be read, and what it takes: model calls, tokens of prompts, seconds.

    ``seconds`` is None where the speed of the model is unknown; without a model that reads there
    are no calls. ``counts`` says what a sweep lists and what not.
    """

    cells: int
    cells_left: int
    calls: int
    tokens: int
    seconds: float | None
    reads: bool
    counts: str = ""


class Contradiction(Value):
    """Two findings that cannot both hold for the same case, and why."""

    first: Finding
    second: Finding
    why: str


class ReadingCost(Value):
    """What the runs of a grid or a sweep took, and why the last one stopped early."""

    thread_id: str
    status: RunStatus
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    warnings: tuple[Notice, ...] = ()
    stopped: Notice | None = None


class GridTable(ReadingCost):
    """A grid with all its rows and cells, the cells row by row in the order of the columns."""

    name: str
    rows_are: RowKind
    columns: tuple[Column, ...]
    rows: tuple[GridRow, ...] = ()
    cells: tuple[Cell, ...] = ()

    @property
    def cells_read(self) -> int:
        return sum(cell.state is not None for cell in self.cells)


class SweepGroup(Value):
    """Findings that say the same, from one or more sections; ``text`` is their best wording."""

    value: str
    text: str
    findings: tuple[Finding, ...]


class SweepResult(ReadingCost):
    """What the sections of a scope say to a question that asks for all.

    ``sections_read`` of ``sections`` have been read by a model; without one ``reads`` is False and
    the groups are the closest places. ``stopped`` says why not all were read.
    """

    question: str
    reads: bool
    counts: str = ""
    groups: tuple[SweepGroup, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    sections_read: int = 0
    sections: int = 0

    @property
    def nowhere(self) -> bool:
        """Return whether a model has read all sections, and none says it."""
        complete = self.sections_read == self.sections > 0
        return self.reads and complete and not self.groups
