"""What models read in texts: rows and cells of grids and sweeps, and summaries."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Select, and_, delete, func, select, true, update

from services.catalog import ids
from services.catalog.database import Repository, batches, insert_missing, one_of
from services.catalog.models import ContentRow, Json, ReadingRow, SummaryRow, TextRow
from services.catalog.work_models import GridCellRow, GridRowRow
from services.domain.answers import DocumentSummary
from services.domain.errors import NotFound
from services.domain.grids import Cell, CellReading, CellReview, Column, GridRow

OF_CELL = ReadingRow.key == GridCellRow.key
OF_READING: Final = ("state", "value", "normal", "amount")
CELLS: Final = TypeAdapter(list[Cell])


class Grids(Repository):
    """Reads and writes grids. Access to threads and texts has been checked.

    A reading is found by its key, whichever grid asks: the same question to the same text, put to
    the same model, is read once. What one cell has read again is that cell's alone.
    """

    def set_rows(
        self,
        thread_id: str,
        rows: Sequence[GridRow],
        columns: Sequence[Column],
        keys: Sequence[Sequence[tuple[int, str]]],
    ) -> None:
        """Replace the rows of a grid and their cells, whose ``keys`` are by column id.

        A cell keeps what a person said of it as long as the question of its column stays, and what
        it has read again as long as its key stays, in which the model stands behind a colon.
        """
        of_thread = GridCellRow.thread_id == thread_id
        questions = {column.id: column.question for column in columns}
        cell = (GridCellRow.row_id, GridCellRow.column_id, GridCellRow.key, GridCellRow.review)
        with self._database.write(journal=True) as session:
            before = [(*row,) for row in session.execute(select(*cell).where(of_thread))]
            carried_over = _carried_over(before, questions)
            session.execute(delete(GridRowRow).where(GridRowRow.thread_id == thread_id))
            session.execute(delete(GridCellRow).where(of_thread))
            new = [
                {"thread_id": thread_id, "row_id": row.id, "position": position}
                | {"content": row.model_dump(mode="json")}
                for position, row in enumerate(rows)
            ]
            insert_missing(session, GridRowRow, new)
            cells = (
                {"thread_id": thread_id, "row_id": row.id, "column_id": column}
                | carried_over(row.id, column, key)
                for row, columns in zip(rows, keys, strict=True)
                for column, key in columns
            )
            for batch in batches(cells):
                insert_missing(session, GridCellRow, batch)

    def rows(self, thread_id: str, row_ids: Iterable[str] | None = None) -> list[GridRow]:
        """Return the rows of a grid in order, all or those with the given ids."""
        query = select(GridRowRow.content).where(GridRowRow.thread_id == thread_id)
        with self._database.read() as session:
            if row_ids is not None:
                query = query.where(one_of(session, GridRowRow.row_id, row_ids))
            contents = session.scalars(query.order_by(GridRowRow.position))
            return [GridRow.model_validate(content) for content in contents]

    def unread(self, thread_id: str, after: int, most: int) -> list[tuple[int, str]]:
        """Return position and id of the next rows after a position with cells to be read."""
        position, row_id = GridRowRow.position, GridRowRow.row_id
        query = _unread(thread_id).with_only_columns(position, row_id).where(position > after)
        ordered = query.group_by(position, row_id).order_by(position).limit(most)
        return [(number, row) for number, row in self._database.rows(ordered)]

    def unread_cells(
        self, thread_id: str, row_ids: Sequence[str]
    ) -> list[tuple[GridRow, dict[int, str]]]:
        """Return those of some rows that are still to be read, with the keys of their cells."""
        query = _unread(thread_id).where(GridRowRow.row_id.in_(row_ids))
        rows: dict[str, tuple[GridRow, dict[int, str]]] = {}
        ordered = query.order_by(GridRowRow.position, GridCellRow.column_id)
        for content, column, key in self._database.rows(ordered):
            row = GridRow.model_validate(content)
            rows.setdefault(row.id, (row, {}))[1][column] = key
        return list(rows.values())

    def counts(self, thread_id: str) -> tuple[int, int]:
        """Return how many cells of a grid have been read, and how many it has."""
        query = (
            select(func.count(ReadingRow.key), func.count())
            .select_from(GridCellRow)
            .outerjoin(ReadingRow, OF_CELL)
            .where(GridCellRow.thread_id == thread_id)
        )
        ((read, total),) = self._database.rows(query)
        return read, total

    def cells(self, thread_id: str) -> list[Cell]:
        """Return the cells of a grid row by row, each without what was read for it."""
        query = (
            select(
                GridCellRow.row_id,
                GridCellRow.column_id,
                ReadingRow.state,
                func.coalesce(ReadingRow.value, ""),
                func.coalesce(ReadingRow.normal, ""),
                ReadingRow.amount,
                GridCellRow.review,
            )
            .join(GridRowRow, _of_row())
            .outerjoin(ReadingRow, OF_CELL)
            .where(GridCellRow.thread_id == thread_id)
            .order_by(GridRowRow.position, GridCellRow.column_id)
        )
        names = ("row", "column", *OF_READING, "review")
        rows = self._database.rows(query)
        return CELLS.validate_python([dict(zip(names, row, strict=True)) for row in rows])

    def cell(self, thread_id: str, row_id: str, column: int) -> Cell:
        """Return a cell with what was read for it; raises NotFound."""
        query = (
            select(GridCellRow, ReadingRow)
            .outerjoin(ReadingRow, OF_CELL)
            .where(_is_cell(thread_id, row_id, column))
        )
        rows = self._database.rows(query)
        if not rows:
            raise _no_cell()
        ((cell, reading),) = rows
        fields = {"row": row_id, "column": column, "review": cell.review}
        if reading is not None:
            fields |= {name: getattr(reading, name) for name in OF_READING}
            fields["reading"] = reading.content
        return Cell.model_validate(fields)

    def readings(self, thread_id: str, column: int | None = None) -> list[tuple[str, CellReading]]:
        """Return what was read for each cell, of all columns or one, with the ids of the rows."""
        of_column = true() if column is None else GridCellRow.column_id == column
        query = (
            select(GridCellRow.row_id, ReadingRow.content)
            .join(GridRowRow, _of_row())
            .join(ReadingRow, OF_CELL)
            .where(GridCellRow.thread_id == thread_id, of_column)
            .order_by(GridRowRow.position, GridCellRow.column_id)
        )
        return [
            (row_id, CellReading.model_validate(content))
            for row_id, content in self._database.rows(query)
        ]

    def put(self, readings: Sequence[tuple[str, str, CellReading]]) -> None:
        """Store readings with their keys and texts, unless there is one, or the text is gone."""
        rows = [
            {"key": key, "text_id": text_id or None, "made_at": ids.now()}
            | {name: getattr(reading, name) for name in OF_READING}
            | {"content": reading.model_dump(mode="json")}
            for key, text_id, reading in readings
        ]
        texts = {text_id for _, text_id, _ in readings}
        with self._database.write(journal=True) as session:
            stored = select(TextRow.text_id).where(TextRow.text_id.in_(texts))
            present = {None, *session.scalars(stored)}
            insert_missing(session, ReadingRow, [row for row in rows if row["text_id"] in present])

    def forget(self, thread_id: str, row_id: str, column: int) -> None:
        """Give a cell a key of its own, so that it is read anew; other cells keep the reading."""
        cell = _is_cell(thread_id, row_id, column)
        if key := self._database.scalar(select(GridCellRow.key).where(cell)):
            renewed = f"{_shared(key)}:{uuid.uuid4().hex}"
            self._database.execute(update(GridCellRow).where(cell).values(key=renewed))

    def review(self, thread_id: str, row_id: str, column: int, review: CellReview | None) -> None:
        """Keep what a person says of a cell; None takes it back. Raises NotFound."""
        value = None if review is None else review.model_dump(mode="json")
        cell = update(GridCellRow).where(_is_cell(thread_id, row_id, column))
        if not self._database.execute(cell.values(review=value)):
            raise _no_cell()


def _no_cell() -> NotFound:
    return NotFound("The grid has no such cell. Run it again if its columns have changed.")


def _unread(thread_id: str) -> Select[Json, int, str]:
    """Select the cells of a grid that are still to be read, with their rows."""
    return (
        select(GridRowRow.content, GridCellRow.column_id, GridCellRow.key)
        .join(GridCellRow, _of_row())
        .outerjoin(ReadingRow, OF_CELL)
        .where(GridRowRow.thread_id == thread_id, ReadingRow.key.is_(None))
    )


def _of_row() -> ColumnElement[bool]:
    return and_(
        GridCellRow.thread_id == GridRowRow.thread_id, GridCellRow.row_id == GridRowRow.row_id
    )


def _is_cell(thread_id: str, row_id: str, column: int) -> ColumnElement[bool]:
    return and_(
        GridCellRow.thread_id == thread_id,
        GridCellRow.row_id == row_id,
        GridCellRow.column_id == column,
    )


def _carried_over(
    cells: Iterable[tuple[str, int, str, Json | None]], questions: Mapping[int, str]
) -> Callable[[str, int, str], dict[str, object]]:
    """Return what gives a cell its former key and review (by key if it has no question)."""
    reviews: dict[tuple[str, int, str], Json] = {}
    renewed: dict[tuple[str, int, str], str] = {}
    for row, column, key, review in cells:
        renewed[row, column, _shared(key)] = key
        if review is not None:
            reviews[row, column, str(review.get("question") or _without_model(key))] = review

    def of_cell(row: str, column: int, key: str) -> dict[str, object]:
        same = reviews.get((row, column, questions[column]))
        review = same or reviews.get((row, column, _without_model(key)))
        return {"key": renewed.get((row, column, key), key), "review": review}

    return of_cell


def _shared(key: str) -> str:
    return ":".join(key.split(":")[:2])


def _without_model(key: str) -> str:
    return key.partition(":")[0]


class Summaries(Repository):
    """One summary for each text, model and version of the prompts; ``made_by`` names the two."""

    def put(self, text_id: str, made_by: str, content: Json, *, complete: bool) -> None:
        """Store a summary, or the notes for an incomplete one, unless the text was deleted."""
        key = {"text_id": text_id, "made_by": made_by}
        row = SummaryRow(**key, complete=complete, content=content, made_at=ids.now())
        with self._database.write() as session:
            if session.scalar(select(TextRow.text_id).filter_by(text_id=text_id)) is not None:
                session.execute(delete(SummaryRow).filter_by(**key))
                session.add(row)

    def get(self, text_id: str, made_by: str) -> SummaryRow | None:
        key = {"text_id": text_id, "made_by": made_by}
        return self._database.scalar(select(SummaryRow).filter_by(**key))

    def newest(self, document_id: str) -> DocumentSummary | None:
        """Return the newest complete summary of the current text of a document."""
        query = (
            select(SummaryRow)
            .join(ContentRow, ContentRow.text_id == SummaryRow.text_id)
            .where(ContentRow.content_id == document_id, SummaryRow.complete)
            .order_by(SummaryRow.made_at.desc())
        )
        if (row := self._database.scalar(query.limit(1))) is None:
            return None
        return DocumentSummary.model_validate({**row.content, "made_at": row.made_at})

    def missing(self, document_ids: Sequence[str]) -> tuple[str, ...]:
        """Return those of the documents whose current text has no complete summary."""
        query = select(ContentRow.content_id).join(
            SummaryRow, ContentRow.text_id == SummaryRow.text_id
        )
        with self._database.read() as session:
            these = one_of(session, ContentRow.content_id, document_ids)
            summarised = set(session.scalars(query.where(these, SummaryRow.complete)))
        return tuple(id for id in document_ids if id not in summarised)
