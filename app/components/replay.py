"""A thread as it was: its events step by step, in the view of a run at work."""

import dataclasses
from collections.abc import Sequence

import streamlit as st

from app import navigation, texts
from app.components import progress
from app.components.widgets import row
from app.formats import plain
from app.run_log import LogReader, RunLog, fold
from app.session import engine, say, say_moment
from app.texts import runs as words
from services.domain.events import EventRecord, RunFinished
from services.domain.runs import RunInfo

STEPS = {"back": words.STEP_BACK, "on": words.STEP_ON}


def show(run: RunInfo) -> None:
    """Shows the replay of a thread; nothing here changes it."""
    if st.button(say(words.BACK), icon=":material/arrow_back:", type="tertiary", key="all-runs"):
        st.switch_page(navigation.RUNS)
    st.caption(f"{say(words.REPLAY_OF)} · **{say(texts.STATUS[run.status])}**")
    st.header(plain(run.title or run.question), anchor=False)
    reader = LogReader(run.thread_id)
    reader.read(engine())
    if len(reader.records) < 2:
        st.info(say(words.NO_EVENTS))
        return
    st.fragment(_player)(run.thread_id, run.question, reader.records)


def _player(thread: str, question: str, records: Sequence[EventRecord]) -> None:
    key, count = f"replay-{thread}", len(records)
    at = min(st.session_state.get(key, 1), count)
    with row():
        _step(key, "back", at - 1, disabled=at <= 1)
        at = st.slider(say(words.REPLAY_OF), 1, count, at, key=key, label_visibility="collapsed")
        _step(key, "on", at + 1, disabled=at >= count)
    last = records[at - 1]
    numbers = say(words.EVENT_N, number=at, count=count)
    when = say_moment(last.at)
    st.caption(f"{numbers} · {when} · **{plain(_told(last))}**")
    log = _as_of(records[:at])
    with progress.beside_conversation(question, log):
        progress.show(log, progress.REPLAYED)


def _step(key: str, way: str, to: int, *, disabled: bool) -> None:
    def go() -> None:
        st.session_state[key] = to

    st.button(say(STEPS[way]), key=f"{key}-{way}", type="tertiary", disabled=disabled, on_click=go)


def _as_of(records: Sequence[EventRecord]) -> RunLog:
    """The log up to an event; at the end of a finished run no phase is the current one."""
    log = fold(records)
    last = records[-1].event
    finished = isinstance(last, RunFinished) and last.status == "done"
    return dataclasses.replace(log, current=None) if finished else log


def _told(record: EventRecord) -> str:
    event = record.event
    text = words.EVENT.get(event.kind)
    if text is None:
        return event.kind
    phase, status = getattr(event, "phase", None), getattr(event, "status", None)
    return say(
        text,
        phase=say(texts.PHASE[phase]) if phase else "",
        task=getattr(event, "task_id", ""),
        status=say(texts.STATUS[status]) if status else "",
    )
