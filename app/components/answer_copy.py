"""Copy an answer: as text with its sources, or as Markdown."""

import streamlit as st

from agent.ask.models import Answer
from app.components.notices import show_errors
from app.components.widgets import copy_button
from app.formats import one_line
from app.navigation import location
from app.session import _, engine


@st.fragment
def show(thread: str, turn: Answer) -> None:
    """Draw the button; the texts are made once it is opened."""
    popover = st.popover(
        _("Copy"),
        icon=":material/content_copy:",
        type="tertiary",
        key=f"copies-{thread}-{turn.turn}",
        on_change="rerun",
    )
    if popover.open:
        with popover, show_errors():
            export = engine().threads.export_report
            markdown = export(thread, "md", appendix=False, turn=turn.turn).decode()
            copy_button(_("Text with sources"), f"text-{turn.turn}", _with_sources(turn))
            copy_button(_("Markdown"), f"markdown-{turn.turn}", markdown)


def _with_sources(turn: Answer) -> str:
    """Return question and answer, whose sentences have numbers, and the numbered quotes."""
    quotes = (
        f"[{c.number}] {location(c, c.section_title)}: “{one_line(c.quote)}”"
        for c in turn.citations
    )
    return "\n".join([turn.question, "", turn.answer, "", *quotes]).strip()
