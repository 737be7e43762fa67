"""A turn that is being answered: what was found, and the text as it grows."""

import streamlit as st

from agent.shown import ACTIVE, RunInfo
from app.ask_log import TurnLog, fold_turn
from app.sanitise import plain
from app.session import client, say
from app.texts import ask as words
from app.views import agent_steps, ask_turn
from app.views.clarification import AVATAR
from app.views.notices import attempt, reported

POLL_S = 0.5
SHOWN_DOCUMENTS = 4


def follow(run: RunInfo) -> None:
    """Looks at the turn twice a second; its end redraws the page."""
    ask_turn.asked(str(run.options.get("asked", run.question)))
    st.fragment(_look, run_every=POLL_S)(run.thread_id)


def _look(thread: str) -> None:
    with reported():
        begin = st.session_state.get(f"ask-after-{thread}", 0)
        run, records = client().look(thread, after=begin)
        if run.status not in ACTIVE:
            st.rerun()
        log = fold_turn(records)
        with st.chat_message("assistant", avatar=AVATAR["assistant"]):
            st.caption(f":material/progress_activity: {_stage(log)}")
            agent_steps.show(list(log.steps.values()), expanded=True)
            if log.text:
                with st.container(key="answer"):
                    st.text(log.text)
        if st.button(say(words.STOP), icon=":material/stop:", type="tertiary", key="stop"):
            attempt(lambda: client().cancel(thread))
            st.rerun()


def _stage(log: TurnLog) -> str:
    if log.found is not None:
        names = log.found.documents
        more = [] if len(names) <= SHOWN_DOCUMENTS else ["…"]
        documents = plain(", ".join([*names[:SHOWN_DOCUMENTS], *more]))
        return say(words.FOUND, count=log.found.results_count, documents=documents)
    if log.agent is not None:
        return agent_steps.estimate(log.agent)
    if log.query:
        return say(words.SEARCHING, query=plain(log.query))
    return say(words.UNDERSTANDING)
