"""What a person chose for a grid or a sweep. The path of this module is frozen."""

from pydantic import Field

from agent.models import Options
from services.domain import Language
from services.domain.grids import MOST_COLUMNS, Column, RowKind


class GridOptions(Options, extra="ignore"):
    """Rows and columns of a grid; a sweep's rows are sections, its only column is its question.

    ``sweep`` is the thread whose list the rows are. ``language`` is that of values and claims.
    ``counts`` says what a sweep lists and what not; a model says it if nobody has.
    A run begins no row that takes more calls than are left of ``max_calls``; repairs come on top.
    """

    rows: RowKind = "documents"
    columns: tuple[Column, ...] = Field(default=(), max_length=MOST_COLUMNS)
    sweep: str | None = None
    language: Language = "en"
    counts: str = Field(default="", max_length=2_000)
    max_calls: int | None = Field(default=None, ge=1)
