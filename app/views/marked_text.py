"""The text of a document with a span marked. It is foreign, so ``st.text`` alone shows it."""

import streamlit as st

from app.sanitise import WORD_JOINER
from app.surroundings import Surroundings


def show(found: Surroundings, key: str) -> None:
    """Three pieces that the style sheet lets run on as one text.

    ``st.text`` strips its text; the joiners keep the white space between the pieces.
    """
    with st.container(key=f"marked-{key}"):
        _piece(found.before.lstrip())
        if found.marked:
            with st.container(key=f"span-{key}"):
                _piece(found.marked)
        _piece(found.after.rstrip())


def _piece(text: str) -> None:
    if text:
        st.text(f"{WORD_JOINER}{text}{WORD_JOINER}")
