"""Library: collections, their documents, trying a search, and whether all is well."""

from collections.abc import Callable, Mapping

import streamlit as st

from app import texts as common
from app.components import collections, connections, documents, health, ingestion, search, works
from app.components.notices import reported
from app.components.widgets import choose_part
from app.formats import plain
from app.session import engine, say
from app.texts import Text
from app.texts import graph as graph_texts
from app.texts import library as texts
from services.domain import Shelf

VIEW = "view"
VIEWS: Mapping[str, tuple[Text, Callable[[Shelf], None]]] = {
    "documents": (texts.DOCUMENTS_VIEW, documents.show),
    "search": (texts.SEARCH_VIEW, search.show),
    "graph": (graph_texts.VIEW, connections.show),
    "health": (texts.HEALTH_VIEW, health.show),
    "manage": (texts.MANAGE_VIEW, collections.show),
}


def page() -> None:
    """Shows the page."""
    st.title(say(common.LIBRARY), anchor=False)
    with reported():
        shelves = engine().library.shelves()
        chosen = collections.chosen(shelves)
        left, right = st.columns([1, 3], gap="large")
        with left:
            collections.show_list(shelves, chosen)
            collections.restore()
        with right:
            if chosen is None:
                _first_visit()
            else:
                _collection(chosen)
                works.show(shelves)
                _view(chosen)


def _first_visit() -> None:
    """Nothing to read yet: how to begin, and what is on its way."""
    st.subheader(say(common.NO_DOCUMENTS), anchor=False)
    works.show([])
    ingestion.sample_in_library()
    ingestion.upload(None)


def _collection(shelf: Shelf) -> None:
    st.subheader(plain(shelf.name), anchor=False)
    sizes = say(texts.FACTS, documents=shelf.documents, chunks=shelf.chunks)
    visible = say(texts.VISIBLE_TO[shelf.visibility])
    st.caption(" · ".join([sizes, visible, collections.whose(shelf)]))
    if shelf.description:
        st.text(shelf.description)
    collections.offer_subscription(shelf)


def _view(shelf: Shelf) -> None:
    name = choose_part(texts.VIEW, {each: text for each, (text, _) in VIEWS.items()}, VIEW)
    with reported():
        VIEWS[name][1](shelf)


page()
