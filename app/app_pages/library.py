"""Library: collections, their documents, trying a search, and whether all is well."""

from collections.abc import Callable, Mapping

import streamlit as st

from app.components import collections, connections, documents, search, works
from app.components.notices import reported
from app.components.widgets import choose_part
from app.formats import plain
from app.locale import N_
from app.session import _, engine, say_number
from services.domain import Shelf

VIEW = "view"
VIEWS: Mapping[str, tuple[str, Callable[[Shelf], None]]] = {
    "documents": (N_("Documents"), documents.show),
    "search": (N_("Search"), search.show),
    "graph": (N_("Knowledge graph"), connections.show),
    "health": (N_("Health"), works.show_health),
    "manage": (N_("Manage"), collections.show),
}


def page() -> None:
    """Shows the page."""
    st.title(_("Library"), anchor=False)
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
    st.subheader(_("No documents yet"), anchor=False)
    works.show([])
    documents.sample_in_library()
    documents.upload(None)


def _collection(shelf: Shelf) -> None:
    st.subheader(plain(shelf.name), anchor=False)
    passages = _("passages: {chunks}", chunks=say_number(shelf.chunks))
    st.caption(f"{collections.facts(shelf)} · {passages}")
    if shelf.description:
        st.text(shelf.description)
    collections.offer_subscription(shelf)


def _view(shelf: Shelf) -> None:
    name = choose_part(_("View"), VIEWS, VIEW)
    with reported():
        VIEWS[name][1](shelf)


page()
