"""A research under way: at the left what was said, at the right how far the work is.

What was said stands still, so only the right column is drawn again while the run works. In a
narrow window the columns stand below each other, the one that moves first.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from app import texts
from app.run_log import RunLog
from app.sanitise import plain
from app.session import say, tell
from app.texts import research as words
from app.views import clarification
from services.events import PlanApproved

Said = tuple[int, int, bool]


def said(log: RunLog) -> Said:
    """How much the conversation holds; another value means that it has gone on."""
    return len(log.questions), len(log.answers), log.approved is not None


@contextmanager
def beside_conversation(question: str, log: RunLog) -> Iterator[None]:
    """Writes the conversation; what the block draws comes into the column of the state."""
    with st.container(key="working"):
        talk, state = st.columns([2, 3], gap="large")
    with talk:
        conversation(question, log)
    with state, st.container(border=True, key="state"):
        yield


def conversation(question: str, log: RunLog) -> None:
    """All turns of the clarification, and the plan that a person has approved."""
    for turn in log.conversation(question):
        clarification.show_turn(turn)
    if log.approved is not None:
        with st.chat_message("assistant", avatar=clarification.AVATAR["assistant"]):
            _plan(log.approved)


def _plan(approved: PlanApproved) -> None:
    tasks = [f"{n}. {plain(item.task)}" for n, item in enumerate(approved.items, start=1)]
    st.markdown("\n".join([f"**{say(words.APPROVED_PLAN)}**", "", *tasks]))
    changes = [plain(tell(change)) for change in approved.changes]
    st.caption("  \n".join(changes) if changes else say(texts.PLAN_UNCHANGED))
