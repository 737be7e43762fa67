"""Works on the library: a line a file while they run, and what came of them afterwards.

A work is known by its number in the catalog, so a refresh or another window finds it again.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import streamlit as st

from agent.commands import CheckIndexes, IngestFiles, RemoveDocument, RestoreCollection
from agent.works import Order, Work
from app.formats import age_s
from app.sanitise import plain
from app.session import client, say, settings
from app.texts import works as texts
from app.uploads import discard
from app.views import work_lines, work_outcome
from app.views.notices import reported
from app.work_log import WorkReader
from services.types import CollectionInfo

POLL_S = 1.0
SILENT_AFTER_S = 20.0
SHOWN_FOR_S = 24 * 3600.0


def order(wanted: Order) -> int:
    """Orders a work that this window will tell the outcome of; its number."""
    number = client().order(wanted)
    _watched().add(number)
    return number


def show(collections: Sequence[CollectionInfo]) -> None:
    """Works that run, then the newest that has ended and has something to say."""
    found = client().works()
    names = {info.collection_id: info.name for info in collections}
    running = tuple(work.number for work in reversed(found) if work.open)
    if running:
        _watched().update(running)
        st.fragment(_follow, run_every=POLL_S)(running, names, list(running))
    _tidy(work for work in found if not work.open)
    ended = next((work for work in found if work_outcome.says_something(work)), None)
    if ended is not None and _has_news(ended):
        _ended(ended, names)


def heading(work: Work, names: dict[str, str]) -> str:
    """What is being done to which collection, as Markdown."""
    match work.order:
        case RestoreCollection():
            return say(texts.WORK["restore"])
        case CheckIndexes(collection=None):
            name = say(texts.ALL_COLLECTIONS)
        case IngestFiles() | RemoveDocument() | CheckIndexes():
            collection = work.order.collection or ""
            name = plain(names.get(collection, collection))
        case _:
            name = ""
    return say(texts.WORK[_kind(work)], name=name)


def _kind(work: Work) -> str:
    match work.order:
        case CheckIndexes(afresh=True):
            return "rebuild"
        case CheckIndexes(repair=True):
            return "repair"
        case _:
            return work.order.kind


def _watched() -> set[int]:
    """Numbers of the works whose outcome this window tells."""
    watched: set[int] = st.session_state.setdefault("works", set())
    return watched


def _follow(numbers: Sequence[int], names: dict[str, str], unseen: list[int]) -> None:
    """Looks once at works that run; when one has ended the whole page is drawn again.

    Not those that are ``unseen``, with which the page itself is being drawn: a button of it that
    was pressed would not be heard.
    """
    with reported():
        for number in numbers:
            reader = _readers().setdefault(number, WorkReader(number))
            work, log = reader.read(client())
            if number in unseen:
                unseen.remove(number)
            elif not work.open:
                st.rerun()
            work_lines.show(work, log, heading(work, names))
            if not client().owner and age_s(log.last_at or work.created_at) > SILENT_AFTER_S:
                client().model_name()  # an owner that died is found out by asking it anything


def _readers() -> dict[int, WorkReader]:
    readers: dict[int, WorkReader] = st.session_state.setdefault("work-readers", {})
    return readers


def _tidy(ended: Iterable[Work]) -> None:
    """Removes what was uploaded for works, once a window: it is taken in, or never will be."""
    tidied: set[int] = st.session_state.setdefault("tidied-works", set())
    for work in ended:
        if work.number not in tidied:
            tidied.add(work.number)
            _readers().pop(work.number, None)
            discard(settings().home, map(Path, _files(work.order)))


def _files(order: Order) -> Sequence[str]:
    match order:
        case IngestFiles(paths=paths):
            return paths
        case RestoreCollection(file=file):
            return [file]
        case _:
            return []


def _has_news(work: Work) -> bool:
    """Failures stay for a day, in every window; a success is told by those that watched it."""
    if work.number in st.session_state.get("hidden-works", ()):
        return False
    bad = work.status == "failed" or bool(work_outcome.not_read(work) or work_outcome.damaged(work))
    return work.number in _watched() or (bad and age_s(work.created_at) < SHOWN_FOR_S)


def _ended(work: Work, names: dict[str, str]) -> None:
    with st.container(key="ended-work", gap="small"):
        work_outcome.show(work, heading(work, names))
        st.button(
            say(texts.HIDE),
            type="tertiary",
            icon=":material/close:",
            key=f"hide-{work.number}",
            on_click=_hide(work.number),
        )


def _hide(number: int) -> Callable[[], None]:
    def hide() -> None:
        st.session_state["hidden-works"] = {*st.session_state.get("hidden-works", ()), number}

    return hide
