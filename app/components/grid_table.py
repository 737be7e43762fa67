"""The table of a grid: one row a document, one column a question, each cell with its signs.

The browser draws only the cells in sight. It would sort a column by its letters, so a click on a
heading sorts here: by amount where there is one.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

import streamlit as st

from app.formats import one_line
from app.locale import N_
from app.session import _, format_dates, format_number, set_address
from services.domain.grids import YES_NO, Cell, Form, GridRow, GridTable, RowKind

SIGNS: Final = {
    "to_check": ("?", N_("to check")),
    "differs": ("≠", N_("differs from most rows")),
    "absent": ("–", N_("not in the document")),
    "closest": ("≈", N_("closest quotes, not read by a model")),
    "accepted": ("✓", N_("accepted")),
    "corrected": ("✎", N_("corrected")),
    "unread": ("…", N_("not read yet")),
}
ABSENT: Final[dict[RowKind, str]] = {
    "documents": N_("not in the document"),
    "sections": N_("not in the section"),
    "sweep": N_("not found"),
}
ANSWERS: Final = {"yes": N_("yes"), "no": N_("no")}
NAME: Final = "name"
NAME_WIDTH, ROW_HEIGHT, VISIBLE_ROWS, VALUE_LENGTH = 180, 36, 14, 300


class Line(NamedTuple):
    """A row with its cells in the order of the columns."""

    row: GridRow
    cells: Sequence[Cell]

    @property
    def text(self) -> str:
        return " ".join([self.row.name, *map(value_of, self.cells)]).casefold()


def marks_of(cell: Cell) -> tuple[str, ...]:
    """Return what is special about a cell, by the names in `SIGNS`."""
    state: str = cell.state or "unread"
    if cell.review is not None:
        state = "corrected" if cell.review.corrected else "accepted"
    differs = cell.differs and state != "closest"
    return (("differs",) if differs else ()) + ((state,) if state in SIGNS else ())


def value_of(cell: Cell) -> str:
    """Return the value of a cell as a person left it, else as it was read."""
    return cell.value if cell.review is None else cell.review.value


def shown_value(cell: Cell, form: Form) -> str:
    """Return the value of a cell with yes, no and ISO dates in the language of the session."""
    value = value_of(cell).strip()
    if form == "date":
        return format_dates(value)
    answer = YES_NO.get(re.split(r"\W", value, maxsplit=1)[0].casefold())
    if form != "yesno" or answer is None:
        return value
    return _(ANSWERS[answer]) + re.sub(r"^\w+", "", value)


def show(table: GridTable) -> None:
    """Draw the choice of rows, and the rows."""
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    ids = [column.id for column in table.columns]
    lines = [
        Line(row, [cells.get((row.id, id_)) or Cell(row=row.id, column=id_) for id_ in ids])
        for row in table.rows
    ]
    chosen = _choose_marks(table.thread_id, lines)
    words, sort, down = _choose_order(table)
    lines = [
        line
        for line in lines
        if (not chosen or any(mark in chosen for cell in line.cells for mark in marks_of(cell)))
        and (not words or all(word in line.text for word in words.casefold().split()))
    ]
    if sort is not None:
        lines = _sorted(lines, None if sort == NAME else ids.index(int(sort)), reverse=down)
    rows = _(
        "{count} of {total} rows",
        count=format_number(len(lines)),
        total=format_number(len(table.rows)),
    )
    st.caption(f"{rows} · {_('Click a cell to see its proof, or a heading to sort.')}")
    absent = _(ABSENT[table.rows_are])
    values = {NAME: [one_line(line.row.name) for line in lines]}
    values |= {
        str(id_): [_text(line.cells[n], absent, column.form) for line in lines]
        for n, (id_, column) in enumerate(zip(ids, table.columns, strict=True))
    }
    key = f"grid-{table.thread_id}-{hash((*chosen, words, sort, down))}"
    kind, arrow = st.column_config.TextColumn, "↓ " if down else "↑ "
    heads = {NAME: kind(_("Name"), pinned=True, width=NAME_WIDTH)} | {
        str(column.id): kind(
            f"{arrow if sort == str(column.id) else ''}{one_line(column.question)}",
            help=column.question,
            width="medium",
        )
        for column in table.columns
    }
    st.dataframe(
        values,
        hide_index=True,
        key=key,
        column_config=heads,
        height="auto" if len(lines) < VISIBLE_ROWS else ROW_HEIGHT * VISIBLE_ROWS,
        on_select=partial(_select, key, table.thread_id, [line.row.id for line in lines]),
        selection_mode=["single-cell", "single-column"],
    )


def _choose_marks(thread: str, lines: Sequence[Line]) -> Sequence[str]:
    """Draw the signs with their counts; return those of which a row must have one."""
    counts = Counter(mark for line in lines for cell in line.cells for mark in marks_of(cell))
    return st.pills(
        _("Only rows with"),
        [mark for mark in SIGNS if counts[mark]],
        selection_mode="multi",
        format_func=lambda mark: (
            f"{SIGNS[mark][0]} {_(SIGNS[mark][1])} ({format_number(counts[mark])})"
        ),
        key=f"grid-marks-{thread}",
    )


def _choose_order(table: GridTable) -> tuple[str, str | None, bool]:
    """Draw the fields for words of a row, and for the column that sorts and its direction."""
    names = {NAME: _("Name")}
    names |= {str(column.id): one_line(column.question, 60) for column in table.columns}
    with st.container(horizontal=True, vertical_alignment="bottom", key="grid-order"):
        words = st.text_input(_("Only rows containing"), key=f"grid-words-{table.thread_id}")
        sort = st.selectbox(
            _("Sort by"),
            list(names),
            None,
            format_func=lambda name: names.get(name, name),
            key=f"grid-sort-{table.thread_id}",
            placeholder=_("original order"),
        )
        down = st.toggle(_("Descending"), key=f"grid-down-{table.thread_id}", disabled=not sort)
    return words, sort, down


def _sorted(lines: Sequence[Line], column: int | None, *, reverse: bool) -> list[Line]:
    """Return lines by name or by a column: amounts, then texts, then what has no value."""

    def key(line: Line) -> tuple[bool, float, str]:
        if column is None:
            return True, 0.0, line.row.name.casefold()
        cell = line.cells[column]
        return cell.amount is None, cell.amount or 0.0, value_of(cell).casefold()

    def is_empty(line: Line) -> bool:
        return column is not None and not value_of(line.cells[column])

    return sorted(sorted(lines, key=key, reverse=reverse), key=is_empty)


def _text(cell: Cell, absent: str, form: Form) -> str:
    """Return what a cell shows: its signs and its value."""
    marks = marks_of(cell)
    value = absent if "absent" in marks else one_line(shown_value(cell, form), VALUE_LENGTH)
    return " ".join([*(SIGNS[mark][0] for mark in marks), value]).strip()


def _select(key: str, thread: str, row_ids: Sequence[str]) -> None:
    """Put a clicked cell into the address; a clicked heading sorts by its column."""
    selection = st.session_state[key].selection
    for position, name in selection.cells:
        if name != NAME and position < len(row_ids):
            set_address(row=row_ids[position], column=name)
    for name in selection.columns:
        sort, down = f"grid-sort-{thread}", f"grid-down-{thread}"
        again = st.session_state.get(sort) == name
        st.session_state[down] = again and not st.session_state.get(down)
        st.session_state[sort] = name
