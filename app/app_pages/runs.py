"""Runs: every research thread, those that wait for somebody first."""

import streamlit as st

from app import texts
from app.session import client, say
from app.views.notices import reported
from app.views.run_list import show_runs


def page() -> None:
    """Shows the page."""
    st.title(say(texts.RUNS), anchor=False)
    with reported():
        runs = client().runs()
        if runs:
            show_runs(runs)
        else:
            st.caption(say(texts.NO_RUNS))


page()
