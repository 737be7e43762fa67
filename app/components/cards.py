"""The best passages of a search as cards, before any model has spoken."""

import streamlit as st

from app.components.search import marked
from app.components.widgets import page_link, row
from app.formats import plain
from app.navigation import place
from app.session import _, engine, kept
from services.domain.events import KnowledgeRetrievalComplete

SHOWN = 3


def show(question: str, found: KnowledgeRetrievalComplete) -> None:
    """The first passages with their places; words of the question are strong."""
    wanted = tuple(each.chunk_id for each in found.sources[:SHOWN])
    for number, passage in enumerate(
        kept("cards", wanted, lambda: engine().library.passages(wanted)), start=1
    ):
        with st.container(key=f"card-found-{number}"):
            st.markdown(marked(passage.text, question))
            with row(key=f"place-found-{passage.chunk_id}"):
                where = plain(place(passage.document, passage.section, passage.page))
                page_link(where, passage, help=_("Opens the page with the passage marked."))
