"""The clarification: the conversation at the left, what the corpus showed at the right."""

import streamlit as st

from agent.shown import RunInfo
from app import texts
from app.run_log import END_COMMAND, RunLog, Turn
from app.session import client, say
from app.views import retrieval_history
from app.views.notices import reply
from services.events import Waiting

AVATAR = {"user": ":material/person:", "assistant": ":material/search:"}


def show(run: RunInfo, pending: Waiting, log: RunLog) -> None:
    """Shows the open questions and takes the answer."""
    talk, corpus = st.columns([3, 2], gap="large")
    with talk:
        for turn in log.conversation(run.question):
            show_turn(turn)
        _ask(run.thread_id, pending.interrupt_id)
    with corpus:
        show_corpus(run, log)


def show_corpus(run: RunInfo, log: RunLog) -> None:
    """What the documents have shown of the question."""
    with st.container(border=True):
        if log.rounds:
            wanted = run.options.get("max_iterations")
            most = max(wanted if isinstance(wanted, int) else 0, len(log.rounds))
            retrieval_history.show_latest(log.rounds, most)


def show_turn(turn: Turn) -> None:
    """One message; questions are numbered."""
    with st.chat_message(turn.role, avatar=AVATAR[turn.role]):
        if turn.role == "user":
            st.text("\n".join(turn.lines))
        else:
            st.text("\n".join(f"{n}. {line}" for n, line in enumerate(turn.lines, start=1)))


def _ask(thread_id: str, interrupt_id: str) -> None:
    widget = f"answer-{interrupt_id}"

    # Callbacks, so that they count even when the thread has gone on since the page was drawn.
    def answer() -> None:
        send(st.session_state[widget])

    def send(text: str) -> None:
        reply(interrupt_id, lambda: client().answer(thread_id, interrupt_id, text))

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.chat_input(say(texts.YOUR_ANSWER), key=widget, max_chars=4000, on_submit=answer)
        st.button(
            say(texts.START_NOW),
            help=say(texts.START_NOW_WHY),
            key=f"end-{interrupt_id}",
            on_click=send,
            args=(END_COMMAND,),
        )
