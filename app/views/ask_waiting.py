"""A turn whose agent asks back: its steps so far, its question, and the field for the answer."""

import streamlit as st

from agent.shown import RunInfo
from app.ask_log import fold_turn
from app.run_log import END_COMMAND
from app.session import client, say
from app.texts import ask as words
from app.views import agent_steps, ask_turn
from app.views.clarification import AVATAR
from app.views.notices import attempt, reply
from services.events import Waiting


def show(run: RunInfo, pending: Waiting) -> None:
    """Shows what is asked; an answer, or going on without one, lets the turn go on."""
    thread = run.thread_id
    ask_turn.asked(str(run.options.get("asked", run.question)))
    begin = st.session_state.get(f"ask-after-{thread}", 0)
    log = fold_turn(client().events(thread, begin))
    with st.chat_message("assistant", avatar=AVATAR["assistant"]):
        agent_steps.show(list(log.steps.values()))
        for question in pending.questions:
            st.text(question)
    widget = f"answer-{pending.interrupt_id}"

    def answer() -> None:
        send(st.session_state[widget])

    def send(text: str) -> None:
        reply(pending.interrupt_id, lambda: client().answer(thread, pending.interrupt_id, text))

    st.chat_input(say(words.YOUR_ANSWER), key=widget, max_chars=4000, on_submit=answer)
    with st.container(horizontal=True):
        st.button(
            say(words.GO_ON), key=f"end-{pending.interrupt_id}", on_click=send, args=(END_COMMAND,)
        )
        if st.button(say(words.STOP), icon=":material/stop:", type="tertiary", key="stop"):
            attempt(lambda: client().cancel(thread))
            st.rerun()
