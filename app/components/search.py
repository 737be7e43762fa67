"""Trying a collection: what a search finds, the words that it is about marked, and why, plainly."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, get_args

import streamlit as st

from app.components.notices import reported
from app.components.widgets import bullets, day_input, open_link, row
from app.formats import plain
from app.navigation import document_url, place
from app.session import engine, labels, say, say_number, settings, tell
from app.texts import Text
from app.texts import search as texts
from services.domain import (
    DocumentInfo,
    Hit,
    SearchFilter,
    SearchMode,
    SearchRequest,
    SearchResult,
    Shelf,
)


def choose_profile(label: Text, none: Text) -> str | None:
    """A profile of one's own, where there are any; None for none."""
    names = engine().settings.profiles()
    if not names:
        return None
    known, without = engine().settings.preference("profile"), say(none)
    options = [None, *names]
    return st.selectbox(
        say(label),
        options,
        index=options.index(known) if known in names else 0,
        format_func=lambda name: without if name is None else name,
        key="profile",
    )


def usual_profile() -> str | None:
    """The profile that ``choose_profile`` begins with, for who is not asked."""
    known = engine().settings.preference("profile")
    return known if known is not None and known in engine().settings.profiles() else None


_WORD: Final = re.compile(r"[^\W_]+")
SHORTEST: Final = 3
"""Letters of a word that is marked; shorter ones are marked if they are numbers."""
SURE: Final = 5
"""Letters from which on a word may lose its ending, or be part of a compound."""
ENDING: Final = 2
_IDLE_WORDS: Final = """
aber als auch auf aus bei das dass dem den der des die diese dieser durch ein eine einem einen einer
eines für gelten gilt haben hat ich ist mit nach nicht oder sich sie sind über und unter vom von vor
was welche welcher welches wer werden wie wird zum zur
and are but for from has have how not that the their this was what when which who with
"""
IDLE: Final = frozenset(_IDLE_WORDS.split())
"""Words that carry grammar rather than content."""


def marked(text: str, query: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, in order, each with whether it is a word that the query names.

    Endings of words and the parts of German compounds are allowed for, roughly: the search
    itself has a stemmer, but a reader only wants to see at once why a passage is there.
    """
    wanted = tuple(_wanted(query))
    done = 0
    for found in _WORD.finditer(text):
        if _is_named(found[0].casefold(), wanted):
            if found.start() > done:
                yield text[done : found.start()], False
            yield found[0], True
            done = found.end()
    if done < len(text):
        yield text[done:], False


def excerpt(text: str, query: str, most: int) -> str:
    """Up to ``most`` characters, cut between words, from where the most words are named."""
    if len(text) <= most:
        return text
    wanted = tuple(_wanted(query))
    places = [m.start() for m in _WORD.finditer(text) if _is_named(m[0].casefold(), wanted)]
    counts = [sum(start <= place < start + most for place in places) for start in places]
    best = places[counts.index(max(counts))] if places else 0
    return _cut(text, min(max(0, best - most // 6), len(text) - most), most)


def _cut(text: str, start: int, most: int) -> str:
    """A window of the text without the halves of words at its ends."""
    window = text[start : start + most]
    if start > 0:
        window = "… " + (window.partition(" ")[2] or window)
    if start + most < len(text):
        window = (window.rpartition(" ")[0] or window) + " …"
    return window


def _wanted(query: str) -> Iterator[str]:
    for word in _WORD.findall(query.casefold()):
        if word.isdigit() or (len(word) >= SHORTEST and word not in IDLE):
            yield word


def _is_named(word: str, wanted: tuple[str, ...]) -> bool:
    return any(
        word == each or (len(each) >= SURE and each[: max(SURE, len(each) - ENDING)] in word)
        for each in wanted
    )


MOST_HITS = 100


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
        show_hits(request, _found(request, shelf.content_version))


def _options(here: str) -> SearchRequest:
    """Everything but the words of the search, in a box that is filled once it was opened.

    Closing it keeps what was chosen in it.
    """
    box = st.expander(
        say(texts.NARROW), icon=":material/tune:", key=f"narrow-{here}", on_change="rerun"
    )
    narrowed: set[str] = st.session_state.setdefault("narrowed", set())  # was opened for these
    if box.open:
        narrowed.add(here)
    elif here not in narrowed:
        return SearchRequest(query="", collections=(here,), k=settings().k, profile=usual_profile())
    with box:
        return _chosen(here)


def _chosen(here: str) -> SearchRequest:
    documents, modes = engine().library.documents(here), get_args(SearchMode)
    left, right = st.columns(2)
    mode = left.selectbox(say(texts.MODE), modes, format_func=labels(texts.MODES), key="mode")
    k = right.number_input(say(texts.K_HITS), 1, MOST_HITS, settings().k, key="hits")
    return SearchRequest(
        query="",
        collections=(here,),
        k=int(k),
        mode=mode,
        profile=choose_profile(texts.PROFILE, texts.NO_PROFILE),
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
    since = day_input(left, texts.FROM_DAY, "since")
    until = day_input(right, texts.TO_DAY, "until")
    return SearchFilter(documents=tuple(chosen), tags=tuple(with_tags), since=since, until=until)


def _found(request: SearchRequest, content_version: int) -> SearchResult:
    """What the search finds; drawing the page again is no reason to search again."""
    asked = (request, content_version)
    kept = st.session_state.get("found")
    if kept is None or kept[0] != asked or st.session_state.get("search"):
        with st.spinner(say(texts.SEARCHING)):
            kept = st.session_state["found"] = (asked, engine().library.find(request))
    result: SearchResult = kept[1]
    return result


SHOWN_CHARACTERS = 600
EXPECTED = {"hybrid": ("vector", "keyword"), "vector": ("vector",), "keyword": ("keyword",)}
"""Strategies that could have found a hit, by mode."""


def show_hits(request: SearchRequest, found: SearchResult) -> None:
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
        with row():
            where = place(hit.document, hit.section, hit.page)
            st.markdown(f"**{plain(where)}**", width="stretch")
            address = document_url(hit.document_id, hit.page, (hit.start, hit.end))
            open_link(texts.OPEN_PLACE, address)
        st.markdown(_passage(hit.text, request.query))
        st.caption(_relevance(hit.relevance))
        with st.expander(say(texts.WHY)):
            st.markdown(bullets(_reasons(hit, request)))


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
    return say(texts.RELEVANCE, words=say(words), relevance=say_number(relevance, 2))


def _reasons(hit: Hit, request: SearchRequest) -> Iterator[str]:
    """What every strategy says of the hit, and what that makes together."""
    for name, score in hit.explain.items():
        value = say_number(score.score, 2)
        if known := texts.STRATEGY_RANK.get(name):
            yield say(known, rank=score.rank, score=value)
        else:
            yield f"{plain(name)}: {score.rank} ({value})"
    for name in EXPECTED[request.mode]:
        if name not in hit.explain:
            yield say(texts.NOT_BY[name])
    yield say(texts.SUM_OF, score=say_number(hit.score, 2))
