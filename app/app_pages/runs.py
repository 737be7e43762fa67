"""Runs: every research thread, those that wait for somebody first, or the replay of one."""

import streamlit as st

from app import navigation, texts
from app.session import client, say
from app.texts import runs as words
from app.views import replay, run_dialogs, run_table
from app.views.notices import reported
from services.errors import NotFound


def page() -> None:
    """Shows the page."""
    with reported():
        thread = st.query_params.get("replay")
        if thread is not None:
            run_dialogs.forget()
            _replay(thread)
            return
        st.title(say(texts.RUNS), anchor=False)
        runs = client().runs()
        if runs:
            run_table.show(runs, client().run_costs())
            run_dialogs.show()
        else:
            _nothing_yet()


def _nothing_yet() -> None:
    st.caption(say(words.NO_RUNS))
    if st.button(say(words.ASK_ONE), type="primary", key="ask-one"):
        navigation.to_research(None)


def _replay(thread: str) -> None:
    try:
        run = client().run(thread)
    except NotFound:
        st.warning(say(texts.UNKNOWN_THREAD))
        if st.button(say(words.BACK), type="tertiary", key="all-runs"):
            navigation.to_runs()
        return
    replay.show(run)


page()
