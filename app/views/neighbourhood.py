"""The neighbourhood of an answer as a small graph: cited sections and what they refer to."""

from typing import Any

import streamlit as st

from agent import pictures
from app.session import language, say
from app.texts import neighbourhood as words
from app.views import picture


def show(report: dict[str, Any]) -> None:
    """The picture, to be moved sideways on a narrow screen; nothing without references."""
    drawn = pictures.neighbourhood(report, language())
    if not drawn:
        return
    st.markdown(f"**{say(words.TITLE)}**")
    st.caption(say(words.HOW_TO_READ))
    picture.show(drawn)
