"""Searching for an answer: for the question, and for each of its parts where it has several."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from agent.ask.budgets import BUDGETS
from agent.ask.graph_passages import GRAPH_LOADING, with_graph
from agent.ask.models import GraphUse, RetrievalSummary
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.passages import evidence_of
from agent.prompts import say
from agent.sources import section_names
from agent.step import Step, Update
from services.domain import Evidence, Hit, PassageSpan, SearchFilter, SearchRequest, SearchResult
from services.domain.events import FoundPassage, KnowledgeRetrievalComplete, KnowledgeRetrievalStart
from services.language.query.values import Understanding
from services.retrieval.named import dated_filter
from services.retrieval.scoring import merge
from services.structured.decomposition import decompose_by_rules

SHOWN_SECTIONS: Final = 3


@timed("retrieve")
async def retrieve(state: AskState, step: Step) -> Update:
    """Finds passages and says how near they are; whether that is enough is decided after.

    Searches for the question, and where it has several parts for ``k`` passages of each too.
    """
    tell_start(state, step)
    understanding, options, context = state["understanding"], state["options"], step.context
    only, parts = dated(understanding, step), decompose_by_rules(understanding).sub_queries
    queries = list(dict.fromkeys([understanding.question, *(part.query for part in parts)]))
    k = BUDGETS[state["route"].depth].hits(options.k)
    results = [await searched(query, k, options.profile, only, step) for query in queries]
    best = joined(results, k * len(parts))
    hits, use = await with_graph(understanding, best, only, context)
    if use is not None and use.loading:
        step.warn(GRAPH_LOADING)
    led_to = [way.chunk_id for way in use.ways] if use else ()
    return told(queries, hits, entries_of(hits, led_to), results, step, use)


def dated(understanding: Understanding, step: Step) -> SearchFilter:
    """Where to look for what a question with dates asks, told where it leaves something out."""
    context = step.context
    found = dated_filter(understanding.dates, scope=context.scope, catalog=context.catalog)
    if found.undated and understanding.dates is not None:
        key = "undated_left_out" if found.applied else "undated"
        step.warn(say(understanding.language, key, found.undated))
    return found.only


def joined(results: Sequence[SearchResult], k: int) -> list[Hit]:
    """The ``k`` best of all searches, each passage once."""
    best = {hit.chunk_id: hit for result in reversed(results) for hit in result.hits}
    ranked = merge([(hit.chunk_id, hit.score) for hit in result.hits] for result in results)
    return [best[chunk_id] for chunk_id, _ in ranked[:k]]


async def searched(
    query: str, k: int, profile: str | None, only: SearchFilter, step: Step, *, far: bool = False
) -> SearchResult:
    """What a person's own search would find for a query; its warnings are told.

    With ``far`` what is less relevant than the person wants, too.
    """
    context = step.context
    request = SearchRequest(
        query=query, collections=context.collections, k=k, profile=profile, only=only, far=far
    )
    result = await context.find(request)
    context.passages.add(result.hits)
    for warning in result.warnings:
        step.warn(warning)
    return result


def entries_of(hits: Sequence[Hit], led_to: Collection[str] = ()) -> list[Evidence]:
    """Hits in their order as evidence; ``led_to`` are those that the graph brought."""
    return [
        evidence_of(
            hit,
            score=hit.relevance,
            source_type="graph" if hit.chunk_id in led_to else "vector_search",
            rank=rank,
        )
        for rank, hit in enumerate(hits, start=1)
    ]


def tell_start(state: AskState, step: Step) -> None:
    """Tells that passages are searched for, and how the question is going to be answered."""
    step.emit(
        KnowledgeRetrievalStart(
            collection_count=len(step.context.scope.collections),
            query=state["understanding"].question,
            depth=state["route"].depth,
        )
    )


def tell_found(entries: Sequence[Evidence], step: Step) -> None:
    """Tells which passages were found, without their text."""
    fields = {"chunk_id", "document_id", "document", "section", "page"}
    step.emit(
        KnowledgeRetrievalComplete(
            results_count=len(entries),
            documents=tuple(dict.fromkeys(entry.document for entry in entries)),
            sources=tuple(
                FoundPassage(**entry.model_dump(include=fields), relevance=entry.score)
                for entry in entries
            ),
        )
    )


def told(
    queries: Iterable[str],
    hits: Sequence[Hit],
    entries: list[Evidence],
    results: Sequence[SearchResult],
    step: Step,
    graph: GraphUse | None = None,
) -> Update:
    """Tells what was found; the evidence, and its summary for a reader, as the update of a node."""
    tell_found(entries, step)
    near = [hit for result in results for hit in result.hits or result.below]
    shown = entries or entries_of(near)
    keyword = [hit.explain["keyword"].score for hit in near if "keyword" in hit.explain]
    summary = RetrievalSummary(
        searches=tuple(queries),
        results=len(entries),
        relevance=round(max((hit.relevance for hit in near), default=0.0), 4),
        coverage=round(max(keyword, default=0.0), 4),
        named=any("label" in hit.explain for hit in hits),
        from_cache=bool(results) and all(result.from_cache for result in results),
        cache=results[-1].cache,
        **nearest(shown, step),
        graph=graph,
    )
    return {"evidence": entries, "found": summary}


def nearest(entries: Sequence[Evidence], step: Step) -> dict[str, Any]:
    """The sections that a summary names, with where they are."""
    names = section_names(entries[:SHOWN_SECTIONS], step.context)
    spans = (entry.model_dump(include=set(PassageSpan.model_fields)) for entry in names.values())
    return {"nearest": tuple(names), "nearest_at": tuple(map(PassageSpan.model_validate, spans))}
