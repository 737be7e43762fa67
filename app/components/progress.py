"""A running research: conversation, phases as steps and findings; and the replay of one."""

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import ceil

import streamlit as st

from app import session
from app.components import clarification
from app.components.widgets import bullets, button, row
from app.formats import plain
from app.labels import ENDED_BECAUSE, PHASE, STATUS
from app.locale import N_
from app.navigation import section_location, short_location
from app.run_log import PHASES, LogReader, PhaseLog, RunLog, TaskLog, fold
from app.session import _, engine, format_duration, format_time, notice_text, pgettext
from services.domain.events import EventRecord, Phase, PlanApproved, PlanProposed, RunFinished
from services.domain.runs import ACTIVE, RunInfo

SHOWN_SECTIONS = 4
SHOWN_FINDINGS = 8
FINDING_LENGTH = 220
SHOWN_REFERENCES = 3
SHOWN_DROPPED = 12
WORKING_ICON = "pending"
"""Not a spinner, which costs the browser a tenth of a core; the seconds below it move."""
REPLAYED = "replayed"
STOPPED_ICONS = {"paused": "pause_circle", REPLAYED: "play_circle"}


def stepper(current: Phase | None) -> None:
    """Draw all phases in one line, the current one in bold."""
    names = [f"**{_(PHASE[phase])}**" if phase == current else _(PHASE[phase]) for phase in PHASES]
    st.caption(" › ".join(names))


def show(log: RunLog, status: str) -> None:
    """Draw the phases that have begun as a timeline; the last one of an active run moves."""
    working = status in (*ACTIVE, "waiting")
    if not log.phases and working:
        icon = f":material/{WORKING_ICON}:"
        with st.expander(_("The research begins …"), expanded=True, icon=icon, type="step"):
            st.caption(_cost(log))
        return
    for phase in PHASES:
        if phase in log.phases:
            _step(log, log.phases[phase], None if working else status)
    left = PHASES[PHASES.index(log.current) + 1 :] if log.current else ()
    upcoming = [_(PHASE[phase]) for phase in left if phase not in log.phases]
    if upcoming and working:
        st.caption(_("Then: {phases}", phases=" · ".join(upcoming)))
    if log.model_calls:
        st.caption(_cost(log))


def _step(log: RunLog, phase: PhaseLog, stopped: str | None) -> None:
    """Draw a phase; ``stopped`` is the status of a run that does not move.

    With another label an expander forgets that it was opened, so seconds stand below it.
    """
    name = _(PHASE[phase.phase])
    current = phase.phase == log.current
    moving = current and stopped is None
    icon, label = "check_circle", f"{name} · {format_duration(phase.seconds)}"
    if moving:
        icon, label = WORKING_ICON, name
    elif current:
        icon = STOPPED_ICONS.get(stopped or "", "error")
        state = N_("progress so far") if stopped == REPLAYED else STATUS[stopped or ""]
        label = f"{name} · {_(state)}"
    key = f"step-{phase.phase}-{'current' if current else 'done'}"
    icon = f":material/{icon}:"
    with st.expander(label, current, key=key, icon=icon, type="step", on_change="rerun"):
        if moving:
            now = time.time()
            running = _("running for {duration}", duration=format_duration(phase.elapsed(now)))
            left = f" · {_time_left(log, now)}" if phase.phase == "extract" else ""
            st.caption(f"{running}{left}")
        _DETAILS[phase.phase](log)


def _time_left(log: RunLog, now: float) -> str:
    done, planned = log.tasks_done
    tasks = _("{done} of {count} tasks done", done=done, count=planned)
    seconds = log.seconds_left(now)
    if seconds is None:
        return f"{tasks} · {_('time left: not known yet')}"
    minutes = ceil(seconds / 60)
    if minutes > 1:
        left = _("about {minutes} min left, then the report is written", minutes=minutes)
    else:
        left = _("less than a minute left, then the report is written")
    return f"{tasks} · {left}"


