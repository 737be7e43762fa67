"""A run at work: its phases as steps, and under them what has been found."""

import time
from collections import Counter
from collections.abc import Callable, Sequence

import streamlit as st

from agent.shown import ACTIVE
from app import texts
from app.formats import duration, number
from app.run_log import PHASES, PhaseLog, RunLog, TaskLog
from app.sanitise import plain
from app.session import language, say, tell
from app.texts import research as research_texts
from app.texts import runs as words
from app.views import retrieval_history
from app.views.places import place
from services.events import EvidenceFound, Phase

SHOWN_EVIDENCE = 5
SHOWN_REFERENCES = 3
SHOWN_DROPPED = 12
DONE_ICON = ":material/check_circle:"
WORKING_ICON = ":material/pending:"
"""Still: a spinning one costs the browser a tenth of a core. The seconds below it move."""
PAUSED_ICON = ":material/pause_circle:"
BROKEN_OFF_ICON = ":material/error:"
REPLAYED_ICON = ":material/play_circle:"
REPLAYED = "replayed"
"""State of a log that is looked at as of an event of the past."""
STOPPED_ICONS = {"paused": PAUSED_ICON, REPLAYED: REPLAYED_ICON}


def stepper(current: Phase | None) -> None:
    """All phases in one line, the current one strong."""
    names = [
        f"**{say(texts.PHASE[phase])}**" if phase == current else say(texts.PHASE[phase])
        for phase in PHASES
    ]
    st.caption(" › ".join(names))


def show(log: RunLog, status: str) -> None:
    """The phases that have begun, as a timeline; the last one moves while the run is active."""
    working = status in (*ACTIVE, "waiting")
    if not log.phases and working:
        with st.expander(say(texts.BEGINNING), expanded=True, icon=WORKING_ICON, type="step"):
            st.caption(_cost(log))
        return
    for phase in PHASES:
        if phase in log.phases:
            _step(log, log.phases[phase], None if working else status)
    left = PHASES[PHASES.index(log.current) + 1 :] if log.current else ()
    upcoming = [say(texts.PHASE[phase]) for phase in left if phase not in log.phases]
    if upcoming and working:
        st.caption(say(texts.COMES_NEXT, phases=" · ".join(upcoming)))
    if log.model_calls:
        st.caption(_cost(log))
    if log.rounds:
        st.markdown(f"**{say(texts.HISTORY)}**")
        retrieval_history.show_chart(log.rounds)


def _step(log: RunLog, phase: PhaseLog, stopped: str | None) -> None:
    """One phase; ``stopped`` is the state of a run that does not move.

    The label of a running phase stays the same, seconds go below it: an expander is a new one
    with every new label and would forget whether it was opened or closed.
    """
    name = say(texts.PHASE[phase.phase])
    current = phase.phase == log.current
    moving = current and stopped is None
    icon = DONE_ICON
    label = " · ".join([name, duration(phase.seconds, language()), *_tokens(phase)])
    if moving:
        icon, label = WORKING_ICON, name
    elif current:
        icon = STOPPED_ICONS.get(stopped or "", BROKEN_OFF_ICON)
        state = words.WAS_HERE if stopped == REPLAYED else texts.STATUS[stopped or ""]
        label = f"{name} · {say(state)}"
    key = f"step-{phase.phase}-{'current' if current else 'done'}"
    with st.expander(label, current, key=key, icon=icon, type="step", on_change="rerun"):
        if moving:
            elapsed = duration(phase.elapsed(time.time()), language())
            running = say(texts.RUNNING_FOR, duration=elapsed)
            st.caption(" · ".join([running, *_tokens(phase)]))
        _DETAILS[phase.phase](log)


def _tokens(phase: PhaseLog) -> list[str]:
    tokens = number(phase.tokens, language())
    return [say(research_texts.STEP_TOKENS, tokens=tokens)] if phase.tokens else []


def _cost(log: RunLog) -> str:
    tokens = number(log.tokens, language())
    return say(texts.MODEL_COST, calls=log.model_calls, tokens=tokens)


