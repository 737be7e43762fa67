"""Grids and sweeps: ``engine.grids``."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from types import EllipsisType
from typing import Any

from agent.engine.connection import EnginePart
from agent.engine.jobs import CompareColumn, EstimateReading, ResumeThread, StopThread
from agent.grid.models import GridOptions
from services.catalog import ids
from services.domain.errors import AlreadyAnswered, InvalidInput
from services.domain.grids import (
    Cell,
    CellReview,
    Column,
    Contradiction,
    Estimate,
    Form,
    GridTable,
    RowKind,
    SweepGroup,
    SweepResult,
)
from services.domain.notices import Notice
from services.domain.runs import RunInfo, RunKind
from services.language.forms import normalise
from services.language.query.language import detect_language


def columns_of(questions: Sequence[tuple[str, Form]]) -> tuple[Column, ...]:
    """Return new columns, numbered from 1."""
    return tuple(
        Column(id=n, question=question, form=form)
        for n, (question, form) in enumerate(questions, start=1)
    )


class GridsPart(EnginePart):
    """The grids and sweeps of a person: threads that read every row, or every section."""

    def all(self) -> list[RunInfo]:
        """Return the person's grids and sweeps, newest first."""
        runs = self._catalog.runs.list(self._principal)
        return self._with_interrupted([run for run in runs if run.kind in ("grid", "sweep")])

    def create(
        self,
        name: str,
        columns: Sequence[Column],
        *,
        collections: Sequence[str] | None = None,
        documents: Sequence[str] = (),
        rows: RowKind = "documents",
        sweep: str | None = None,
        max_calls: int | None = None,
    ) -> str:
        """Create a grid, which nothing is read for yet; return its thread id.

        ``collections`` are names or ids, None for all that the person may read; ``documents`` file
        names or ids within them, empty for all. ``sweep`` is the thread whose list the rows are, if
        they are a sweep's. ``max_calls`` are the model calls for reading that a run makes at most,
        repairs aside.

        Raises InvalidInput if the name is empty, there are no columns, or nothing to read, and
        NotFound if a collection, a document or the sweep is unknown or may not be read.
        """
        if rows == "sweep":
            self._sweep(sweep or "")
        options = GridOptions(
            rows=rows,
            columns=_checked(columns),
            sweep=sweep,
            documents=tuple(documents),
            language=detect_language(" ".join(column.question for column in columns)),
            max_calls=max_calls,
        )
        return self._new("grid", name, options, collections)

    def sweep(
        self,
        question: str,
        *,
        collections: Sequence[str] | None = None,
        documents: Sequence[str] = (),
        counts: str = "",
        max_calls: int | None = None,
    ) -> str:
        """Create a sweep, which nothing is read for yet.

        ``counts`` says what is listed and what not; the other arguments and errors are those of
        ``create``.
        """
        options = GridOptions(
            language=detect_language(question),
            documents=tuple(documents),
            counts=counts.strip(),
            max_calls=max_calls,
        )
        return self._new("sweep", question, options, collections)

    def _new(
        self, kind: RunKind, name: str, options: GridOptions, collections: Sequence[str] | None
    ) -> str:
        if not name.strip():
            raise InvalidInput("The grid or sweep has no name or question yet. Enter one.")
        names = None if collections is None else tuple(collections)
        run = self._create(kind, name.strip(), options, names, None)
        self._catalog.runs.update(run.thread_id, status="paused")
        return run.thread_id

    def estimate(self, thread_id: str) -> Estimate:
        """Return what is still to be read, and what it takes; the rows are there afterwards."""
        self._run(thread_id)
        return self._do(EstimateReading(thread_id=thread_id))

    def run(self, thread_id: str) -> None:
        """Read what is unread; ``engine.threads.follow`` waits for it. Raises AlreadyAnswered
        meanwhile.
        """
        self._run(thread_id)
        self._do(ResumeThread(thread_id=thread_id))

    def stop(self, thread_id: str) -> None:
        """Stop reading; what has been read stays."""
        self._do(StopThread(thread_id=thread_id, cancel=False))

    def options(self, thread_id: str) -> GridOptions:
        """Return what was chosen for a grid or a sweep."""
        return GridOptions.model_validate(self._run(thread_id).options)

    def change(
        self,
        thread_id: str,
        *,
        columns: Sequence[Column] | None = None,
        documents: Sequence[str] | None = None,
        max_calls: int | EllipsisType | None = ...,
    ) -> None:
        """Change columns, documents or budget of a grid; the next run reads what is new.

        What is not given stays; the budget can be removed with None. A column that keeps its id
        keeps its cells unless its question or form has changed.
        """
        run = self._run(thread_id)
        if run.status in ("queued", "running"):
            raise InvalidInput("The grid is being read. Stop it, then change it.")
        changed: dict[str, Any] = {}
        if not isinstance(max_calls, EllipsisType):
            changed["max_calls"] = max_calls
        if columns is not None:
            changed["columns"] = _checked(columns)
        if documents is not None:
            changed["documents"] = tuple(documents)
        options = self.options(thread_id).model_copy(update=changed)
        self._catalog.runs.update(thread_id, options=options.model_dump(mode="json"))

    def table(self, thread_id: str) -> GridTable:
        """Return a grid with all its cells, each without what was read for it."""
        run, options = self._run(thread_id), self.options(thread_id)
        report = self._report(thread_id)
        return GridTable(
            thread_id=thread_id,
            name=run.title or run.question,
            status=run.status,
            rows_are=options.rows,
            columns=options.columns,
            rows=tuple(self._catalog.grids.rows(thread_id)),
            cells=tuple(_with_differences(self._cells(thread_id, options))),
            **_outcome(report),
        )

    def _cells(self, thread_id: str, options: GridOptions) -> list[Cell]:
        """Return the cells of a grid; a corrected one compares by what it was corrected to."""
        forms = {column.id: column.form for column in options.columns}
        cells = list(map(_as_accepted, self._catalog.grids.cells(thread_id)))
        for n, cell in enumerate(cells):
            if cell.review is not None and cell.review.corrected:
                form = forms.get(cell.column, "text")
                normal, amount = normalise(cell.review.value, form, options.language)
                cells[n] = cell.model_copy(update={"normal": normal, "amount": amount})
        return cells

    def cell(self, thread_id: str, row: str, column: int) -> Cell:
        """Return a cell with what was read for it; raises NotFound."""
        self._run(thread_id)
        return _as_accepted(self._catalog.grids.cell(thread_id, row, column))

    def read_again(self, thread_id: str, row: str, column: int) -> None:
        """Forget what was read for a cell, and read it anew; raises AlreadyAnswered as ``run``."""
        if self._run(thread_id).status in ("queued", "running"):
            raise AlreadyAnswered("Thread {thread} is already running.", thread=thread_id)
        self._catalog.grids.forget(thread_id, row, column)
        self.run(thread_id)

    def review(self, thread_id: str, row: str, column: int, value: str | None = None) -> None:
        """Accept the value of a cell, or correct it; raises InvalidInput if there is none to
        accept.
        """
        cell = self.cell(thread_id, row, column)
        decided = cell.value if value is None else value.strip()
        if cell.state is None and decided == cell.value:
            raise InvalidInput(
                "The cell has not been read yet. Run the grid, then accept its value."
            )
        columns = self.options(thread_id).columns
        review = CellReview(
            value=decided,
            corrected=decided != cell.value,
            by=self._principal.user,
            at=ids.now(),
            question=next((c.question for c in columns if c.id == column), ""),
        )
        self._catalog.grids.review(thread_id, row, column, review)

    def withdraw_review(self, thread_id: str, row: str, column: int) -> None:
        """Take back what a person said of a cell."""
        self._run(thread_id)
        self._catalog.grids.review(thread_id, row, column, None)

    def contradictions(self, thread_id: str, column: int) -> list[Contradiction]:
        """Have a model find contradictions among what was read for a column; none without one."""
        self._run(thread_id)
        return self._do(CompareColumn(thread_id=thread_id, column=column))

    def result(self, thread_id: str) -> SweepResult:
        """Return what a sweep has found so far, grouped once it has ended."""
        run = self._sweep(thread_id)
        report = self._report(thread_id)
        read, total = self._catalog.grids.counts(thread_id)
        groups = [SweepGroup.model_validate(group) for group in report.get("groups", ())]
        if run.status != "done":
            groups = list(self._found_so_far(thread_id))
        return SweepResult(
            thread_id=thread_id,
            question=run.question,
            status=run.status,
            reads=bool(report.get("reads", True)),
            counts=str(run.options.get("counts", "")),
            groups=tuple(groups),
            contradictions=tuple(
                Contradiction.model_validate(pair) for pair in report.get("contradictions", ())
            ),
            sections_read=read,
            sections=total,
            **_outcome(report),
        )

    def _found_so_far(self, thread_id: str) -> Iterator[SweepGroup]:
        for _, reading in self._catalog.grids.readings(thread_id):
            for finding in reading.findings:
                yield SweepGroup(value=finding.value, text=finding.claim, findings=(finding,))

    def copy(self, thread_id: str, name: str) -> str:
        """Return a new grid with the same rows and columns; nothing of it is read again."""
        run = self._run(thread_id)
        return self._new(run.kind, name, self.options(thread_id), run.searched)

    def export(self, thread_id: str, format_name: str) -> bytes:
        """Return a grid or a sweep in one of ``services.export.formats.GRID_FORMATS``.

        Raises InvalidInput for another format.
        """
        from agent.engine.exports import export_listing

        run = self._run(thread_id)
        listed = self.result(thread_id) if run.kind == "sweep" else self.table(thread_id)
        return export_listing(listed, self.options(thread_id), format_name, self._catalog.grids)

    def _report(self, thread_id: str) -> dict[str, Any]:
        return self._catalog.runs.report(self._principal, thread_id) or {}

    def _run(self, thread_id: str) -> RunInfo:
        run = self._catalog.runs.get(self._principal, thread_id)
        if run.kind not in ("grid", "sweep"):
            raise InvalidInput("Thread {thread} is neither a grid nor a sweep.", thread=thread_id)
        return self._with_interrupted([run])[0]

    def _sweep(self, thread_id: str) -> RunInfo:
        run = self._run(thread_id)
        if run.kind != "sweep":
            raise InvalidInput("Thread {thread} is not a sweep.", thread=thread_id)
        return run


