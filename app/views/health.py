"""Whether everything in a collection can be found, mending it, and what was ingested when."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

import streamlit as st

from agent.commands import CheckIndexes, IngestFiles
from agent.shown import JobInfo
from agent.works import Work
from app.formats import age_s, duration, moment, number
from app.sanitise import plain
from app.session import client, language, say, tell
from app.texts import Text, documents
from app.texts import health as texts
from app.views import work_outcome, works
from app.views.notices import attempt
from services.types import CollectionHealth, Shelf


def show(shelf: Shelf) -> None:
    """The last check, and what can be done; only those who may change the collection do it."""
    found = client().works()
    if shelf.changeable:
        _checks(shelf, found)
    _jobs(shelf, found)


def _checks(shelf: Shelf, found: list[Work]) -> None:
    here = shelf.collection_id
    busy = any(work.open and isinstance(work.order, CheckIndexes) for work in found)
    state = next(_states(found, here), None)
    if state is None:
        st.caption(say(texts.NOT_CHECKED))
    else:
        _state(*state)
    repairable = state is not None and not state[1].healthy and state[1].problem is None
    with st.container(horizontal=True):
        if st.button(say(texts.CHECK), icon=":material/search_check:", disabled=busy, key="check"):
            _order(CheckIndexes(collection=here, repair=False))
        if repairable and st.button(
            say(texts.REPAIR), type="primary", icon=":material/build:", disabled=busy, key="repair"
        ):
            _order(CheckIndexes(collection=here, repair=True))
        with st.popover(say(texts.REBUILD), icon=":material/refresh:"):
            st.markdown(say(texts.REBUILD_WHY))
            if st.button(say(texts.REBUILD), type="primary", disabled=busy, key="rebuild"):
                _order(CheckIndexes(collection=here, repair=True, afresh=True))


def _order(wanted: CheckIndexes) -> None:
    attempt(lambda: works.order(wanted))
    st.rerun()


def _states(found: list[Work], collection_id: str) -> Iterator[tuple[Work, CollectionHealth]]:
    """What checks and repairs said of the collection, the newest first."""
    for work in found:
        for state in work.health or ():
            if state.collection_id == collection_id:
                yield work, state


def _state(work: Work, state: CollectionHealth) -> None:
    if state.healthy:
        chunks = number(state.chunks, language())
        st.success(say(texts.HEALTHY, chunks=chunks), icon=":material/check:")
    elif state.problem is not None:
        st.error(plain(tell(state.problem)), title=say(texts.CANNOT_REPAIR))
    else:
        lines = "\n".join(f"- {line}" for line in _wrong(state))
        st.warning(lines, title=say(texts.UNHEALTHY))
    st.caption(say(texts.CHECKED_AT, when=_when(work.created_at)))


def _wrong(state: CollectionHealth) -> Iterator[str]:
    """A line for each thing that is wrong, as Markdown."""
    for name, text in texts.WRONG.items():
        value: int | tuple[str, ...] = getattr(state, name)
        if isinstance(value, tuple) and value:
            yield say(text, names=plain(", ".join(value)))
        elif value:
            yield say(text, count=value)


def _jobs(shelf: Shelf, found: list[Work]) -> None:
    st.subheader(say(texts.JOBS), anchor=False)
    jobs = [job for job in client().jobs() if job.collection_id == shelf.collection_id]
    if not jobs:
        st.caption(say(texts.NO_JOBS))
        return
    rows = [{say(text): cell(job) for text, cell in _COLUMNS.items()} for job in jobs]
    st.dataframe(rows, hide_index=True, placeholder="–", alt=say(texts.JOBS))
    for work in found:
        files = work_outcome.not_read(work)
        if files and _goes_into(work, shelf):
            with st.expander(say(texts.NOT_READ_AT, count=len(files), when=_when(work.created_at))):
                work_outcome.failures(files)


def _goes_into(work: Work, shelf: Shelf) -> bool:
    order = work.order
    named = (shelf.collection_id, shelf.name)
    return isinstance(order, IngestFiles) and order.collection in named


def _when(stamp: str) -> str:
    return moment(stamp, language(), st.context.timezone)


def _took(job: JobInfo) -> str | None:
    """How long it took; nobody knows when what was interrupted has ended."""
    if job.ended_at is None:
        return None
    seconds = age_s(job.started_at, datetime.fromisoformat(job.ended_at))
    return duration(seconds, language())


_COLUMNS: Mapping[Text, Callable[[JobInfo], object]] = {
    texts.JOB_STARTED: lambda job: _when(job.started_at),
    documents.STATE: lambda job: say(texts.JOB_STATUS[job.status]),
    texts.JOB_FILES: lambda job: f"{job.files_done + job.files_failed}/{job.files_total}",
    texts.JOB_FAILED: lambda job: job.files_failed,
    documents.PAGES: lambda job: job.pages,
    documents.CHUNKS: lambda job: job.chunks,
    texts.JOB_TOOK: _took,
    texts.JOB_BY: lambda job: job.user,
    texts.JOB_ERROR: lambda job: tell(job.error) if job.error else None,
}
