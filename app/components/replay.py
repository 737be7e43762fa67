"""A thread as it was: its events step by step, in the view of a run at work."""

import dataclasses
from collections.abc import Sequence
from functools import partial

import streamlit as st

from app.components import progress
from app.components.widgets import button, row
from app.formats import plain
from app.labels import PHASE, STATUS
from app.locale import N_
from app.run_log import LogReader, RunLog, fold
from app.session import _, engine, pgettext, say_moment
from services.domain.events import EventRecord, RunFinished
from services.domain.runs import RunInfo

EVENT = {
    "run_started": N_("The research begins"),
    "phase_started": N_("Step begins: {phase}"),
    "phase_finished": N_("Step ends: {phase}"),
    "retrieval_iteration": N_("Documents searched"),
    "questions_asked": N_("Questions asked"),
    "answer_given": N_("Answer received"),
    "assumptions_corrected": N_("Assumption corrected"),
    "clarification_ended": N_("Clarification ended"),
    "plan_recalled": N_("Earlier plan recalled"),
    "plan_proposed": N_("Plan proposed"),
    "plan_approved": N_("Plan approved"),
    "task_started": N_("Task {task} begins"),
    "evidence_found": N_("Passage found (task {task})"),
    "finding_made": N_("Finding made (task {task})"),
    "reference_followed": N_("Reference followed ({task})"),
    "task_finished": N_("Task {task} ends"),
    "evidence_dropped": N_("Passage dropped"),
    "evidence_restored": N_("Passage restored"),
    "token_update": N_("Text written"),
    "model_called": N_("Language model asked"),
    "warned": N_("Warning"),
    "waiting": N_("Waits for you"),
    "run_finished": N_("End: {status}"),
}


def show(run: RunInfo) -> None:
    """Shows the replay of a thread; nothing here changes it."""
    st.caption(f"{pgettext('heading', 'Replay')} · **{_(STATUS[run.status])}**")
    st.header(plain(run.title or run.question), anchor=False)
    reader = LogReader(run.thread_id)
    reader.read(engine())
    if len(reader.records) < 2:
        st.info(_("This research has recorded nothing yet. Open it to continue it."))
        return
    st.fragment(_player)(run.thread_id, run.question, reader.records)


def _player(thread: str, question: str, records: Sequence[EventRecord]) -> None:
    key, count = f"replay-{thread}", len(records)
    at = min(st.session_state.get(key, 1), count)
    with row():
        _step(key, "back", _("Back"), at - 1, disabled=at <= 1)
        at = st.slider(
            pgettext("heading", "Replay"), 1, count, at, key=key, label_visibility="collapsed"
        )
        _step(key, "on", _("Next"), at + 1, disabled=at >= count)
    last = records[at - 1]
    numbers = _("Event {number} of {count}", number=at, count=count)
    when = say_moment(last.at)
    st.caption(f"{numbers} · {when} · **{plain(_told(last))}**")
    log = _as_of(records[:at])
    with progress.beside_conversation(question, log):
        progress.show(log, progress.REPLAYED)


def _step(key: str, way: str, text: str, to: int, *, disabled: bool) -> None:
    go = partial(st.session_state.update, {key: to})
    button(text, f"{key}-{way}", type="tertiary", disabled=disabled, on_click=go)


def _as_of(records: Sequence[EventRecord]) -> RunLog:
    """The log up to an event; at the end of a finished run no phase is the current one."""
    log = fold(records)
    last = records[-1].event
    finished = isinstance(last, RunFinished) and last.status == "done"
    return dataclasses.replace(log, current=None) if finished else log


def _told(record: EventRecord) -> str:
    event = record.event
    text = EVENT.get(event.kind)
    if text is None:
        return event.kind
    phase, status = getattr(event, "phase", None), getattr(event, "status", None)
    return _(
        text,
        phase=_(PHASE[phase]) if phase else "",
        task=getattr(event, "task_id", ""),
        status=_(STATUS[status]) if status else "",
    )
