"""Copy an answer with its sources."""

import streamlit as st

from agent.ask.models import Answer
from app.components.widgets import copy_button
from app.formats import one_line
from app.navigation import location
from app.session import _


@st.fragment
def show(turn: Answer) -> None:
    """Draw the button that copies an answer."""
    copy_button(_("Copy"), f"text-{turn.turn}", _with_sources(turn))


def _with_sources(turn: Answer) -> str:
    """Return question and answer, whose sentences have numbers, and the numbered quotes."""
    quotes = (
        f"[{c.number}] {location(c, c.section_title)}: “{one_line(c.quote)}”"
        for c in turn.citations
    )
    return "\n".join([turn.question, "", turn.answer, "", *quotes]).strip()
