"""A conversation of quick answers to read: what was asked, and what was said."""

import streamlit as st

from app.contract import Run
from app.sanitise import one_line
from app.session import client, say
from app.texts import runs as words


def show(run: Run) -> None:
    """The turns, oldest first, each sentence with its numbers, then the places."""
    st.caption(say(words.ASK_WHAT))
    turns = (client().report(run.thread_id) or {}).get("turns", [])
    for turn in turns:
        with st.chat_message("user"):
            st.text(one_line(turn["question"]))
        with st.chat_message("assistant"):
            st.text(turn["answer"])
            for citation in turn["citations"]:
                st.text(f"[{citation['number']}] {citation['place']}")
    if run.error:
        st.error(say(words.ASK_FAILED))
        st.text(run.error)