def _clarify(log: RunLog) -> None:
    if log.rounds:
        coverage = number(log.rounds[-1].coverage, language(), 2)
        st.caption(say(texts.ROUNDS_DONE, rounds=len(log.rounds), coverage=coverage))
    if log.clarified is not None:
        reason = texts.ENDED_BECAUSE.get(log.clarified.reason)
        st.caption(say(reason) if reason else plain(log.clarified.reason))
        for refinement in log.clarified.refinements:
            st.text(refinement)


def _plan(log: RunLog) -> None:
    plan = log.approved or log.proposed
    if plan is None:
        st.caption("…")
        return
    st.caption(say(texts.PLAN_OF, count=len(plan.items)))
    st.markdown("\n".join(f"{n}. {plain(i.task)}" for n, i in enumerate(plan.items, start=1)))
    if log.approved is not None:
        changes = [plain(tell(change)) for change in log.approved.changes]
        st.caption("  \n".join(changes) if changes else say(texts.PLAN_UNCHANGED))


def _extract(log: RunLog) -> None:
    for task in sorted(log.tasks.values(), key=lambda task: task.task_id):
        st.markdown(_task_text(task))


def _task_text(task: TaskLog) -> str:
    """A task as one block: what it looks for, what it has, where references led."""
    best = sorted(task.evidence.values(), key=lambda found: (found.tier, -found.relevance))
    state = " · ".join([_task_state(task), *([_by_tier(best)] if best else [])])
    lines = [f"**{task.task_id}. {plain(task.task)}**", f":small[{state}]", ""]
    lines += [f"- {_evidence_text(found)}" for found in best[:SHOWN_EVIDENCE]]
    lines += [
        f"    - → {plain(reference.text)}: {plain(reference.resolved_to or '')}"
        for reference in [r for r in task.references if r.found][:SHOWN_REFERENCES]
    ]
    if len(best) > SHOWN_EVIDENCE:
        lines.append(f"- {say(texts.MORE, count=len(best) - SHOWN_EVIDENCE)}")
    return "  \n".join(lines[:2]) + "\n\n" + "\n".join(lines[3:])


def _task_state(task: TaskLog) -> str:
    if task.finished is not None:
        found = say(texts.TASK_FOUND, evidence=task.finished.evidence, quotes=task.finished.quotes)
        return f"{found} · {duration(task.finished.seconds, language())}"
    if task.evidence:
        return say(texts.TASK_SO_FAR, evidence=len(task.evidence))
    return say(texts.TASK_OPEN)


def _by_tier(evidence: Sequence[EvidenceFound]) -> str:
    """How much of it answers, supports, and stands around."""
    count = Counter(found.tier for found in evidence)
    named = [say(research_texts.BY_TIER, tier=tier, count=count[tier]) for tier in sorted(count)]
    return ", ".join(named)


def _evidence_text(found: EvidenceFound) -> str:
    where = plain(place(found.document, found.section, found.page))
    tier = say(texts.TIER_SHORT, tier=found.tier)
    relevance = number(found.relevance, language(), 2)
    strong = f"**{where}**" if found.tier == 1 else where
    return f"{strong} · {tier} · {say(texts.RELEVANCE)} {relevance}"


def _validate(log: RunLog) -> None:
    dropped = list(log.dropped.values())
    if not dropped:
        st.caption(say(texts.KEPT_ALL))
        return
    st.caption(say(texts.DROPPED_COUNT, count=len(dropped)))
    lines = [
        f"- ~~{plain(place(item.document, item.section, None))}~~ :small[{why}]"
        for item in dropped[:SHOWN_DROPPED]
        for why in [plain(tell(item.reason))]
    ]
    if len(dropped) > SHOWN_DROPPED:
        lines.append(f"- {say(texts.MORE, count=len(dropped) - SHOWN_DROPPED)}")
    st.markdown("\n".join(lines))


def _synthesize(log: RunLog) -> None:
    st.caption(say(texts.WRITING))
    for text in log.drafts.values():
        st.text(text)


def _assess(log: RunLog) -> None:
    st.caption(say(texts.ASSESSING))


def _attribute(log: RunLog) -> None:
    st.caption(say(texts.ATTRIBUTING))


_DETAILS: dict[Phase, Callable[[RunLog], None]] = {
    "clarify": _clarify,
    "plan": _plan,
    "extract": _extract,
    "validate": _validate,
    "synthesize": _synthesize,
    "assess": _assess,
    "attribute": _attribute,
}
