"""A search box that tries a collection: what it finds, where, and why, in plain words."""

from collections.abc import Sequence
from datetime import date
from typing import get_args

import streamlit as st

from app.session import client, labels, say, settings
from app.texts import search as texts
from app.views import profile_choice, search_hits
from app.views.notices import reported
from services.types import (
    DocumentInfo,
    SearchFilter,
    SearchMode,
    SearchRequest,
    SearchResult,
    Shelf,
)

MOST_HITS = 100
NARROWED = "narrowed"
"""Where a window keeps the collections for which the options were opened."""
OLDEST = date(1500, 1, 1)


def show(shelf: Shelf) -> None:
    """Searches the collection; nothing else of it is read unless filters are opened."""
    st.caption(say(texts.SEARCH_WHY))
    here = shelf.collection_id
    with st.form(f"search-{here}", border=False):
        query = st.text_input(say(texts.SEARCH), placeholder=say(texts.SEARCH_HINT), key="query")
        request = _options(here).model_copy(update={"query": query})
        st.form_submit_button(
            say(texts.SEARCH_NOW), type="primary", icon=":material/search:", key="search"
        )
    if not query.strip():
        return
    only = request.only
    if only.since and only.until and only.since > only.until:
        st.warning(say(texts.WRONG_RANGE))
        return
    with reported():
        search_hits.show(request, _found(request, shelf.content_version))


def _options(here: str) -> SearchRequest:
    """Everything but the words of the search, in a box that is filled once it was opened.

    Closing it keeps what was chosen in it.
    """
    box = st.expander(
        say(texts.NARROW), icon=":material/tune:", key=f"narrow-{here}", on_change="rerun"
    )
    narrowed: set[str] = st.session_state.setdefault(NARROWED, set())
    if box.open:
        narrowed.add(here)
    elif here not in narrowed:
        return SearchRequest(
            query="", collections=(here,), k=settings().k, profile=profile_choice.usual()
        )
    with box:
        return _chosen(here)


def _chosen(here: str) -> SearchRequest:
    documents = client().documents(here)
    modes = get_args(SearchMode)
    left, right = st.columns(2)
    mode = left.selectbox(say(texts.MODE), modes, format_func=labels(texts.MODES), key="mode")
    k = right.number_input(say(texts.K_HITS), 1, MOST_HITS, settings().k, key="hits")
    return SearchRequest(
        query="",
        collections=(here,),
        k=int(k),
        mode=mode,
        profile=_profile(),
        only=_only(here, documents),
    )


def _only(here: str, documents: Sequence[DocumentInfo]) -> SearchFilter:
    names = {info.document_id: info.document for info in documents}
    tags = sorted({tag for info in documents for tag in info.tags})
    any_ = say(texts.ANY)
    chosen = st.multiselect(
        say(texts.IN_DOCUMENTS),
        list(names),
        format_func=names.__getitem__,
        placeholder=any_,
        key=f"in-documents-{here}",
    )
    with_tags = (
        st.multiselect(say(texts.WITH_TAGS), tags, placeholder=any_, key=f"with-tags-{here}")
        if tags
        else []
    )
    left, right = st.columns(2)
    since = left.date_input(
        say(texts.FROM_DAY), None, min_value=OLDEST, format="YYYY-MM-DD", key="since"
    )
    until = right.date_input(
        say(texts.TO_DAY), None, min_value=OLDEST, format="YYYY-MM-DD", key="until"
    )
    return SearchFilter(documents=tuple(chosen), tags=tuple(with_tags), since=since, until=until)


def _profile() -> str | None:
    """The profile whose parameters, reranking among them, the search is to use."""
    return profile_choice.choose(texts.PROFILE, texts.NO_PROFILE)


def _found(request: SearchRequest, content_version: int) -> SearchResult:
    """What the search finds; drawing the page again is no reason to search again."""
    asked = (request, content_version)
    kept = st.session_state.get("found")
    if kept is None or kept[0] != asked or st.session_state.get("search"):
        with st.spinner(say(texts.SEARCHING)):
            kept = st.session_state["found"] = (asked, client().find(request))
    result: SearchResult = kept[1]
    return result
