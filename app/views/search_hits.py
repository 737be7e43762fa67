"""Hits of a search: the place, the passage with its words marked, and why it was found."""

from collections.abc import Iterator

import streamlit as st

from app.formats import number
from app.marking import excerpt, marked
from app.sanitise import plain
from app.session import language, say, tell
from app.texts import search as texts
from app.views.places import document_url, place
from services.types import Hit, SearchRequest, SearchResult

SHOWN_CHARACTERS = 600
EXPECTED = {"hybrid": ("vector", "keyword"), "vector": ("vector",), "keyword": ("keyword",)}
"""Strategies that could have found a hit, by mode."""


def show(request: SearchRequest, found: SearchResult) -> None:
    """Shows what was found, and how."""
    for warning in found.warnings:
        st.warning(plain(tell(warning)))
    if not found.hits:
        st.caption(say(texts.NOTHING_MATCHES))
        return
    st.caption(_summary(found))
    for hit in found.hits:
        _hit(hit, request)


def _summary(found: SearchResult) -> str:
    parts = [say(texts.FOUND, count=len(found.hits))]
    if any("rerank" in hit.explain for hit in found.hits):
        parts.append(say(texts.RERANKED))
    if found.from_cache:
        parts.append(say(texts.FROM_CACHE))
    return " · ".join(parts)


def _hit(hit: Hit, request: SearchRequest) -> None:
    with st.container(border=True, gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            where = place(hit.document, hit.section, hit.page)
            st.markdown(f"**{plain(where)}**", width="stretch")
            st.link_button(
                say(texts.OPEN_PLACE),
                document_url(hit.document_id, hit.page, (hit.start, hit.end)),
                type="tertiary",
                icon=":material/arrow_outward:",
            )
        st.markdown(_passage(hit.text, request.query))
        st.caption(_relevance(hit.relevance))
        with st.expander(say(texts.WHY)):
            st.markdown("\n".join(f"- {line}" for line in _reasons(hit, request)))


def _passage(text: str, query: str) -> str:
    """The passage as Markdown, the words of the query bold."""
    pieces = marked(excerpt(text, query, SHOWN_CHARACTERS), query)
    return "".join(f"**{plain(piece)}**" if named else _between(piece) for piece, named in pieces)


def _between(piece: str) -> str:
    """Text between marked words: ``plain`` drops the blanks at its ends."""
    head = " " if piece[:1].isspace() else ""
    tail = " " if piece[-1:].isspace() and piece.strip() else ""
    return f"{head}{plain(piece)}{tail}"


def _relevance(relevance: float) -> str:
    words = next(text for least, text in texts.FITS.items() if relevance >= least)
    return say(texts.RELEVANCE, words=say(words), relevance=number(relevance, language(), 2))


def _reasons(hit: Hit, request: SearchRequest) -> Iterator[str]:
    """What every strategy says of the hit, and what that makes together."""
    for name, score in hit.explain.items():
        known = texts.STRATEGY_RANK.get(name)
        value = number(score.score, language(), 2)
        yield (
            say(known, rank=score.rank, score=value)
            if known
            else f"{plain(name)}: {score.rank} ({value})"
        )
    for name in EXPECTED[request.mode]:
        if name not in hit.explain:
            yield say(texts.NOT_BY[name])
    yield say(texts.SUM_OF, score=number(hit.score, language(), 2))
