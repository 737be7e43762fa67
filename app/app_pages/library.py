"""Library: collections, their documents, trying a search, and whether all is well."""

from collections.abc import Callable, Mapping

import streamlit as st

from app import texts as common
from app.sanitise import plain
from app.session import client, labels, say
from app.texts import Text
from app.texts import graph as graph_texts
from app.texts import library as texts
from app.views import (
    archives,
    collection_settings,
    collections,
    connections,
    documents,
    health,
    ingestion,
    search,
    works,
)
from app.views.notices import reported
from services.types import Shelf

VIEW = "view"
VIEWS: Mapping[str, tuple[Text, Callable[[Shelf], None]]] = {
    "documents": (texts.DOCUMENTS_VIEW, documents.show),
    "search": (texts.SEARCH_VIEW, search.show),
    "graph": (graph_texts.VIEW, connections.show),
    "health": (texts.HEALTH_VIEW, health.show),
    "manage": (texts.MANAGE_VIEW, collection_settings.show),
}


def page() -> None:
    """Shows the page."""
    st.title(say(common.LIBRARY), anchor=False)
    with reported():
        shelves = client().shelves()
        chosen = collections.chosen(shelves)
        left, right = st.columns([1, 3], gap="large")
        with left:
            collections.show(shelves, chosen)
            archives.restore()
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
    ingestion.offer_sample()
    ingestion.upload(None)


def _collection(shelf: Shelf) -> None:
    st.subheader(plain(shelf.name), anchor=False)
    sizes = say(texts.FACTS, documents=shelf.documents, chunks=shelf.chunks)
    visible = say(texts.VISIBLE_TO[shelf.visibility])
    st.caption(" · ".join([sizes, visible, collections.whose(shelf)]))
    if shelf.description:
        st.text(shelf.description)
    collection_settings.offer_subscription(shelf)


def _view(shelf: Shelf) -> None:
    name = st.query_params.get(VIEW, "")
    if name not in VIEWS:
        name = next(iter(VIEWS))
    st.session_state[VIEW] = name
    st.segmented_control(
        say(texts.VIEW),
        list(VIEWS),
        required=True,
        format_func=labels({each: text for each, (text, _) in VIEWS.items()}),
        key=VIEW,
        on_change=_take_up,
        label_visibility="collapsed",
        wrap=True,
    )
    with reported():
        VIEWS[name][1](shelf)


def _take_up() -> None:
    """Puts the view into the URL, so that a refresh keeps it."""
    st.query_params[VIEW] = st.session_state[VIEW]


page()
