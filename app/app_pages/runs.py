"""Runs: every research thread, those that wait for somebody first, or the replay of one."""

import streamlit as st

from app import navigation, texts
from app.components import replay, runs
from app.components.notices import reported
from app.session import engine, say
from app.texts import runs as words
from services.domain.errors import NotFound


def page() -> None:
    """Shows the page."""
    with reported():
        thread = st.query_params.get("replay")
        if thread is not None:
            runs.forget()
            _replay(thread)
            return
        st.title(say(texts.RUNS), anchor=False)
        listed = engine().threads.runs()
        if listed:
            runs.show_table(listed, engine().threads.costs())
            runs.show_dialog()
        else:
            _nothing_yet()


def _nothing_yet() -> None:
    st.caption(say(words.NO_RUNS))
    if st.button(say(words.ASK_ONE), type="primary", key="ask-one"):
        st.switch_page(navigation.RESEARCH)


def _replay(thread: str) -> None:
    try:
        run = engine().threads.run(thread)
    except NotFound:
        st.warning(say(texts.UNKNOWN_THREAD))
        if st.button(say(words.BACK), type="tertiary", key="all-runs"):
            st.switch_page(navigation.RUNS)
        return
    replay.show(run)


page()
