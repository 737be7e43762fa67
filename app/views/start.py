"""A new session: the question, where to look, how; and what was asked before."""

from collections.abc import Sequence

import streamlit as st

from agent.models import RunOptions
from app import navigation, session, texts
from app.session import client, say
from app.views import ingestion, works
from app.views.notices import attempt
from app.views.run_list import show_runs
from services.types import CollectionInfo

SHOWN_RUNS = 5


def show() -> None:
    """The form, or what to do first while there are no documents."""
    collections = client().collections()
    st.title(say(texts.ASK_HEADING), anchor=False)
    st.caption(say(texts.ASK_SUB))
    works.show(collections)
    if any(info.documents for info in collections):
        _form(collections)
    else:
        _no_documents()
    runs = client().runs()
    if runs:
        st.subheader(say(texts.RECENT), anchor=False)
        show_runs(runs[:SHOWN_RUNS])


def _no_documents() -> None:
    with st.container(border=True):
        st.markdown(f"**{say(texts.NO_DOCUMENTS)}**  \n{say(texts.NO_DOCUMENTS_HOW)}")
        with st.container(horizontal=True):
            sample = st.button(say(texts.INGEST_SAMPLE), type="primary", key="ingest-sample")
            library = st.button(say(texts.TO_LIBRARY), key="to-library")
    if library:
        st.switch_page(navigation.LIBRARY)
    if sample:
        ingestion.ingest_sample()


def _form(collections: Sequence[CollectionInfo]) -> None:
    with st.form("new-session", enter_to_submit=False):
        question = st.text_area(
            say(texts.QUESTION),
            key="question",
            placeholder=say(texts.QUESTION_HINT),
            max_chars=4000,
        )
        chosen = st.multiselect(
            say(texts.IN_COLLECTIONS),
            [info.name for info in collections if info.documents],
            placeholder=say(texts.ALL_COLLECTIONS),
            key="collections",
        )
        with st.expander(say(texts.OPTIONS), icon=":material/tune:"):
            options = _options()
        started = st.form_submit_button(say(texts.START), type="primary", key="start")
    if started:
        _start(question, chosen, options)


def _options() -> RunOptions:
    left, right = st.columns(2)
    with left:
        clarify = st.toggle(say(texts.CLARIFY), value=True, key="clarify")
        approve = st.toggle(say(texts.APPROVE_PLAN), value=True, key="approve-plan")
        quality = st.toggle(say(texts.QUALITY_CHECK), value=True, key="quality-check")
    with right:
        k = st.number_input(say(texts.K_HITS), 1, 100, session.settings().k, key="k")
        rounds = st.number_input(say(texts.MAX_ROUNDS), 1, 10, 5, key="max-rounds")
    return RunOptions(
        clarify=clarify,
        approve_plan=approve,
        quality_check=quality,
        k=int(k),
        max_iterations=int(rounds),
    )


def _start(question: str, collections: Sequence[str], options: RunOptions) -> None:
    attempt(
        lambda: session.open_thread(
            client().start(question, collections=collections or None, options=options)
        )
    )
    st.rerun()