def _cost(log: RunLog) -> str:
    tokens = session.format_number(log.tokens)
    return _("model calls: {calls}, tokens: {tokens}", calls=log.model_calls, tokens=tokens)


def _clarify(log: RunLog) -> None:
    if log.clarified is not None:
        reason = ENDED_BECAUSE.get(log.clarified.reason)
        st.caption(_(reason) if reason else plain(log.clarified.reason))
        for refinement in log.clarified.refinements:
            st.text(refinement)
    clarification.show_rounds(log.rounds)


def _plan(log: RunLog) -> None:
    plan = log.approved or log.proposed
    if plan is None:
        st.caption("…")
        return
    st.caption(_("tasks: {count}", count=len(plan.items)))
    _tasks(plan)


def _tasks(plan: PlanProposed | PlanApproved) -> None:
    tasks = (
        "\n".join([f"{n}. {plain(item.task)}", *(f"    - {plain(s)}" for s in item.subtasks)])
        for n, item in enumerate(plan.items, start=1)
    )
    st.markdown("\n".join(tasks))
    if isinstance(plan, PlanApproved):
        changes = [plain(notice_text(change)) for change in plan.changes]
        st.caption("  \n".join(changes) if changes else _("approved as proposed"))


def _extract(log: RunLog) -> None:
    for task in sorted(log.tasks.values(), key=lambda task: task.task_id):
        st.markdown(_task_text(task))


def _task_text(task: TaskLog) -> str:
    findings = _findings(task)
    lines = [f"- {finding}" for finding in findings[:SHOWN_FINDINGS]]
    if len(findings) > SHOWN_FINDINGS:
        lines.append(f"- {_('and {count} more', count=len(findings) - SHOWN_FINDINGS)}")
    lines += [
        f"- → {plain(reference.text)}: {plain(reference.resolved_to or '')}"
        for reference in [r for r in task.references if r.found][:SHOWN_REFERENCES]
    ]
    listed = "\n".join(lines)
    return f"**{task.task_id}. {plain(task.task)}**  \n:small[{_task_state(task)}]\n\n{listed}"


def _findings(task: TaskLog) -> list[str]:
    """Return the findings so far; without a reading model, the quotes that come closest."""
    if task.findings:
        return [plain(finding, FINDING_LENGTH) for finding in task.findings]
    return [
        _(
            "{place}: “{quote}”",
            place=plain(short_location(quoted)),
            quote=plain(quoted.quote, FINDING_LENGTH),
        )
        for quoted in (task.finished.quoted if task.finished else ())
    ]


def _task_state(task: TaskLog) -> str:
    if task.finished is None:
        if not task.reading:
            return _("searching")
        sections = ", ".join(map(plain, task.reading[:SHOWN_SECTIONS]))
        more = len(task.reading) - SHOWN_SECTIONS
        if more > 0:
            sections = _("{sections} and {count} more", sections=sections, count=more)
        return _("reading {sections}", sections=sections)
    counts = _(
        "findings: {findings}, passages: {evidence}",
        findings=len(_findings(task)),
        evidence=task.finished.evidence,
    )
    return f"{counts} · {format_duration(task.finished.seconds)}"


def _validate(log: RunLog) -> None:
    dropped = list(log.dropped.values())
    if not dropped:
        st.caption(_("Nothing dropped."))
        return
    st.caption(_("{count} dropped", count=len(dropped)))
    lines = [
        f"~~{plain(section_location(item.document, item.section))}~~ "
        f":small[{plain(notice_text(item.reason))}]"
        for item in dropped[:SHOWN_DROPPED]
    ]
    if len(dropped) > SHOWN_DROPPED:
        lines.append(_("and {count} more", count=len(dropped) - SHOWN_DROPPED))
    st.markdown(bullets(lines))


def _synthesize(log: RunLog) -> None:
    st.caption(_("Sections are written from the findings, and each sentence is checked."))
    for text in log.drafts.values():
        st.text(text)