def _checked(columns: Sequence[Column]) -> tuple[Column, ...]:
    if not columns:
        raise InvalidInput("A grid needs at least one column. Enter a question.")
    if len({column.id for column in columns}) < len(columns):
        raise InvalidInput("Two columns have the same number. Give each its own.")
    return tuple(columns)


def _as_accepted(cell: Cell) -> Cell:
    """Return a cell without the acceptance of another value than it has now."""
    review = cell.review
    if review is None or review.corrected or (cell.state and review.value == cell.value):
        return cell
    return cell.model_copy(update={"review": None})


def _with_differences(cells: Sequence[Cell]) -> Iterator[Cell]:
    """Mark the cells whose value is not that of more than half of their column."""
    values: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for cell in cells:
        if cell.normal:
            values[cell.column][cell.normal] += 1
    usual = {
        column: value
        for column, counts in values.items()
        for value, count in counts.most_common(1)
        if count > 1 and 2 * count > counts.total()
    }
    for cell in cells:
        differs = bool(cell.normal) and usual.get(cell.column, cell.normal) != cell.normal
        yield cell.model_copy(update={"differs": differs}) if differs else cell


def _outcome(report: dict[str, Any]) -> dict[str, Any]:
    """Return what the runs of a thread cost, with their warnings, and why the last one stopped."""
    stopped, usage = report.get("stopped"), report.get("usage", {})
    return {
        "calls": int(usage.get("calls", 0)),
        "tokens": int(usage.get("tokens", 0)),
        "seconds": float(usage.get("seconds", 0.0)),
        "warnings": tuple(map(Notice.model_validate, report.get("warnings", ()))),
        "stopped": None if stopped is None else Notice.model_validate(stopped),
    }
