"""Retrieval of the structured route: the plan's sub-queries, and once what they left open.

Every sub-query goes through every strategy, all at once; their findings become one ranking.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from agent.ask.graph_passages import GRAPH_LOADING, allowed, usable_graph
from agent.ask.models import RetrievalSummary
from agent.ask.retrieve import dated, nearest, searched, tell_found, tell_start
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.ask.structured.assess import assess
from agent.context import Context
from agent.prompts import say
from agent.step import Step, Update
from services.domain import CacheStatistics, Evidence, SearchFilter
from services.graph.search import KnowledgeGraph
from services.retrieval.named import dated_filter
from services.structured.fusion import (
    GAP_IN_ALL,
    GAP_PER_QUERY,
    TOP_K,
    WEIGHTS,
    fuse_queries,
    fuse_strategies,
    merge_gap_pass,
    passages_per_query,
    strategy_weights,
)
from services.structured.values import Assessment, Pass, Plan, SubQuery, SubQuerySearch

AT_ONCE: Final = 10
"""Sub-queries that are searched for at the same time."""

JUDGED: Final = 5
"""Passages that are judged for each item in each pass, the best of its sub-queries."""

FIRST_OF_EACH: Final = 2
"""Best passages of each strategy that are judged besides: none is outvoted unread."""

T = TypeVar("T")
Ranking = list[tuple[str, float]]
Entities = tuple[tuple[str, str], ...]
"""Names and kinds of what the graph linked a query to."""

NO_CACHE = CacheStatistics(size=0, hits=0, misses=0, hit_rate=0.0)


@dataclass(frozen=True)
class _Found:
    """What the strategies found for a sub-query, by strategy and as one ranking."""

    sub_query: SubQuery
    rankings: Mapping[str, Ranking]
    fused: Ranking
    entities: Entities


async def search_all(
    sub_queries: Sequence[SubQuery],
    plan: Plan,
    only: SearchFilter,
    context: Context,
    *,
    least: float,
    gap: bool = False,
) -> Pass:
    """One pass of retrieval, the second one for a ``gap`` in what the first found.

    Search finds none of less relevance than ``least``; what the graph leads to is near by its tie.

    The question type of the plan weighs the strategies; its entities are hints for the graph.
    """
    each, in_all = (
        (GAP_PER_QUERY, GAP_IN_ALL) if gap else (passages_per_query(len(sub_queries)), TOP_K)
    )
    graph, loading = await asyncio.to_thread(usable_graph, context)
    available = ("vector", "keyword", "label", *(("graph",) if graph else ()))
    weights = strategy_weights(plan.question_type, available)
    turn = asyncio.Semaphore(AT_ONCE)

    async def search(sub_query: SubQuery) -> _Found:
        async with turn:
            found = await _searched(sub_query.query, plan, only, least, each, graph, context)
        return _Found(sub_query, found[0], fuse_strategies(found[0], weights, each), found[1])

    found = await asyncio.gather(*(search(sub_query) for sub_query in sub_queries))
    of_item: dict[str, list[_Found]] = {}
    for one in found:
        of_item.setdefault(one.sub_query.target_info, []).append(one)
    return Pass(
        ranking=tuple(fuse_queries([one.fused for one in found], in_all)),
        by_item={item: _read(own) for item, own in of_item.items()},
        named={
            item: _ids(*(one.rankings.get("label", ()) for one in own))
            for item, own in of_item.items()
        },
        searches=tuple(
            SubQuerySearch(
                **one.sub_query.model_dump(),
                strategy_weights=dict(WEIGHTS[plan.question_type]),
                weights=weights,
                found={name: len(ranking) for name, ranking in sorted(one.rankings.items())},
                gap=gap,
            )
            for one in found
        ),
        entities=_once(*(one.entities for one in found)),
        graph_loading=loading,
    )


def _read(own: Sequence[_Found]) -> tuple[str, ...]:
    """The best passages for an item by all strategies together, then the best of each."""
    firsts = (ranking[:FIRST_OF_EACH] for one in own for _, ranking in sorted(one.rankings.items()))
    return _ids(fuse_queries([one.fused for one in own], JUDGED), *firsts)


def _ids(*rankings: Sequence[tuple[str, float]]) -> tuple[str, ...]:
    return _once(*([identifier for identifier, _ in ranking] for ranking in rankings))


def _once(*several: Sequence[T]) -> tuple[T, ...]:
    """What stands in several sequences, in order, each once."""
    return tuple(dict.fromkeys(value for values in several for value in values))


async def _searched(
    query: str,
    plan: Plan,
    only: SearchFilter,
    least: float,
    most: int,
    graph: KnowledgeGraph | None,
    context: Context,
) -> tuple[dict[str, Ranking], Entities]:
    """What all strategies find, graph and indexes side by side, and what the graph linked."""
    indexes = asyncio.to_thread(
        context.retriever.rankings, query, scope=context.scope, only=only, min_relevance=least
    )
    if graph is None:
        return await indexes, ()
    walking = asyncio.to_thread(graph.search, query, context.scope, k=most, hints=plan.entity_hints)
    rankings, walked = await asyncio.gather(indexes, walking)
    scores = {passage.chunk_id: passage.score for passage in walked.passages}
    kept = await asyncio.to_thread(allowed, scores, only, context)
    entities = tuple((linked.node.name, linked.node.kind) for linked in walked.entities)
    return {**rankings, "graph": [(name, scores[name]) for name in kept]}, entities


def merged(main: Pass, gap: Pass) -> Pass:
    """Both passes as one; of the first nothing is lost."""

    def joined(field: str) -> dict[str, tuple[str, ...]]:
        first, second = getattr(main, field), getattr(gap, field)
        return {item: _once(first.get(item, ()), second.get(item, ())) for item in first | second}

    return Pass(
        ranking=tuple(merge_gap_pass(main.ranking, gap.ranking)),
        by_item=joined("by_item"),
        named=joined("named"),
        searches=(*main.searches, *gap.searches),
        entities=_once(main.entities, gap.entities),
        graph_loading=main.graph_loading,
    )


@timed("retrieval")
async def gather(state: AskState, step: Step) -> Update:
    """Searches for everything at once and judges what it is worth.

    A day that the question names may be one that the documents speak of, not one that they are of:
    where none is, all of them are searched.
    """
    plan, understanding = state["plan"], state["understanding"]
    tell_start(state, step)
    only = dated(understanding.model_copy(update={"dates": plan.dates}), step)
    found = await _first_pass(only, state, step)
    if found.graph_loading:
        step.warn(GRAPH_LOADING)
    if found.ranking or only.neutral:
        return await _judged(state, found, step)
    step.warn(say(understanding.language, "none_of_that_time"))
    undated = plan.model_copy(update={"dates": None})
    found = await _first_pass(SearchFilter(), state, step)
    return {**await _judged({**state, "plan": undated}, found, step), "plan": undated}


async def _first_pass(only: SearchFilter, state: AskState, step: Step) -> Pass:
    """All sub-queries; where one thing is asked, with all that the fast route would read for it."""
    plan, options, context = state["plan"], state["options"], step.context
    found = await search_all(plan.sub_queries, plan, only, context, least=options.min_relevance)
    if len(plan.required_info) > 1:
        return found
    (item,) = plan.required_info
    question = state["understanding"].question
    result = await searched(question, options.k, options.profile, only, step)
    ids = _once([hit.chunk_id for hit in result.hits], found.by_item[item])
    return found.model_copy(update={"by_item": {item: ids}})


@timed("retrieval")
async def fill_gaps(state: AskState, step: Step) -> Update:
    """One more pass for what is missing; nothing of the first is lost, all is judged again."""
    plan, first, context = state["plan"], state["gathered"], step.context
    if first is None:
        raise ValueError("the gap pass comes after the first")
    tell_start(state, step)
    only = dated_filter(plan.dates, scope=context.scope, catalog=context.catalog).only
    queries, least = state["judgement"].queries, state["options"].min_relevance
    second = await search_all(queries, plan, only, context, least=least, gap=True)
    return await _judged(state, merged(first, second), step)


async def _judged(state: AskState, found: Pass, step: Step) -> Update:
    assessment, entries = await asyncio.to_thread(assess, found, state, step.context)
    tell_found(entries, step)
    summary = await asyncio.to_thread(_summary, found, assessment, entries, step)
    return {"gathered": found, "assessment": assessment, "evidence": entries, "found": summary}


def _summary(
    found: Pass, assessment: Assessment, entries: list[Evidence], step: Step
) -> RetrievalSummary:
    """What a refusal and ``--explain`` tell of the search; it goes past the cache of searches."""
    evidence = [passage for item in assessment.required for passage in item.evidence]
    return RetrievalSummary(
        searches=_once([search.query for search in found.searches]),
        results=len(entries),
        relevance=max((entry.score for entry in entries), default=0.0),
        coverage=assessment.coverage,
        named=any(passage.named for passage in evidence),
        from_cache=False,
        cache=NO_CACHE,
        **nearest(entries, step),
    )
