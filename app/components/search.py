"""A trial search in collections: its hits, the words that match, and why they were found."""

from collections.abc import Iterator, Mapping, Sequence

import streamlit as st

from agent.engine.layout import excerpt, mark_query_words
from app.components.collections import folders, titles
from app.components.widgets import bullets, date_field, location_link, row, select, show_errors
from app.components.widgets import highlight as as_markdown
from app.formats import plain
from app.locale import N_
from app.navigation import location
from app.session import _, engine, format_number, notice_text, pgettext, relevance_label
from services.domain import (
    CollectionInfo,
    DocumentInfo,
    Hit,
    SearchFilter,
    SearchMode,
    SearchRequest,
    SearchResult,
    Shelf,
)

MODES: dict[SearchMode, str] = {
    "hybrid": N_("meaning and keywords"),
    "vector": N_("meaning only"),
    "keyword": N_("keywords only"),
}
STRATEGY_RANK = {
    "vector": N_("Rank {rank} by meaning (similarity {score})."),
    "keyword": N_("Rank {rank} by keywords (score {score} out of 1)."),
    "label": N_("The query names this section."),
    "rerank": N_("Rank {rank} after reranking (score {score})."),
    "freshness": N_("Rank {rank} by age (freshness {score})."),
}
NOT_FOUND_BY = {
    "vector": N_("Not among the best matches by meaning."),
    "keyword": N_("Not among the best keyword matches."),
}
STRATEGIES = {"hybrid": ("vector", "keyword"), "vector": ("vector",), "keyword": ("keyword",)}
MAX_HITS = 100
EXCERPT_LENGTH = 600
MAX_WORDS = 4


def default_profile() -> str | None:
    """Return the person's default profile, None if it was deleted."""
    usual = engine().settings.preference("profile")
    return usual if usual in engine().settings.profiles() else None


def choose_profile(none: str) -> str | None:
    """Draw the choice of a profile, if the person has any; ``none`` labels having none."""
    names = engine().settings.profiles()
    if not names:
        return None
    options = [None, *names]
    return st.selectbox(
        _("Profile"),
        options,
        index=options.index(default_profile()),
        format_func=lambda name: none if name is None else name,
        key="profile",
    )


def highlight_query(text: str, query: str) -> str:
    """Return the best excerpt of a passage for a query as Markdown, words of the query in bold."""
    return as_markdown(mark_query_words(excerpt(text, query, EXCERPT_LENGTH), query))


def show(shelf: Shelf) -> None:
    """Draw the search form and its hits."""
    st.caption(_("See what research would find, and why."))
    here = shelf.collection_id
    chosen = _choose_collections(shelf)
    with st.form(f"search-{here}", border=False):
        query = st.text_input(
            _("Search documents"),
            placeholder=_("Words or a section, e.g. § 78 StrlSchG"),
            key="query",
        )
        ids = tuple(info.collection_id for info in chosen)
        request = _options(here, ids).model_copy(update={"query": query, "collections": ids})
        st.form_submit_button(_("Search"), type="primary", icon=":material/search:", key="search")
    if not query.strip():
        return
    only = request.only
    if only.since and only.until and only.since > only.until:
        st.warning(_("The date “from” is after the date “to”. Swap them."))
        return
    with show_errors():
        versions = tuple(info.content_version for info in chosen)
        result = _cached_search(request, versions)
        show_hits(request, result, _collections_of(chosen) if len(chosen) > 1 else {})


def _choose_collections(shelf: Shelf) -> Sequence[CollectionInfo]:
    """Draw the choice of collections or whole folders; none means the collection of the page."""
    filled = [info for info in engine().library.collections() if info.documents]
    if len(filled) < 2:
        return [shelf]
    by_id, names = {info.collection_id: info for info in filled}, titles(filled)
    options: dict[str, Sequence[str]] = {}
    for folder, members in folders(filled).items():
        ids = [info.collection_id for info in members]
        if folder and len(ids) > 1:
            options[folder] = ids
            names[folder] = f"{folder} ({_('collections: {count}', count=len(ids))})"
        options |= {id_: [id_] for id_ in ids}
    chosen = st.multiselect(
        _("Collections to search"),
        list(options),
        [shelf.collection_id] if shelf.collection_id in by_id else None,
        format_func=names.__getitem__,
        key=f"search-in-{shelf.collection_id}",
        select_all=False,
    )
    ids = list(dict.fromkeys(id_ for option in chosen for id_ in options[option]))
    return [by_id[id_] for id_ in ids] or [shelf]


def _collections_of(searched: Sequence[CollectionInfo]) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for info in searched:
        for document in engine().library.documents(info.collection_id):
            before = names.get(document.document_id)
            names[document.document_id] = f"{before}, {info.name}" if before else info.name
    return names


