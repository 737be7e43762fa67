"""The table of a grid, with the signs of its cells, and the proof of one of them."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

import streamlit as st

from app import session
from app.components import widgets
from app.components.pages import show_location
from app.components.widgets import attempt, button, icon_button, page_link, row, stored
from app.formats import one_line, plain
from app.locale import N_
from app.navigation import location
from app.session import _, engine, format_dates, format_number, format_time, set_address
from services.domain.grids import (
    YES_NO,
    Cell,
    CellReading,
    Finding,
    Form,
    GridRow,
    GridTable,
    RowKind,
)

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


class TableLine(NamedTuple):
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
    """Draw the choice of rows, and the rows; the browser draws only those in sight."""
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    ids = [column.id for column in table.columns]
    lines = [
        TableLine(row, [cells.get((row.id, id_)) or Cell(row=row.id, column=id_) for id_ in ids])
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
    count, total = format_number(len(lines)), format_number(len(table.rows))
    rows = _("{count} of {total} rows", count=count, total=total)
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


def _choose_marks(thread: str, lines: Sequence[TableLine]) -> Sequence[str]:
    counts = Counter(mark for line in lines for cell in line.cells for mark in marks_of(cell))

    def name(mark: str) -> str:
        sign, text = SIGNS[mark]
        return f"{sign} {_(text)} ({format_number(counts[mark])})"

    present, key = [mark for mark in SIGNS if counts[mark]], f"grid-marks-{thread}"
    label = _("Only rows with")
    return st.pills(label, present, selection_mode="multi", format_func=name, key=key)


def _choose_order(table: GridTable) -> tuple[str, str | None, bool]:
    names = {NAME: _("Name")}
    names |= {str(column.id): one_line(column.question, 60) for column in table.columns}
    with row(vertical_alignment="bottom", key="grid-order"):
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


def _sorted(lines: Sequence[TableLine], column: int | None, *, reverse: bool) -> list[TableLine]:
    """Return lines by name or by a column: amounts, then texts, then what has no value."""

    def key(line: TableLine) -> tuple[bool, float, str]:
        if column is None:
            return True, 0.0, line.row.name.casefold()
        cell = line.cells[column]
        return cell.amount is None, cell.amount or 0.0, value_of(cell).casefold()

    def is_empty(line: TableLine) -> bool:
        return column is not None and not value_of(line.cells[column])

    return sorted(sorted(lines, key=key, reverse=reverse), key=is_empty)


def _text(cell: Cell, absent: str, form: Form) -> str:
    marks = marks_of(cell)
    value = absent if "absent" in marks else one_line(shown_value(cell, form), VALUE_LENGTH)
    return " ".join([*(SIGNS[mark][0] for mark in marks), value]).strip()


def _select(key: str, thread: str, row_ids: Sequence[str]) -> None:
    """Put a clicked cell into the address; a clicked heading sorts by amounts if any.

    The browser would sort by letters.
    """
    selection = st.session_state[key].selection
    for position, name in selection.cells:
        if name != NAME and position < len(row_ids):
            set_address(row=row_ids[position], column=name)
    for name in selection.columns:
        sort, down = f"grid-sort-{thread}", f"grid-down-{thread}"
        again = st.session_state.get(sort) == name
        st.session_state[down] = again and not st.session_state.get(down)
        st.session_state[sort] = name


CORRECTION_LENGTH = 1000
REVIEWED = {
    True: N_("Corrected by {user}, {day}. Previous value: {value}"),
    False: N_("Accepted by {user}, {day}"),
}


CellKey = tuple[str, int]


def chosen_cell() -> CellKey | None:
    """Return the cell in the address."""
    column, row_id = session.address_number("column"), st.query_params.get("row")
    return (row_id, column) if row_id and column is not None else None


def show_cell(table: GridTable, key: CellKey, *, active: bool) -> None:
    """Draw a cell with its proof; while its grid is ``active`` it cannot be read again."""
    name = next((line.name for line in table.rows if line.id == key[0]), "")
    column = next((c for c in table.columns if c.id == key[1]), None)
    question, form = (column.question, column.form) if column else ("", "text")
    differs = any(cell.differs for cell in table.cells if (cell.row, cell.column) == key)
    cell = engine().grids.cell(table.thread_id, *key).model_copy(update={"differs": differs})
    with row(vertical_alignment="top", key="of-cell-bar"):
        st.markdown(f"{plain(name)}  \n**{plain(question)}**", width="stretch")
        close = partial(set_address, row=None, column=None)
        icon_button("close", _("Close the proof"), "of-cell-close", close)
    _value(cell, form, _(ABSENT[table.rows_are]))
    _decisions(table.thread_id, cell, active=active)
    if cell.reading is not None:
        _proof(cell.reading)


def _value(cell: Cell, form: Form, absent: str) -> None:
    marks = marks_of(cell)
    value = shown_value(cell, form) or (absent if cell.state == "absent" else "")
    if value:
        with st.container(key="answer-cell"):
            st.text(value)
    signs = [f"{SIGNS[mark][0]} {_(SIGNS[mark][1])}" for mark in marks if mark != "absent"]
    verified = [f":material/check: {_('verified')}"] if cell.state == "verified" else []
    st.caption(" · ".join(verified + signs))
    if (review := cell.review) is not None:
        facts = {"user": plain(review.by), "day": format_time(review.at)}
        st.caption(_(REVIEWED[review.corrected], **facts, value=plain(cell.value or absent)))


def _decisions(thread: str, cell: Cell, *, active: bool) -> None:
    at, grids = (thread, cell.row, cell.column), engine().grids

    def offer(text: str, name: str, icon: str, act: Callable[[str, str, int], None]) -> None:
        key, done = f"of-cell-{name}", partial(act, *at)
        widgets.quiet_button(text, key, icon, on_click=attempt, args=(done,))

    with row(key="of-cell-decisions", gap="xsmall"):
        if cell.review is not None:
            offer(_("Undo"), "undo", "undo", grids.withdraw_review)
        elif cell.value:
            offer(_("Accept"), "accept", "check", grids.review)
        with st.popover(
            _("Correct"), icon=":material/edit:", type="tertiary", key="of-cell-correct"
        ):
            value = st.text_area(
                _("Correct value"),
                key=stored(f"of-cell-value-{cell.row}-{cell.column}", value_of(cell)),
                max_chars=CORRECTION_LENGTH,
            )
            if button(_("Save"), "of-cell-save", type="primary"):
                widgets.attempt_and_rerun(partial(grids.review, *at, value))
        if cell.state is not None and not active:
            offer(_("Read again"), "again", "refresh", grids.read_again)


def _proof(reading: CellReading) -> None:
    cited = [citation for finding in reading.findings for citation in finding.citations]
    for number, finding in enumerate(reading.findings):
        if not any(finding.claim in citation.full_quote for citation in finding.citations):
            st.text(finding.claim)
        show_quotes(finding, f"cell-{number}")
    if reading.sections:
        count = {"read": reading.sections_read, "total": reading.sections}
        read = _("{read} of {total} sections read", **count)
        st.caption(f"{read} · {plain(reading.model)}")
    if cited:
        show_location(cited[0])


def show_quotes(finding: Finding, key: str) -> None:
    """Draw what no quote proves of a finding, and its quotes with links to their pages."""
    if finding.doubt:
        st.caption(
            _("? To check: these words are not in the quotes: {words}", words=plain(finding.doubt))
        )
    for number, citation in enumerate(finding.citations):
        with st.container(key=f"quote-para-{key}-{number}", gap=None):
            st.text(citation.full_quote)
        page_link(plain(location(citation, citation.section_title)), citation)
