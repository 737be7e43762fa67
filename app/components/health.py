"""Whether everything in a collection can be found, mending it, and what was ingested when."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

import streamlit as st

from agent.engine.jobs import Checked, CheckIndexes, Ingest, JobState
from app.components import works
from app.components.notices import act
from app.components.widgets import ask_first, bullets, button, table
from app.formats import age_s, plain
from app.locale import N_
from app.session import _, engine, say_duration, say_moment, say_number, tell
from services.domain import CollectionHealth, Shelf
from services.domain.runs import IngestionInfo

WRONG = {
    "missing_vectors": N_("Passages that the search by meaning lacks: {count}"),
    "missing_keywords": N_("Passages that the search by words lacks: {count}"),
    "lost": N_("Samples that are not found again: {count}"),
    "unfinished": N_("Not ingested to the end: {names}"),
    "lost_originals": N_("The original is missing or has changed: {names}. Ingest the file again."),
}

JOB_STATUS = {
    "running": N_("running"),
    "done": N_("done"),
    "failed": N_("failed"),
    "interrupted": N_("interrupted, is taken up again"),
}


def show(shelf: Shelf) -> None:
    """The last check, and what can be done; only those who may change the collection do it."""
    found = engine().jobs()
    if shelf.changeable:
        _checks(shelf, found)
    _jobs(shelf, found)


def _checks(shelf: Shelf, found: list[JobState]) -> None:
    here = shelf.collection_id
    busy = any(work.open and isinstance(work.job, CheckIndexes) for work in found)
    state = next(_states(found, here), None)
    if state is None:
        st.caption(
            _(
                "Not checked yet. The check compares both indexes with the catalog, "
                "searches samples and reads every original."
            )
        )
    else:
        _state(*state)
    repairable = state is not None and not state[1].healthy and state[1].problem is None
    with st.container(horizontal=True):
        if button(_("Check now"), "check", "search_check", disabled=busy):
            _order(CheckIndexes(collection=here, repair=False))
        if repairable and button(_("Repair"), "repair", "build", type="primary", disabled=busy):
            _order(CheckIndexes(collection=here, repair=True))
        why = _(
            "Builds both indexes of this collection anew, with the embedding model in use. The "
            "texts are not read again. Until it is done, the search does not find everything."
        )
        if ask_first(_("Index anew"), why, _("Index anew"), "rebuild", "refresh", disabled=busy):
            _order(CheckIndexes(collection=here, repair=True, afresh=True))


def _order(wanted: CheckIndexes) -> None:
    act(lambda: works.order(wanted))


def _states(
    found: list[JobState], collection_id: str
) -> Iterator[tuple[JobState, CollectionHealth]]:
    """What checks and repairs said of the collection, the newest first."""
    for work in found:
        checked = work.result
        for state in checked.collections if isinstance(checked, Checked) else ():
            if state.collection_id == collection_id:
                yield work, state


def _state(work: JobState, state: CollectionHealth) -> None:
    if state.healthy:
        well = _(
            "All is well: all passages ({chunks}) can be found, all originals are there.",
            chunks=say_number(state.chunks),
        )
        st.success(well, icon=":material/check:")
    elif state.problem is not None:
        st.error(plain(tell(state.problem)), title=_("Needs a new index"))
    else:
        st.warning(bullets(_wrong(state)), title=_("There is something to repair"))
    st.caption(_("checked {when}", when=say_moment(work.created_at)))


def _wrong(state: CollectionHealth) -> Iterator[str]:
    """A line for each thing that is wrong, as Markdown."""
    for name, text in WRONG.items():
        value: int | tuple[str, ...] = getattr(state, name)
        if isinstance(value, tuple) and value:
            yield _(text, names=plain(", ".join(value)))
        elif value:
            yield _(text, count=value)


def _jobs(shelf: Shelf, found: list[JobState]) -> None:
    st.subheader(_("What was ingested"), anchor=False)
    jobs = [
        job for job in engine().library.ingestions() if job.collection_id == shelf.collection_id
    ]
    if not jobs:
        st.caption(_("You have not ingested anything here yet. Add files under “Documents”."))
        return
    rows = [{_(text): cell(job) for text, cell in _COLUMNS.items()} for job in jobs]
    table(rows, alt=_("What was ingested"))
    for work in found:
        files = works.not_read(work)
        if files and _goes_into(work, shelf):
            when = say_moment(work.created_at)
            with st.expander(_("{count} not read on {when}", count=len(files), when=when)):
                works.failures(files)


def _goes_into(work: JobState, shelf: Shelf) -> bool:
    order = work.job
    named = (shelf.collection_id, shelf.name)
    return isinstance(order, Ingest) and order.collection in named


def _took(job: IngestionInfo) -> str | None:
    """How long it took; nobody knows when what was interrupted has ended."""
    if job.ended_at is None:
        return None
    seconds = age_s(job.started_at, datetime.fromisoformat(job.ended_at))
    return say_duration(seconds)


_COLUMNS: Mapping[str, Callable[[IngestionInfo], object]] = {
    N_("Started"): lambda job: say_moment(job.started_at),
    N_("State"): lambda job: _(JOB_STATUS[job.status]),
    N_("Files"): lambda job: f"{job.files_done + job.files_failed}/{job.files_total}",
    N_("not read"): lambda job: job.files_failed,
    N_("Pages"): lambda job: job.pages,
    N_("Passages"): lambda job: job.chunks,
    N_("Took"): _took,
    N_("By"): lambda job: job.user,
    N_("Reason"): lambda job: tell(job.error) if job.error else None,
}
