"""Searching for an answer: once, or on the enhanced route once for each part of the question."""

from collections.abc import Sequence
from typing import Final

from agent.ask.graph_passages import GRAPH_LOADING, WithGraph, with_graph
from agent.ask.models import Found, Route
from agent.ask.state import AskState
from agent.ask.step import AskStep, timed
from agent.context import Context
from agent.models import ContextEntry
from agent.passages import as_entry, section_names
from agent.prompts import scan_words
from agent.step import Update
from agent.tiers import TIER_WEIGHT
from services.events import FoundPassage, KnowledgeRetrievalComplete, KnowledgeRetrievalStart
from services.extractive.definitions import defined_in, defined_term, definition_search
from services.extractive.questions import says_all
from services.query.language import detect_language
from services.query.values import Understanding
from services.retrieval.fusion import merge
from services.scan.dates import dated_filter
from services.types import Chunk, Hit, SearchFilter, SearchRequest, SearchResult

ENHANCED_SHARE: Final = 1.5
MOST_HITS: Final = 100
MOST_SEARCHES: Final = 4
SHOWN_SECTIONS: Final = 3
LOOKED_AT: Final = 3


@timed("retrieve")
async def retrieve(state: AskState, step: AskStep) -> Update:
    """Finds passages and says how near they are; whether that is enough is decided after."""
    known, route, context = state["understanding"], state["route"], step.context
    step.emit(
        KnowledgeRetrievalStart(
            collection_count=len(context.scope.collections), query=known.question, depth=route.depth
        )
    )
    wanted = searches(known, route)
    only = dated(known, step)
    options = state["options"]
    k = options.k if route.depth == "fast" else min(MOST_HITS, round(ENHANCED_SHARE * options.k))
    results = [
        await context.find(
            SearchRequest(
                query=query,
                collections=context.collections,
                k=k,
                profile=options.profile,
                only=only,
            )
        )
        for query in wanted
    ]
    own = results[: len(wanted) - _searches_definitions(known, wanted)]
    found = await with_graph(known, defining_first(known, joined(own, k), results), context)
    hits = found.hits
    if found.use is not None and found.use.loading:
        step.warn(GRAPH_LOADING)
    step.emit(
        KnowledgeRetrievalComplete(
            results_count=len(hits),
            documents=tuple(dict.fromkeys(hit.document for hit in hits)),
            sources=tuple(passage(hit) for hit in hits),
        )
    )
    for result in results:
        for warning in result.warnings:
            step.warn(warning)
    entries = [
        evidence(hit, rank, led_to=hit.chunk_id in found.led_to)
        for rank, hit in enumerate(hits, start=1)
    ]
    return {"evidence": entries, "found": summary(known, wanted, found, entries, results, context)}


def searches(known: Understanding, route: Route) -> tuple[str, ...]:
    """The question; on the enhanced route its parts too, where it has several.

    Where the meaning of a term is asked for, sections that define terms besides, as the last.
    """
    parts = known.subquestions if route.depth == "enhanced" else ()
    wanted = dict.fromkeys([known.question, *parts][:MOST_SEARCHES])
    term = defined_term(known.question, known.language)
    defining = definition_search(term, known.language) if term else None
    return (*wanted, defining) if defining else tuple(wanted)


def dated(known: Understanding, step: AskStep) -> SearchFilter:
    """Where to look for what a question with dates asks, told where it leaves something out."""
    context = step.context
    found = dated_filter(known.dates, scope=context.scope, catalog=context.catalog)
    if found.undated and known.dates is not None:
        step.warn(scan_words.undated(known.language, found.undated, applied=found.applied))
    return found.only


def joined(results: Sequence[SearchResult], k: int) -> list[Hit]:
    """The ``k`` best of all searches, each passage once."""
    best = {hit.chunk_id: hit for result in reversed(results) for hit in result.hits}
    ranked = merge([(hit.chunk_id, hit.score) for hit in result.hits] for result in results)
    return [best[chunk_id] for chunk_id, _ in ranked[:k]]


def defining_first(
    known: Understanding, hits: Sequence[Hit], results: Sequence[SearchResult]
) -> list[Hit]:
    """Passages that define the term whose meaning is asked for, then the others.

    Of what the search for definitions found only those are of use.
    """
    term = defined_term(known.question, known.language)
    if term is None:
        return list(hits)
    everything = {hit.chunk_id: hit for result in reversed(results) for hit in result.hits}
    first = [hit for hit in everything.values() if defined_in(hit.text, term, known.language)]
    first.sort(key=lambda hit: (-hit.relevance, hit.chunk_id))
    chosen = {hit.chunk_id for hit in first}
    return [*first, *(hit for hit in hits if hit.chunk_id not in chosen)][: max(len(hits), 1)]


def passage(hit: Hit) -> FoundPassage:
    fields = {"chunk_id", "document_id", "document", "section", "page", "relevance"}
    return FoundPassage(**hit.model_dump(include=fields))


def evidence(hit: Hit, rank: int, *, led_to: bool = False) -> ContextEntry:
    """A hit as evidence; ``led_to``: the knowledge graph brought it."""
    return as_entry(
        hit,
        tier=1,
        weight=TIER_WEIGHT[1],
        score=hit.relevance,
        source_type="graph" if led_to else "vector_search",
        query="",
        rank=rank,
    )


def _searches_definitions(known: Understanding, wanted: Sequence[str]) -> bool:
    """Whether the last search is one for definitions."""
    term = defined_term(known.question, known.language)
    return term is not None and wanted[-1] == definition_search(term, known.language)


def foreign(language: str, hits: Sequence[Chunk]) -> bool:
    """Whether none of the best passages is in this language."""
    texts = [hit.text for hit in hits[:LOOKED_AT]]
    return bool(texts) and all(detect_language(text, language) != language for text in texts)


def summary(
    known: Understanding,
    wanted: tuple[str, ...],
    found: WithGraph,
    entries: list[ContextEntry],
    results: Sequence[SearchResult],
    context: Context,
) -> Found:
    """What the decision for or against an answer goes by, and what a reader is told of it.

    How near the definitions of other terms are to a search for definitions tells nothing.
    """
    term, hits = defined_term(known.question, known.language), found.hits
    own = results[: len(wanted) - _searches_definitions(known, wanted)]
    near = [hit for result in own for hit in result.hits]
    keyword = [hit.explain["keyword"].score for hit in near if "keyword" in hit.explain]
    return Found(
        searches=wanted,
        results=len(hits),
        relevance=round(max((hit.relevance for hit in near), default=0.0), 4),
        coverage=round(max(keyword, default=0.0), 4),
        named=any("label" in hit.explain for hit in hits),
        defined=term is not None
        and any(defined_in(hit.text, term, known.language) for hit in hits),
        said=any(
            says_all(hit.text, search, known.language)
            for search, result in zip(wanted, own, strict=False)
            for hit in result.hits
        ),
        foreign=foreign(known.language, hits),
        from_cache=bool(results) and all(result.from_cache for result in results),
        cache=results[-1].cache,
        nearest=tuple(section_names(entries[:SHOWN_SECTIONS], context)),
        graph=found.use,
    )
