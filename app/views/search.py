"""A search box that tries the documents and says why each hit was found."""

import streamlit as st

from app import texts
from app.formats import number
from app.sanitise import plain
from app.session import client, language, say
from app.views.notices import reported
from app.views.places import place
from services.types import Hit, SearchRequest

SHOWN_CHARACTERS = 700
HITS = 10


def show(collection: str | None) -> None:
    """Searches one collection, or all."""
    with st.form("search", border=False):
        query = st.text_input(say(texts.SEARCH), placeholder=say(texts.SEARCH_HINT), key="query")
        st.form_submit_button(say(texts.SEARCH_NOW), key="search")
    if not query.strip():
        return
    with reported():
        names = (collection,) if collection else None
        found = client().find(SearchRequest(query=query, collections=names, k=HITS))
        for warning in found.warnings:
            st.warning(plain(warning))
        if not found.hits:
            st.caption(say(texts.NOTHING_MATCHES))
        for hit in found.hits:
            _hit(hit)


def _hit(hit: Hit) -> None:
    with st.container(border=True):
        st.markdown(f"**{plain(place(hit.document, hit.section, hit.page))}**")
        st.caption(
            say(
                texts.HIT_WHY,
                relevance=number(hit.relevance, language(), 2),
                ranks=" · ".join(_rank(name, found.rank) for name, found in hit.explain.items()),
            )
        )
        more = " …" if len(hit.text) > SHOWN_CHARACTERS else ""
        st.text(hit.text[:SHOWN_CHARACTERS] + more)


def _rank(strategy: str, rank: int) -> str:
    known = texts.STRATEGY_RANK.get(strategy)
    return say(known, rank=rank) if known else f"{plain(strategy)} {rank}"