_DETAILS: dict[Phase, Callable[[RunLog], object]] = {
    "clarify": _clarify,
    "plan": _plan,
    "extract": _extract,
    "validate": _validate,
    "synthesize": _synthesize,
    "assess": lambda log: st.caption(_("Checking the draft …")),
    "attribute": lambda log: st.caption(_("Every sentence gets its source.")),
}


@contextmanager
def beside_conversation(question: str, log: RunLog) -> Iterator[None]:
    """Draw the conversation on the left; only the block, on the right, is redrawn."""
    with st.container(key="working"):
        talk, state = st.columns([2, 3], gap="large")
    with talk:
        clarification.show_conversation(question, log)
        if log.approved is not None:
            with st.chat_message("assistant", avatar=clarification.AVATAR["assistant"]):
                st.markdown(f"**{_('Approved plan')}**")
                _tasks(log.approved)
    with state, st.container(border=True, key="state"):
        yield


EVENT = {
    "run_started": N_("The research begins"),
    "phase_started": N_("Phase begins: {phase}"),
    "phase_finished": N_("Step ends: {phase}"),
    "retrieval_iteration": N_("Documents searched"),
    "questions_asked": N_("Questions asked"),
    "answer_given": N_("Answer received"),
    "assumptions_corrected": N_("Assumption corrected"),
    "clarification_ended": N_("Clarification ended"),
    "plan_recalled": N_("Earlier plan reused"),
    "plan_proposed": N_("Plan proposed"),
    "plan_approved": N_("Plan approved"),
    "task_started": N_("Task {task} begins"),
    "evidence_found": N_("Passage found (task {task})"),
    "reading_started": N_("Reading sections (task {task})"),
    "finding_made": N_("New finding (task {task})"),
    "reference_followed": N_("Reference followed ({task})"),
    "task_finished": N_("Task {task} ends"),
    "evidence_dropped": N_("Passage dropped"),
    "evidence_restored": N_("Passage restored"),
    "token_update": N_("Text generated"),
    "model_called": N_("Language model called"),
    "warned": N_("Warning"),
    "waiting": N_("Waiting for you"),
    "run_finished": N_("Ended: {status}"),
}


def replay(run: RunInfo) -> None:
    """Draw the replay of a thread, which changes nothing in it."""
    st.caption(f"{pgettext('heading', 'Replay')} · **{_(STATUS[run.status])}**")
    st.header(plain(run.title or run.question), anchor=False)
    reader = LogReader(run.thread_id)
    reader.read(engine())
    if len(reader.records) < 2:
        st.info(_("Nothing has been recorded for this research yet. Open it to continue."))
        return
    st.fragment(_player)(run.thread_id, run.question, reader.records)


def _player(thread: str, question: str, records: Sequence[EventRecord]) -> None:
    key, count = f"replay-{thread}", len(records)
    st.session_state[key] = at = min(st.session_state.get(key, 1), count)
    with row():
        _replay_step(key, "back", _("Back"), at - 1, disabled=at <= 1)
        heading = pgettext("heading", "Replay")
        at = st.slider(heading, 1, count, key=key, label_visibility="collapsed")
        _replay_step(key, "on", _("Next"), at + 1, disabled=at >= count)
    last = records[at - 1]
    numbers = _("Event {number} of {count}", number=at, count=count)
    when = format_time(last.at)
    st.caption(f"{numbers} · {when} · **{plain(_event_text(last))}**")
    log = _as_of(records[:at])
    with beside_conversation(question, log):
        show(log, REPLAYED)


def _replay_step(key: str, direction: str, text: str, to: int, *, disabled: bool) -> None:
    go = partial(st.session_state.update, {key: to})
    button(text, f"{key}-{direction}", type="tertiary", disabled=disabled, on_click=go)


def _as_of(records: Sequence[EventRecord]) -> RunLog:
    """Return the log up to an event; at the end of a finished run no phase is current."""
    log = fold(records)
    last = records[-1].event
    finished = isinstance(last, RunFinished) and last.status == "done"
    return dataclasses.replace(log, current=None) if finished else log


def _event_text(record: EventRecord) -> str:
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
