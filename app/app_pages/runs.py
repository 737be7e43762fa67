"""Runs: every research thread, those that wait for somebody first, or the replay of one."""

import streamlit as st

from app import navigation
from app.components import replay, runs
from app.components.notices import reported
from app.session import _, engine
from services.domain.errors import NotFound


def page() -> None:
    """Shows the page."""
    with reported():
        thread = st.query_params.get("replay")
        if thread is not None:
            runs.forget()
            _replay(thread)
            return
        st.title(_("Runs"), anchor=False)
        listed = engine().threads.runs()
        if listed:
            runs.show_table(listed, engine().threads.costs())
            runs.show_dialog()
        else:
            _nothing_yet()


def _nothing_yet() -> None:
    st.caption(_("No research yet. Ask a question on the Research page."))
    if st.button(_("Ask a question"), type="primary", key="ask-one"):
        st.switch_page(navigation.RESEARCH)


def _replay(thread: str) -> None:
    try:
        run = engine().threads.run(thread)
    except NotFound:
        st.warning(
            _(
                "There is no such research, or it belongs to somebody else. Check the "
                "address or start anew."
            )
        )
        if st.button(_("All runs"), type="tertiary", key="all-runs"):
            st.switch_page(navigation.RUNS)
        return
    replay.show(run)


page()
