"""A new session: the question, where to look, how; and what was asked before."""

from collections.abc import Sequence

import streamlit as st

from agent.models import RunOptions
from app import session
from app import texts as common
from app.components import ingestion, search, works
from app.components.notices import attempt
from app.components.runs import show_runs
from app.components.widgets import row
from app.session import engine, say
from app.texts import start as texts
from services.domain import CollectionInfo

SHOWN_RUNS = 5


def show() -> None:
    """The form, or what to do first while there are no documents."""
    known = engine().library.collections()
    collections = [info for info in known if info.documents]
    runs = engine().threads.runs()
    st.title(say(common.ASK_HEADING), anchor=False)
    st.caption(say(common.ASK_SUB))
    works.show(known)
    if collections:
        _form(collections, first=not runs)
    else:
        ingestion.offer_first_sample()
    if runs:
        st.subheader(say(common.RECENT), anchor=False)
        show_runs(runs[:SHOWN_RUNS])


def _form(collections: Sequence[CollectionInfo], *, first: bool) -> None:
    """The form; who has asked nothing yet finds questions to the sample in it."""
    names = [info.name for info in collections]
    with st.form("new-session", enter_to_submit=False):
        question = st.text_area(
            say(common.QUESTION),
            key=session.QUESTION,
            placeholder=say(common.QUESTION_HINT),
            max_chars=4000,
        )
        chosen = st.multiselect(
            say(common.IN_COLLECTIONS),
            names,
            placeholder=say(common.ALL_COLLECTIONS),
            key="collections",
        )
        with row():
            started = st.form_submit_button(say(common.START), type="primary", key="start")
            with st.popover(say(texts.OPTIONS), icon=":material/tune:", type="tertiary"):
                options = _options()
        example = ingestion.examples() if first and ingestion.SAMPLE in names else None
    if example is not None:
        _start(example, chosen or [ingestion.SAMPLE], options)
    elif started:
        _start(question, chosen, options)


def _options() -> RunOptions:
    # The bar on top has asked which model will work, and says so if there is none.
    st.caption(session.model_label(st.session_state.get("model")), help=say(texts.MODEL_HOW))
    profile = search.choose_profile(texts.PROFILE, texts.NO_PROFILE)
    clarify = st.toggle(say(texts.CLARIFY), value=True, key="clarify")
    approve = st.toggle(say(texts.APPROVE_PLAN), value=True, key="approve-plan")
    quality = st.toggle(
        say(texts.QUALITY_CHECK), value=True, key="quality-check", help=say(texts.QUALITY_WHY)
    )
    left, right = st.columns(2, vertical_alignment="bottom")
    k = left.number_input(say(texts.K_HITS), 1, 100, session.settings().k, key="k")
    rounds = right.number_input(say(texts.MAX_ROUNDS), 1, 10, 5, key="max-rounds")
    return RunOptions(
        clarify=clarify,
        approve_plan=approve,
        quality_check=quality,
        k=int(k),
        max_iterations=int(rounds),
        profile=profile,
    )


def _start(question: str, collections: Sequence[str], options: RunOptions) -> None:
    attempt(
        lambda: session.open_thread(
            engine().threads.start(question, collections=collections or None, options=options)
        )
    )
    st.rerun()
