"""Research threads as rows; a click opens one."""

from collections.abc import Sequence

import streamlit as st

from agent.shown import RunInfo
from app import navigation, texts
from app.formats import moment
from app.sanitise import plain
from app.session import language, say
from app.texts.runs import ASK

ORDER = ("waiting", "failed", "interrupted", "paused", "running", "queued")
QUESTION_LENGTH = 140


def show_runs(runs: Sequence[RunInfo]) -> None:
    """Shows runs, those that wait for somebody first."""
    for run in sorted(runs, key=_urgency):
        _row(run)


def _urgency(run: RunInfo) -> int:
    return ORDER.index(run.status) if run.status in ORDER else len(ORDER)


def _row(run: RunInfo) -> None:
    with st.container(key=f"run-{run.thread_id}", gap=None):
        question = plain(run.title or run.question, QUESTION_LENGTH)
        if st.button(question, key=f"show-{run.thread_id}", type="tertiary"):
            navigation.to_thread(run.thread_id, run.kind)
        when = moment(run.updated_at, language(), st.context.timezone)
        names = plain(", ".join(run.collections))
        kind = f" · {say(ASK)}" if run.kind == "ask" else ""
        st.caption(f"**{say(texts.STATUS[run.status])}** · {names} · {when}{kind}")
