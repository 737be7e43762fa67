"""The first page: a new question, or the thread in the address."""

import streamlit as st

from app import navigation
from app.components import conversation, research, start
from app.components.runs import new_thread, run_of_address
from app.components.widgets import show_errors
from app.session import thread_id


def page() -> None:
    """Draw the page."""
    thread = thread_id()
    with show_errors():
        if thread is None:
            start.show()
            return
        run = run_of_address(thread)
        if run is None:
            new_thread()
            return
        if run.kind in ("grid", "sweep"):
            st.switch_page(navigation.GRIDS, query_params={"thread": thread})
        st.set_page_config(page_title=f"{run.title or run.question} · Rabbithole")
        (conversation if run.kind == "ask" else research).show(run)


page()