def _options(here: str, collections: Sequence[str]) -> SearchRequest:
    """Draw everything but the query, in a fold that is filled once it has been opened."""
    label, key = _("Search type and filters"), f"narrow-{here}"
    box = st.expander(label, icon=":material/tune:", key=key, on_change="rerun")
    opened: set[str] = st.session_state.setdefault("narrowed", set())
    if box.open:
        opened.add(here)
    elif here not in opened:
        return SearchRequest(query="", profile=default_profile())
    with box:
        documents = [info for id_ in collections for info in engine().library.documents(id_)]
        left, right = st.columns(2)
        mode = select(left, _("Search by"), MODES, "mode")
        k = right.number_input(
            _("Maximum hits"), 1, MAX_HITS, None, key="hits", placeholder=_("as configured")
        )
        profile = choose_profile(pgettext("profile of a search", "none"))
        return SearchRequest(
            query="", k=k, mode=mode, profile=profile, only=_filter(here, documents)
        )


def _filter(here: str, documents: Sequence[DocumentInfo]) -> SearchFilter:
    names = {info.document_id: info.document for info in documents}
    tags = sorted({tag for info in documents for tag in info.tags})
    chosen = st.multiselect(
        _("Only in these files"),
        list(names),
        format_func=names.__getitem__,
        placeholder=_("any"),
        key=f"in-documents-{here}",
    )
    label, key = _("Only with these tags"), f"with-tags-{here}"
    with_tags = st.multiselect(label, tags, placeholder=_("any"), key=key) if tags else []
    left, right = st.columns(2)
    since = date_field(left, _("Date from"), "since")
    until = date_field(right, _("Date to"), "until")
    return SearchFilter(documents=tuple(chosen), tags=tuple(with_tags), since=since, until=until)


def _cached_search(request: SearchRequest, versions: tuple[int, ...]) -> SearchResult:
    """Search, unless this window has just made the same search in the same content."""
    key = (request, versions)
    last: tuple[object, SearchResult] | None = st.session_state.get("found")
    if last is None or last[0] != key or st.session_state.get("search"):
        with st.spinner(_("Searching the documents …")):
            last = st.session_state["found"] = (key, engine().library.find(request))
    return last[1]


def show_hits(request: SearchRequest, result: SearchResult, collections: Mapping[str, str]) -> None:
    """Draw the hits and how each was found; ``collections`` are named by the id of a document."""
    for warning in result.warnings:
        st.warning(plain(notice_text(warning)))
    if result.hits:
        st.caption(_("hits: {count}", count=len(result.hits)))
    else:
        st.caption(_("Nothing found. Try other words, or remove filters."))
    if result.below:
        st.caption(_("Nothing reaches the minimum relevance. The closest passages:"))
    for hit in (*result.hits, *result.below):
        _hit(hit, request, collections.get(hit.document_id, ""))


def _hit(hit: Hit, request: SearchRequest, collection: str) -> None:
    with st.container(border=True, gap="small"):
        with row():
            where = f" :gray[{plain(collection)}]" if collection else ""
            st.markdown(f"**{plain(location(hit))}**{where}", width="stretch")
            location_link(_("Open passage"), hit)
        st.markdown(highlight_query(hit.text, request.query))
        if hit.recognised:
            st.caption(_("Recognised text: compare it with the image."))
        st.caption(
            f"{relevance_label(hit.relevance)}: {plain('; '.join(_why(hit, request.query)))}"
        )
        with st.expander(_("Details")):
            st.markdown(bullets(_reasons(hit, request)))


def _why(hit: Hit, query: str) -> Iterator[str]:
    runs = (piece.text for piece in mark_query_words(hit.text, query) if piece.marked)
    same = dict.fromkeys(word for run in runs for word in run.split())
    if "label" in hit.explain:
        yield _("the section named in the question")
    if same:
        yield _("same words: {words}", words=", ".join(list(same)[:MAX_WORDS]))
    if "vector" in hit.explain or not same:
        yield _("same meaning")


def _reasons(hit: Hit, request: SearchRequest) -> Iterator[str]:
    for name, score in hit.explain.items():
        value = format_number(score.score, 2)
        if text := STRATEGY_RANK.get(name):
            yield _(text, rank=score.rank, score=value)
        else:
            yield f"{plain(name)}: {score.rank} ({value})"
    for name in STRATEGIES[request.mode]:
        if name not in hit.explain:
            yield _(NOT_FOUND_BY[name])
    yield _("Relevance: {score}.", score=format_number(hit.relevance, 2))
    yield _("Combined score: {score}.", score=format_number(hit.score, 2))
