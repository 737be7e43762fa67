"""What was done by a rule instead of the model, or left out, in words that a reader knows."""

from collections.abc import Sequence

import streamlit as st

from app import texts
from app.session import say, tell


def show(degraded: Sequence[str]) -> None:
    """One line a step; nothing where all went as planned."""
    if degraded:
        with st.expander(say(texts.DEGRADED, count=len(degraded))):
            st.caption(say(texts.DEGRADED_WHY))
            for line in degraded:
                st.text(tell(line))
