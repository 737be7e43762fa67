"""The library: collections, their documents, search, knowledge graph and health."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from app.components import (
    collections,
    documents,
    knowledge_graph,
    library_health,
    library_jobs,
    search,
    upload,
)
from app.components.widgets import choose_view, row, show_errors
from app.formats import plain
from app.locale import N_
from app.session import _, engine, format_number
from services.domain import Shelf

VIEWS: Mapping[str, tuple[str, Callable[[Shelf], None]]] = {
    "documents": (N_("Documents"), documents.show),
    "search": (N_("Search"), search.show),
    "graph": (N_("Knowledge graph"), knowledge_graph.show),
    "health": (N_("Health"), library_health.show),
    "manage": (N_("Manage"), collections.show),
}


def _collection(shelf: Shelf, shelves: Sequence[Shelf]) -> None:
    with row():
        st.subheader(plain(shelf.name), anchor=False, width="stretch")
        if shelf.changeable:
            collections.share(shelf)
    passages = _("passages: {chunks}", chunks=format_number(shelf.chunks))
    st.caption(f"{collections.facts(shelf)} · {passages}")
    if shelf.description:
        st.text(shelf.description)
    collections.offer_subscription(shelf)
    with st.container():  # does not move the view below; see streamlit_app.py
        library_jobs.show(shelves, with_summaries=False)
    name = choose_view(_("View"), VIEWS, "view")
    with show_errors():
        VIEWS[name][1](shelf)


st.title(_("Library"), anchor=False)
with show_errors():
    shelves = engine().library.shelves()
    chosen = collections.chosen(shelves)
    left, right = st.columns([1, 3], gap="large")
    with left:
        collections.show_list(shelves, chosen)
        collections.restore()
    with right:
        if chosen is None:
            st.subheader(_("No documents yet"), anchor=False)
            with st.container():
                library_jobs.show([])
            st.markdown(_("Add your own here, or try the samples on the first page."))
            upload.show(None)
        else:
            _collection(chosen, shelves)
