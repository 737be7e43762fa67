"""The page of a research, in each of its states."""

import streamlit as st

from app import memory
from app.components import clarification, plan_editor, progress, question_box, report, runs
from app.components.status_bar import cancel_button
from app.components.widgets import attempt_and_rerun, button, redraw, row, show_errors
from app.formats import age_s, plain
from app.labels import PHASE, STATUS
from app.locale import N_
from app.run_log import LogReader, RunLog
from app.session import _, engine, is_answered, notice_text
from services.domain.events import Waiting
from services.domain.runs import ACTIVE, RunInfo

POLL_S = 1.0
STUCK_AFTER_S = 5.0
SILENT_AFTER_S = 20.0
STOPPED = {
    "interrupted": N_(
        "Interrupted: Rabbithole stopped during the research. Finished work is kept; only the"
        " last step is repeated."
    ),
    "paused": N_(
        "Paused. The evidence found so far is kept. The research will continue where it stopped."
    ),
}
Stamp = tuple[object, ...]


def show(run: RunInfo) -> None:
    """Draw the research as it is now."""
    run, log = _read_log(run.thread_id)
    _heading(run)
    _thread(run, log)


def _heading(run: RunInfo) -> None:
    with row():
        names = plain(", ".join(run.documents or run.collections))
        st.caption(f"{names} · **{_(STATUS[run.status])}**", width="stretch")
        if run.status in ("waiting", "paused", "interrupted", "failed"):
            cancel_button(run.thread_id, where="page")
        runs.new_thread()
    runs.show_before(run)
    st.header(plain(run.title or run.question), anchor=False)


def _thread(run: RunInfo, log: RunLog) -> None:
    if run.status in ("done", "cancelled"):
        _report(run, log)
    elif moving(run):
        with progress.beside_conversation(run.question, log):
            st.fragment(_follow, run_every=POLL_S)(run.thread_id, stamp(run, log))
    elif run.pending is not None and run.status == "waiting":
        progress.stepper(log.current)
        if run.pending.interrupt == "clarification":
            clarification.show(run, run.pending, log)
        else:
            _plan(run, run.pending, log)
    else:
        _stopped(run, log)


def _plan(run: RunInfo, pending: Waiting, log: RunLog) -> None:
    if not log.rounds:
        plan_editor.show(run, pending)
        return
    plan, basis = st.columns([3, 2], gap="large")
    with plan:
        plan_editor.show(run, pending)
    with basis:
        clarification.show_corpus(log)
        _conversation(run, log)


def moving(run: RunInfo) -> bool:
    """Return whether the run goes on without a person: it works, or was just answered."""
    if run.status in ACTIVE:
        return True
    answered = run.pending is not None and is_answered(run.thread_id, run.pending.interrupt_id)
    return run.status == "waiting" and answered


def _read_log(thread: str) -> tuple[RunInfo, RunLog]:
    """Return the run and its log; the session keeps the events read so far."""
    reader = st.session_state.get("log")
    if not isinstance(reader, LogReader) or reader.thread_id != thread:
        reader = st.session_state["log"] = LogReader(thread)
    return reader.read(engine())


def stamp(run: RunInfo, log: RunLog) -> Stamp:
    """Return a value that changes when the run changes its state or its conversation."""
    asks = None if run.pending is None else run.pending.interrupt_id
    return run.status, asks, len(log.questions), len(log.answers), log.approved is not None


def _follow(thread: str, drawn: Stamp) -> None:
    """Poll the event log; a change of state or a message redraws the whole page."""
    memory.settle()  # the models of the run may just have been loaded
    with show_errors(), st.container(key="progress"):
        run, log = _read_log(thread)
        if stamp(run, log) != drawn:
            redraw()
        progress.show(log, run.status)
        if run.status == "waiting":
            _answered(run)
        elif not engine().owner and age_s(log.last_at or run.updated_at) > SILENT_AFTER_S:
            engine().settings.model_state()  # any request notices that the owner has died


def _answered(run: RunInfo) -> None:
    if age_s(run.updated_at) < STUCK_AFTER_S:
        st.caption(_("Your answer has arrived."))
        return
    st.caption(_("Your answer is saved, but the research has not continued."))
    _continue(run, _("Continue"))


def _continue(run: RunInfo, label: str) -> None:
    if button(label, "continue", "play_arrow", type="primary"):
        attempt_and_rerun(lambda: engine().threads.resume(run.thread_id))


def _stopped(run: RunInfo, log: RunLog) -> None:
    if run.status == "failed":
        step = _(PHASE[log.current]) if log.current else _("Research")
        st.error(plain(notice_text(run.error)), title=_("Failed in the phase “{step}”", step=step))
        st.caption(_("Failed. The evidence found so far is kept. Fix the problem, then continue."))
        _continue(run, _("Retry the phase"))
    else:
        st.info(_(STOPPED.get(run.status, STOPPED["paused"])))
        _continue(run, _("Continue"))
    with progress.beside_conversation(run.question, log):
        progress.show(log, run.status)


def _report(run: RunInfo, log: RunLog) -> None:
    content = engine().threads.research_report(run.thread_id)
    if content is None:
        st.info(_("Cancelled before anything was found; there is no report."))
        return
    if run.status == "cancelled":
        st.info(_("Cancelled: the report covers only what had been found by then."))
    report.show(run, content)
    _conversation(run, log)
    question_box.show((), run)
    runs.show_after(run)


def _conversation(run: RunInfo, log: RunLog) -> None:
    if log.questions:
        with st.expander(_("Your answers")):
            clarification.show_conversation(run.question, log)
