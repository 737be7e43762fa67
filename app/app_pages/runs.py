"""The history: all threads with their actions, or the replay of one."""

import streamlit as st

from app import navigation
from app.components import progress, runs
from app.components.widgets import button, quiet_button, show_errors
from app.session import _, engine


def page() -> None:
    """Draw the page."""
    with show_errors():
        thread = st.query_params.get("replay")
        if thread is not None:
            runs.close_dialog()
            _replay(thread)
            return
        st.title(_("History"), anchor=False)
        listed = engine().threads.runs()
        if listed:
            runs.show_runs(runs.filter_runs(listed), engine().threads.costs)
            st.caption(_("Duration is the time spent working, not the time spent waiting for you."))
            runs.show_dialog()
        else:
            _nothing_yet()


def _nothing_yet() -> None:
    st.caption(_("No questions yet."))
    if button(_("Ask a question"), "ask-one", type="primary"):
        st.switch_page(navigation.ASK)


def _replay(thread: str) -> None:
    if quiet_button(_("Full history"), "all-runs", "arrow_back"):
        st.switch_page(navigation.RUNS)
    if run := runs.run_of_address(thread):
        progress.replay(run)


page()
