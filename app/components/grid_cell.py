"""The proof of a cell: its value, the quotes with their pages, what was read, and decisions."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from app.components.grid_table import ABSENT, SIGNS, marks_of, shown_value, value_of
from app.components.notices import attempt, attempt_and_rerun
from app.components.quoted_pages import show_location
from app.components.widgets import button, icon_button, page_link, quiet_button, row, stored
from app.formats import plain
from app.locale import N_
from app.navigation import location
from app.session import _, address_number, engine, format_time, set_address
from services.domain.grids import Cell, CellReading, Finding, Form, GridTable

VALUE_LENGTH = 1000
REVIEWED = {
    True: N_("Corrected by {user}, {day}. Previous value: {value}"),
    False: N_("Accepted by {user}, {day}"),
}


CellKey = tuple[str, int]
"""The row and the column of a cell."""


def chosen() -> CellKey | None:
    """Return the cell in the address."""
    column, row_id = address_number("column"), st.query_params.get("row")
    return (row_id, column) if row_id and column is not None else None


def show(table: GridTable, key: CellKey, *, active: bool) -> None:
    """Draw a cell with its proof; while its grid is ``active`` it cannot be read again."""
    name = next((line.name for line in table.rows if line.id == key[0]), "")
    column = next((c for c in table.columns if c.id == key[1]), None)
    question, form = (column.question, column.form) if column else ("", "text")
    differs = any(cell.differs for cell in table.cells if (cell.row, cell.column) == key)
    cell = engine().grids.cell(table.thread_id, *key).model_copy(update={"differs": differs})
    with st.container(horizontal=True, vertical_alignment="top", key="of-cell-bar"):
        st.markdown(f"{plain(name)}  \n**{plain(question)}**", width="stretch")
        icon_button(
            "close",
            _("Close the proof"),
            "of-cell-close",
            partial(set_address, row=None, column=None),
        )
    _value(cell, form, _(ABSENT[table.rows_are]))
    _decisions(table.thread_id, cell, active=active)
    if cell.reading is not None:
        _proof(cell.reading)


def _value(cell: Cell, form: Form, absent: str) -> None:
    """Draw the value, its signs in words, and who decided on it."""
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
    """Draw the buttons to accept, correct and read again."""
    at, grids = (thread, cell.row, cell.column), engine().grids

    def offer(text: str, name: str, icon: str, act: Callable[[str, str, int], None]) -> None:
        key, done = f"of-cell-{name}", partial(act, *at)
        quiet_button(text, key, icon, on_click=attempt, args=(done,))

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
                max_chars=VALUE_LENGTH,
            )
            if button(_("Save"), "of-cell-save", type="primary"):
                attempt_and_rerun(partial(grids.review, *at, value))
        if cell.state is not None and not active:
            offer(_("Read again"), "again", "refresh", grids.read_again)


def _proof(reading: CellReading) -> None:
    """Draw the quotes, the page of the first one, and how much was read."""
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
