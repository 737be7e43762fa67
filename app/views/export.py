"""A thread as files to download; each is made only when somebody asks for it."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from agent.exports import FORMATS
from app.session import client, say
from app.texts import export as texts

WHOLE = ("pdf", "docx", "html", "md", "json")
SOURCES = ("bib", "ris")


def show(thread: str, kind: str = "research") -> None:
    """A popover with one download a format."""
    with st.popover(
        say(texts.EXPORT), icon=":material/download:", type="tertiary", key=f"export-{thread}"
    ):
        downloads(thread, kind)


def downloads(thread: str, kind: str = "research") -> None:
    """Every format of the report or of the answers of a thread, which has to have them.

    Args:
        thread: its id.
        kind: ``research``, or ``ask`` for a conversation.
    """
    st.caption(say(texts.EXPORT_CONVERSATION if kind == "ask" else texts.EXPORT_REPORT))
    _downloads(thread, WHOLE)
    st.caption(say(texts.EXPORT_SOURCES))
    _downloads(thread, SOURCES)


def _downloads(thread: str, names: Sequence[str]) -> None:
    # The file is made in a thread that has no session, so the client is looked up here.
    make = client().export_report
    with st.container(gap=None):
        for name in names:
            st.download_button(
                say(texts.FORMAT[name]),
                partial(make, thread, name),
                file_name=f"rabbithole-{thread}.{name}",
                mime=FORMATS[name].media_type,
                key=f"export-{thread}-{name}",
                on_click="ignore",
                type="tertiary",
            )
