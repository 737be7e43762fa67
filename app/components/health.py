"""Whether everything in a collection can be found, mending it, and what was ingested when."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

import streamlit as st

from agent.engine.jobs import Checked, CheckIndexes, Ingest, JobState
from app.components import works
from app.components.notices import act
from app.components.widgets import ask_first, bullets, button, table
from app.formats import age_s, plain
from app.session import engine, say, say_duration, say_moment, say_number, tell
from app.texts import Text, documents
from app.texts import health as texts
from services.domain import CollectionHealth, Shelf
from services.domain.runs import IngestionInfo


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
        st.caption(say(texts.NOT_CHECKED))
    else:
        _state(*state)
    repairable = state is not None and not state[1].healthy and state[1].problem is None
    with st.container(horizontal=True):
        if button(texts.CHECK, "check", "search_check", disabled=busy):
            _order(CheckIndexes(collection=here, repair=False))
        if repairable and button(texts.REPAIR, "repair", "build", type="primary", disabled=busy):
            _order(CheckIndexes(collection=here, repair=True))
        why, now = say(texts.REBUILD_WHY), texts.REBUILD
        if ask_first(texts.REBUILD, why, now, "rebuild", "refresh", disabled=busy):
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
        st.success(say(texts.HEALTHY, chunks=say_number(state.chunks)), icon=":material/check:")
    elif state.problem is not None:
        st.error(plain(tell(state.problem)), title=say(texts.CANNOT_REPAIR))
    else:
        st.warning(bullets(_wrong(state)), title=say(texts.UNHEALTHY))
    st.caption(say(texts.CHECKED_AT, when=say_moment(work.created_at)))


def _wrong(state: CollectionHealth) -> Iterator[str]:
    """A line for each thing that is wrong, as Markdown."""
    for name, text in texts.WRONG.items():
        value: int | tuple[str, ...] = getattr(state, name)
        if isinstance(value, tuple) and value:
            yield say(text, names=plain(", ".join(value)))
        elif value:
            yield say(text, count=value)


def _jobs(shelf: Shelf, found: list[JobState]) -> None:
    st.subheader(say(texts.JOBS), anchor=False)
    jobs = [
        job for job in engine().library.ingestions() if job.collection_id == shelf.collection_id
    ]
    if not jobs:
        st.caption(say(texts.NO_JOBS))
        return
    rows = [{say(text): cell(job) for text, cell in _COLUMNS.items()} for job in jobs]
    table(rows, alt=say(texts.JOBS))
    for work in found:
        files = works.not_read(work)
        if files and _goes_into(work, shelf):
            when = say_moment(work.created_at)
            with st.expander(say(texts.NOT_READ_AT, count=len(files), when=when)):
                works.failures(files)


def _goes_into(work: JobState, shelf: Shelf) -> bool:
    job = work.job
    named = (shelf.collection_id, shelf.name)
    return isinstance(job, Ingest) and job.collection in named


def _took(job: IngestionInfo) -> str | None:
    """How long it took; nobody knows when what was interrupted has ended."""
    if job.ended_at is None:
        return None
    seconds = age_s(job.started_at, datetime.fromisoformat(job.ended_at))
    return say_duration(seconds)


_COLUMNS: Mapping[Text, Callable[[IngestionInfo], object]] = {
    texts.JOB_STARTED: lambda job: say_moment(job.started_at),
    documents.STATE: lambda job: say(texts.JOB_STATUS[job.status]),
    texts.JOB_FILES: lambda job: f"{job.files_done + job.files_failed}/{job.files_total}",
    texts.JOB_FAILED: lambda job: job.files_failed,
    documents.PAGES: lambda job: job.pages,
    documents.CHUNKS: lambda job: job.chunks,
    texts.JOB_TOOK: _took,
    texts.JOB_BY: lambda job: job.user,
    texts.JOB_ERROR: lambda job: tell(job.error) if job.error else None,
}
