"""The history: all threads with their actions, or the replay of one."""

import streamlit as st

from app import navigation
from app.components import progress, runs
from app.components.widgets import button, quiet_button, show_errors
from app.session import _, engine


def show_history() -> None:
    """Draw all threads with their actions."""
    st.title(_("History"), anchor=False)
    if listed := engine().threads.runs():
        runs.show_runs(runs.filter_runs(listed), engine().threads.costs)
        st.caption(_("Duration is the time spent working, not the time spent waiting for you."))
        runs.show_dialog()
        return
    st.caption(_("No questions yet."))
    if button(_("Ask a question"), "ask-one", type="primary"):
        st.switch_page(navigation.ASK)


with show_errors():
    replayed = st.query_params.get("replay")
    if replayed is None:
        show_history()
    else:
        runs.close_dialog()
        if quiet_button(_("Full history"), "all-runs", "arrow_back"):
            st.switch_page(navigation.RUNS)
        if run := runs.run_of_address(replayed):
            progress.replay(run)
