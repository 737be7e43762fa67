"""The forms for a new grid or sweep, and the editor of questions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn

import streamlit as st

from app.components import question_box
from app.components.widgets import attempt, button, icon_button, quiet_button, row, select
from app.formats import plain
from app.locale import N_
from app.session import _, engine, set_address
from services.domain.grids import MOST_COLUMNS, Column, Form, RowKind

FORMS: dict[Form, str] = {
    "text": N_("text"),
    "yesno": N_("yes or no"),
    "number": N_("number with unit"),
    "date": N_("date"),
    "party": N_("person or company"),
    "list": N_("several values"),
}
ROWS: dict[RowKind, str] = {
    "documents": N_("documents"),
    "sections": N_("sections of the documents"),
    "sweep": N_("results of a sweep"),
}
NEW, ROWS_KEY, SWEEP_KEY = "new-grid", "new-grid-rows", "new-grid-sweep"
EDITED, ESTIMATED = "grid-edited", "grid-estimated"
"""Session keys of the grid whose questions are edited, and whose reading is estimated."""


def open_thread(thread: str | None) -> None:
    """Put a grid or sweep into the address."""
    set_address(thread=thread, view=None, row=None, column=None)


def choose_sweep(thread: str) -> NoReturn:
    """Open the form for a new grid whose rows are the list of a sweep."""
    st.session_state.update({ROWS_KEY: "sweep", SWEEP_KEY: thread})
    st.query_params.from_dict({"view": "new"})
    st.rerun()


def new_grid() -> None:
    """Draw the form for a new grid."""
    name = st.text_input(_("Name"), key="new-grid-name", max_chars=200)
    rows, sweep = _rows()
    collections, documents = question_box.choose_scope(engine().library.collections())
    columns = edit_columns(NEW)
    make = partial(engine().grids.create, name, columns, rows=rows, sweep=sweep)
    _create(NEW, partial(make, collections=collections or None, documents=documents))


def new_sweep() -> None:
    """Draw the form for a new sweep."""
    hint = _("For example: Which periods does the law set?")
    question = st.text_area(_("Question"), key="sweep-text", max_chars=2000, placeholder=hint)
    counts = st.text_area(
        _("What counts as a finding, and what does not"),
        key="sweep-counts",
        max_chars=2000,
        placeholder=_(
            "If empty, the model decides what counts and shows you its decision "
            "before it starts reading."
        ),
    )
    collections, documents = question_box.choose_scope(engine().library.collections())
    make = partial(engine().grids.sweep, question, counts=counts)
    _create("sweep", partial(make, collections=collections or None, documents=documents))


def _create(key: str, make: Callable[..., str]) -> None:
    most = _budget(key)
    if button(_("Create"), f"{key}-create", type="primary"):
        if attempt(lambda: open_thread(make(max_calls=most))):
            st.session_state.pop(f"{key}-ids", None)
        st.rerun()


def _rows() -> tuple[RowKind, str | None]:
    sweeps = {
        run.thread_id: plain(run.title or run.question, 100)
        for run in engine().grids.all()
        if run.kind == "sweep" and run.status == "done"
    }
    kinds = {kind: name for kind, name in ROWS.items() if kind != "sweep" or sweeps}
    rows = select(st, _("Rows"), kinds, ROWS_KEY)
    if rows != "sweep":
        return rows, None
    name = sweeps.__getitem__
    return rows, st.selectbox(_("Sweep"), list(sweeps), format_func=name, key=SWEEP_KEY)


def _budget(key: str, before: int | None = None) -> int | None:
    """Draw the field for the most model calls of a run; None is no limit."""
    return st.number_input(
        _("Maximum model calls"),
        min_value=1,
        value=before,
        key=f"{key}-budget",
        placeholder=_("no limit"),
        help=_("The run stops at this limit. Results so far are kept, and you can continue."),
        width=220,
    )


def edit_columns(key: str, columns: Sequence[Column] = ()) -> list[Column]:
    """Draw fields for questions and return those that are filled in; an edited one keeps its id."""
    before = {column.id: column for column in columns}
    ids: list[int] = st.session_state.setdefault(f"{key}-ids", list(before) or [1])
    edited = []
    for number, id_ in enumerate(ids, start=1):
        old = before.get(id_)
        with row(vertical_alignment="bottom", key=f"question-row-{key}-{id_}"):
            label, text = _("Question {number}", number=number), old.question if old else ""
            name = f"{key}-question-{id_}"
            question = st.text_input(label, text, key=name, max_chars=500)
            index = list(FORMS).index(old.form) if old else 0
            form = select(st, _("Type"), FORMS, f"{key}-form-{id_}", index=index, width=190)
            remove, only = partial(ids.remove, id_), len(ids) == 1
            icon_button("close", _("Remove"), f"{key}-remove-{id_}", remove, disabled=only)
        if question.strip():
            edited.append(Column(id=id_, question=question.strip(), form=form))
    add, full = partial(ids.append, max([*ids, *before]) + 1), len(ids) >= MOST_COLUMNS
    quiet_button(_("Add a question"), f"{key}-add", "add", on_click=add, disabled=full)
    return edited


def edit(thread: str) -> None:
    """Draw the editor of a grid's questions and budget."""
    options, key = engine().grids.options(thread), f"edit-{thread}"
    with st.container(border=True, key="grid-editor"):
        columns = edit_columns(key, options.columns)
        most = _budget(key, options.max_calls)
        save = partial(engine().grids.change, thread, columns=columns, max_calls=most)
        with row():
            done = button(_("Cancel"), f"{key}-cancel", type="tertiary")
            if saving := button(_("Save"), f"{key}-save", type="primary"):
                done = attempt(save)
                st.session_state[ESTIMATED] = thread
            if done:
                st.session_state.pop(EDITED, None)
                st.session_state.pop(f"{key}-ids", None)
            if saving or done:
                st.rerun()
