"""Asking: a new conversation with where to look and how deep, or one question more."""

from collections.abc import Sequence

import streamlit as st

from agent.shown import RunInfo
from app import session, texts
from app.session import client, say
from app.texts import ask as words
from app.views import first_visit, ingestion, works
from app.views.notices import attempt
from app.views.run_list import show_runs

DEPTHS = ("auto", "fast", "enhanced", "structured", "agent")
SHOWN = 5


def start() -> None:
    """A new conversation; what to do first while there are no documents."""
    known = client().collections()
    names = [info.name for info in known if info.documents]
    st.title(say(words.HEADING), anchor=False)
    st.caption(say(words.SUB))
    works.show(known)
    if not names:
        first_visit.offer_sample()
        return
    question = st.container()
    with st.container(horizontal=True, vertical_alignment="top"):
        chosen = st.multiselect(
            say(texts.IN_COLLECTIONS),
            names,
            placeholder=say(texts.ALL_COLLECTIONS),
            key="ask-collections",
            width="stretch",
        )
        _depth()
    with question:
        _input(None, chosen)
    if ingestion.SAMPLE in names:
        _examples()
    before = [run for run in client().runs() if run.kind == "ask"]
    if before:
        st.subheader(say(words.RECENT), anchor=False)
        show_runs(before[:SHOWN])


def _examples() -> None:
    """Questions to the sample law; a click asks one."""
    st.caption(say(words.TRY))
    for number, text in enumerate(words.EXAMPLES, start=1):
        st.button(
            say(text),
            key=f"example-{number}",
            icon=":material/arrow_forward:",
            type="tertiary",
            on_click=ask,
            args=(say(text), None, (ingestion.SAMPLE,)),
        )


def go_on(run: RunInfo) -> None:
    """The field for the next question of a conversation."""
    _depth()
    _input(run.thread_id, ())


def _depth() -> None:
    st.segmented_control(
        say(words.DEPTH),
        DEPTHS,
        default="auto",
        required=True,
        format_func=session.labels({name: words.DEPTHS[name] for name in DEPTHS}),
        help=say(words.DEPTH_WHY),
        key="ask-depth",
        width="content",
        wrap=True,
    )


def _input(thread_id: str | None, collections: Sequence[str]) -> None:
    hint = words.YOUR_QUESTION if thread_id is None else words.FOLLOW_UP
    question = st.chat_input(say(hint), key="ask-question", max_chars=4000)
    if question and question.strip():
        ask(question, thread_id, collections)
        st.rerun()


def ask(question: str, thread_id: str | None, collections: Sequence[str] = ()) -> None:
    """Asks, and opens the conversation; a refusal is shown on the page."""

    def send() -> None:
        depth = st.session_state.get("ask-depth", "auto")
        begun = client().ask(
            question, thread_id=thread_id, collections=collections or None, depth=depth
        )
        session.open_thread(begun.thread_id)
        st.session_state[f"ask-after-{begun.thread_id}"] = begun.after

    attempt(send)
