"""The page of a grid or a sweep: what reading it takes, how far it is, and what was read."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import streamlit as st

from app.components import grid_form, grid_table, report, widgets
from app.components.cited_answer import warnings
from app.components.grid_table import show_quotes
from app.components.widgets import attempt_and_rerun, button, quiet_button, redraw, row, show_errors
from app.formats import plain
from app.labels import STATUS
from app.session import _, cached, engine, format_duration, format_number, model_state, notice_text
from services.domain.grids import Contradiction, Estimate, GridTable, SweepGroup, SweepResult
from services.domain.runs import ACTIVE, RunInfo

T = TypeVar("T")
POLL_S = 1.0


def show(run: RunInfo) -> None:
    """Draw a grid or a sweep as it is now."""
    _heading(run)
    active = run.status in ACTIVE
    cell = grid_table.chosen_cell() if run.kind == "grid" else None
    with st.container(key="reading-grid"):
        with st.container(key="grid-body"):
            follow = st.fragment(_follow, run_every=POLL_S) if active else _follow
            follow(run.thread_id, run.status, cell)
        if cell:
            with show_errors(), st.container(key="proof", gap="small"):
                grid_table.show_cell(
                    _latest(run.thread_id, engine().grids.table), cell, active=active
                )


def _heading(run: RunInfo) -> None:
    if quiet_button(_("Grids and sweeps"), "all-grids", "arrow_back"):
        grid_form.open_thread(None)
        st.rerun()
    st.header(plain(run.title or run.question), anchor=False)
    idle = run.status not in ACTIVE
    with row():
        names = plain(", ".join(run.documents or run.collections))
        st.caption(f"{names} · **{_(STATUS[run.status])}**", width="stretch")
        if idle and run.kind == "grid":
            _grid_buttons(run)
        report.export_popover(run)
    if idle and st.session_state.get(grid_form.EDITED) == run.thread_id:
        grid_form.edit(run.thread_id)


def _grid_buttons(run: RunInfo) -> None:
    for text, icon, name in (
        (_("Look for new documents"), "refresh", grid_form.ESTIMATED),
        (_("Edit questions"), "edit", grid_form.EDITED),
    ):
        if quiet_button(text, f"{icon}-grid", icon):
            st.session_state[name] = run.thread_id
            st.rerun()
    if quiet_button(_("Copy"), "copy-grid", "content_copy"):
        name = _("{name} (copy)", name=run.title or run.question)
        attempt_and_rerun(lambda: grid_form.open_thread(engine().grids.copy(run.thread_id, name)))


def _follow(thread: str, drawn: str, cell: grid_table.CellKey | None) -> None:
    """Draw how far a thread is and what was read; another state or cell redraws the page."""
    with show_errors():
        run = engine().threads.run(thread)
        if run.status != drawn or (run.kind == "grid" and grid_table.chosen_cell() != cell):
            redraw()
        if run.kind == "sweep":
            result = _latest(thread, engine().grids.result)
            _steps(run, result, result.sections_read, result.sections if result.reads else 0)
            show_sweep(result)
        else:
            table = _latest(thread, engine().grids.table)
            _steps(run, table, table.cells_read, len(table.cells))
            table = _latest(thread, engine().grids.table)  # an estimate writes the rows
            if table.rows:
                grid_table.show(table)


def _latest(thread: str, read: Callable[[str], T]) -> T:
    """Return what was read for a thread, read again only when something was committed."""
    version = engine().version()
    drawn = st.session_state.get("grid-latest")
    if version is None or drawn is None or drawn[:2] != (thread, version):
        drawn = st.session_state["grid-latest"] = (thread, version, read(thread))
    return drawn[2]


def _steps(run: RunInfo, content: GridTable | SweepResult, read: int, total: int) -> None:
    thread, sections = run.thread_id, run.kind == "sweep"
    text = _("{read} of {total} sections read") if sections else _("{read} of {total} cells read")
    text = text.format(read=format_number(read), total=format_number(total))
    if run.status in ACTIVE:
        with row(key="grid-progress"):
            st.progress(read / total if total else 0.0, text, width="stretch")
            stop = partial(engine().grids.stop, thread)
            button(_("Pause"), "pause-grid", "pause", on_click=widgets.attempt, args=(stop,))
        return
    warnings(content.warnings)
    if run.error is not None:
        st.error(plain(notice_text(run.error)))
    if st.session_state.get(grid_form.ESTIMATED) == thread or (not read and run.status != "done"):
        _estimate(run)
    elif run.status != "done" or read < total:
        stopped = plain(notice_text(content.stopped)) or _("Results so far are kept.")
        st.info(f"{text}. {stopped}")
        _run_button(thread, _("Continue"))


def _estimate(run: RunInfo) -> None:
    collections = engine().library.collections()
    versions = tuple((info.collection_id, info.content_version) for info in collections)
    model = model_state().name
    reads = model is not None and engine().settings.model_reading(model).reads
    key = (run.thread_id, run.updated_at, versions, model, reads)
    with st.container(border=True, key="grid-estimate"):
        with st.spinner(_("Estimating …")):
            needed = cached("estimate", key, lambda: engine().grids.estimate(run.thread_id))
        st.markdown(_estimate_text(needed, sections=run.kind == "sweep"))
        _run_button(run.thread_id, _("Start"))


def _estimate_text(needed: Estimate, *, sections: bool) -> str:
    if not needed.reads:
        return _(
            "No model in use has passed the reading test, so the sections are not read. Only "
            "the closest quotes are shown."
        )
    if not needed.cells_left:
        return _("Everything has already been read.")
    left = _("sections to read: {count}") if sections else _("cells to read: {count}")
    facts = [
        f"**{left.format(count=format_number(needed.cells_left))}**",
        _("model calls: about {count}", count=format_number(needed.calls)),
        _("{tokens} tokens", tokens=format_number(needed.tokens)),
        format_duration(needed.seconds) if needed.seconds else "",
    ]
    return " · ".join(filter(None, facts))


def _run_button(thread: str, label: str) -> None:
    if button(label, "run-grid", "play_arrow", type="primary"):
        st.session_state.pop(grid_form.ESTIMATED, None)
        attempt_and_rerun(lambda: engine().grids.run(thread))


PAGE, VALUE_LENGTH, TEXT_LENGTH = 25, 80, 160


def show_sweep(result: SweepResult) -> None:
    """Draw what was found, with the closing line at the end, or first if nothing was read."""
    if not result.reads:
        st.info(closing_line(result))
    if result.counts:
        st.caption(_("What counts: {text}", text=plain(result.counts)))
    for number, pair in enumerate(result.contradictions):
        _contradiction(pair, number)
    for number, group in widgets.paginate(list(enumerate(result.groups)), PAGE, "sweep-page"):
        _group(group, f"{result.thread_id}-{number}")
    ended = result.status == "done" or (result.sections_read and result.status not in ACTIVE)
    if ended and result.reads:
        with st.container(border=True, key="sweep-closing"):
            st.markdown(closing_line(result))
            costs = (
                _("model calls: {count}", count=format_number(result.calls)),
                _("{tokens} tokens", tokens=format_number(result.tokens)),
                format_duration(result.seconds) if result.seconds else "",
            )
            st.caption(" · ".join(filter(None, costs)))
            text = _("Turn this list into a grid")
            if result.groups and quiet_button(text, "sweep-grid", "table_chart"):
                grid_form.choose_sweep(result.thread_id)


def closing_line(result: SweepResult) -> str:
    """Return how much was read, and whether that was all."""
    count = {"read": format_number(result.sections_read), "total": format_number(result.sections)}
    if not result.reads:
        return _(
            "No model in use had passed the reading test, so nothing was read. These are the "
            "closest quotes."
        )
    if result.sections_read < result.sections:
        text = _("Stopped after {read} of {total} sections.", **count)
        return f"{text} {plain(notice_text(result.stopped))}".rstrip()
    if not result.groups:
        return _("{read} of {total} sections were read; none answers the question.", **count)
    count["answers"] = format_number(len(result.groups))
    count["places"] = format_number(sum(len(group.findings) for group in result.groups))
    text = _(
        "{read} of {total} sections were read; different answers: {answers}, findings: {places}."
    )
    return text.format(**count)


def _group(group: SweepGroup, key: str) -> None:
    wording = "" if group.text == group.value else f": {plain(group.text, TEXT_LENGTH)}"
    size = _("findings: {count}", count=len(group.findings))
    label = f"**{plain(group.value, VALUE_LENGTH)}**{wording} :gray[({size})]"
    fold = st.expander(label, key=f"group-{key}", on_change="rerun")
    if fold.open:
        with fold:
            for number, finding in enumerate(group.findings):
                show_quotes(finding, f"{key}-{number}")


def _contradiction(pair: Contradiction, number: int) -> None:
    with st.container(border=True, key=f"contradiction-{number}"):
        st.markdown(f":material/sync_problem: **{_('Contradiction')}:** {plain(pair.why)}")
        findings = (pair.first, pair.second)
        for side, (column, finding) in enumerate(zip(st.columns(2), findings, strict=True)):
            with column:
                st.markdown(f"**{plain(finding.value)}**")
                show_quotes(finding, f"against-{number}-{side}")
