"""The first page: a new question, or the thread in the address."""

import streamlit as st

from app import navigation
from app.components import conversation, research, start
from app.components.runs import new_thread, run_of_address
from app.components.widgets import show_errors
from app.session import thread_id

thread = thread_id()
with show_errors():
    if thread is None:
        start.show()
    elif (run := run_of_address(thread)) is None:
        new_thread()
    elif run.kind in ("grid", "sweep"):
        st.switch_page(navigation.GRIDS, query_params={"thread": thread})
    else:
        st.set_page_config(page_title=f"{run.title or run.question} · Rabbithole")
        (conversation if run.kind == "ask" else research).show(run)
