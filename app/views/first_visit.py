"""A first visit: the law that ships with Rabbithole, and questions to ask it."""

from collections.abc import Callable

import streamlit as st

from app import navigation, session
from app import texts as common
from app.session import say
from app.texts import start as texts
from app.views import ingestion


def offer_sample() -> None:
    """What to do first while there are no documents."""
    with st.container(border=True):
        st.markdown(f"**{say(common.NO_DOCUMENTS)}**  \n{say(common.NO_DOCUMENTS_HOW)}")
        with st.container(horizontal=True):
            sample = st.button(say(common.INGEST_SAMPLE), type="primary", key="ingest-sample")
            library = st.button(say(common.TO_LIBRARY), key="to-library")
    if library:
        st.switch_page(navigation.LIBRARY)
    if sample:
        ingestion.ingest_sample()


def examples() -> str | None:
    """Questions to the sample, in the form of a new session; the one that was clicked."""
    st.caption(say(texts.TRY_EXAMPLES))
    with st.container(gap="xxsmall"):
        questions = [say(text) for text in texts.EXAMPLES]
        clicked = [each for number, each in enumerate(questions, 1) if _example(number, each)]
    return clicked[0] if clicked else None


def _example(number: int, question: str) -> bool:
    return st.form_submit_button(
        question,
        key=f"example-{number}",
        icon=":material/arrow_forward:",
        type="tertiary",
        on_click=_fill(question),
        wrap=True,
    )


def _fill(question: str) -> Callable[[], None]:
    """Writes the question into its field, where it stays should the start fail."""

    def fill() -> None:
        session.fill_question(question)

    return fill
