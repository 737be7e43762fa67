"""Retrieval of the structured route: the plan's sub-queries, and once what they left open.

Every sub-query goes through every strategy, all at once; their findings become one ranking.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent.ask.graph_passages import GRAPH_LOADING
from agent.ask.models import RetrievalSummary
from agent.ask.retrieve import SHOWN_SECTIONS, dated, searched, tell_found, tell_start
from agent.ask.state import AskState
from agent.ask.step import AskContext, AskStep, timed
from agent.ask.structured.assess import assess
from agent.prompts import say
from agent.sources import section_names
from agent.step import Update
from services.domain import CacheStatistics, Evidence, SearchFilter
from services.graph.search import KnowledgeGraph
from services.retrieval.scan.asked import dated_filter
from services.structured.fusion import (
    GAP_IN_ALL,
    GAP_PER_QUERY,
    TOP_K,
    across,
    of_strategies,
    per_query,
    strategy_weights,
    with_gap_pass,
)
from services.structured.values import Assessment, Pass, Plan, SubQuery, SubQuerySearch

AT_ONCE: Final = 10
"""Sub-queries that are searched for at the same time."""

JUDGED: Final = 5
"""Passages that are judged for each item in each pass, the best of its sub-queries."""

FIRST_OF_EACH: Final = 2
"""Best passages of each strategy that are judged besides: none is outvoted unread."""

Rankings = dict[str, list[tuple[str, float]]]

NO_CACHE = CacheStatistics(size=0, hits=0, misses=0, hit_rate=0.0)


@dataclass(frozen=True)
class Limits:
    """How many passages a sub-query and a whole pass may bring."""

    per_query: int
    in_all: int


@dataclass(frozen=True)
class _Found:
    """What the strategies found for a sub-query, and this as one ranking.

    ``entities`` are (name, kind).
    """

    sub_query: SubQuery
    rankings: Rankings
    fused: list[tuple[str, float]]
    entities: tuple[tuple[str, str], ...] = ()


async def search_all(
    sub_queries: Sequence[SubQuery],
    plan: Plan,
    only: SearchFilter,
    limits: Limits,
    context: AskContext,
    *,
    gap: bool = False,
) -> Pass:
    """One pass of retrieval.

    The question type of the plan weighs the strategies; its entities are hints for the graph.
    """
    graph, loading = await asyncio.to_thread(_graph, context)
    available = ("vector", "keyword", "label", *(("graph",) if graph else ()))
    weights = strategy_weights(plan.question_type, available)
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(sub_query: SubQuery) -> _Found:
        query, most = sub_query.query, limits.per_query
        async with turn:
            rankings, entities = await _searched(query, plan, only, most, graph, context)
        return _Found(sub_query, rankings, of_strategies(rankings, weights, most), entities)

    found = await asyncio.gather(*(one(each) for each in sub_queries))
    items = tuple(dict.fromkeys(each.target_info for each in sub_queries))
    return Pass(
        ranking=tuple(across([each.fused for each in found], limits.in_all)),
        by_item={item: _read(item, found) for item in items},
        named={item: _named(item, found) for item in items},
        searches=tuple(
            SubQuerySearch(
                **each.sub_query.model_dump(),
                weights=weights,
                found={name: len(ranking) for name, ranking in sorted(each.rankings.items())},
                gap=gap,
            )
            for each in found
        ),
        entities=tuple(dict.fromkeys(pair for each in found for pair in each.entities)),
        graph_loading=loading,
    )


def _read(item: str, found: Sequence[_Found]) -> tuple[str, ...]:
    """The best passages for an item by all strategies together, then the best of each."""
    own = [each for each in found if each.sub_query.target_info == item]
    firsts = (
        named
        for each in own
        for name in sorted(each.rankings)
        for named in each.rankings[name][:FIRST_OF_EACH]
    )
    return _ids((*across([each.fused for each in own], JUDGED), *firsts))


def _named(item: str, found: Sequence[_Found]) -> tuple[str, ...]:
    """The passages of sections that the sub-queries for an item name."""
    own = (each.rankings for each in found if each.sub_query.target_info == item)
    return _ids(named for rankings in own for named in rankings.get("label", []))


def _ids(ranking: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(identifier for identifier, _ in ranking))


def _graph(context: AskContext) -> tuple[KnowledgeGraph | None, bool]:
    """The graph, if anything of the scope is in it; without it, whether it is being loaded."""
    graph = context.graph
    if graph is None or not graph.has_graph(context.scope):
        return None, False
    return (graph, False) if graph.ready(context.scope) else (None, True)


async def _searched(
    query: str,
    plan: Plan,
    only: SearchFilter,
    most: int,
    graph: KnowledgeGraph | None,
    context: AskContext,
) -> tuple[Rankings, tuple[tuple[str, str], ...]]:
    """What all strategies find, graph and indexes side by side, and what the graph linked."""
    indexes = asyncio.to_thread(context.retriever.rankings, query, scope=context.scope, only=only)
    if graph is None:
        return await indexes, ()
    walking = asyncio.to_thread(graph.search, query, context.scope, k=most, hints=plan.entity_hints)
    rankings, walked = await asyncio.gather(indexes, walking)
    passages = [(each.chunk_id, each.score) for each in walked.passages]
    if not only.neutral:
        ids = [identifier for identifier, _ in passages]
        allowed = await asyncio.to_thread(
            context.catalog.filters.among, ids, only, scope=context.scope
        )
        passages = [each for each in passages if each[0] in allowed]
    entities = tuple((each.node.name, each.node.kind) for each in walked.entities)
    return {**rankings, "graph": passages}, entities


def merged(main: Pass, gap: Pass, ranking: Sequence[tuple[str, float]]) -> Pass:
    """Both passes as one; ``ranking`` is that of both together."""
    return Pass(
        ranking=tuple(ranking),
        by_item=_joined(main.by_item, gap.by_item),
        named=_joined(main.named, gap.named),
        searches=(*main.searches, *gap.searches),
        entities=tuple(dict.fromkeys((*main.entities, *gap.entities))),
        graph_loading=main.graph_loading,
    )


def _joined(
    first: Mapping[str, tuple[str, ...]], second: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    keys = dict.fromkeys((*first, *second))
    return {key: tuple(dict.fromkeys((*first.get(key, ()), *second.get(key, ())))) for key in keys}


@timed("retrieval")
async def gather(state: AskState, step: AskStep) -> Update:
    """Searches for everything at once and judges what it is worth.

    A day that the question names may be one that the documents speak of, not one that they are of:
    where none is, all of them are searched.
    """
    plan, known = state["plan"], state["understanding"]
    tell_start(state, step)
    only = dated(known.model_copy(update={"dates": plan.dates}), step)
    found = await _first_pass(only, state, step)
    if found.graph_loading:
        step.warn(GRAPH_LOADING)
    if found.ranking or only.neutral:
        return await _judged(state, found, step)
    step.warn(say(known.language, "none_of_that_time"))
    undated = plan.model_copy(update={"dates": None})
    found = await _first_pass(SearchFilter(), state, step)
    return {**await _judged({**state, "plan": undated}, found, step), "plan": undated}


async def _first_pass(only: SearchFilter, state: AskState, step: AskStep) -> Pass:
    """All sub-queries; where one thing is asked, with all that the fast route would read for it."""
    plan, options, context = state["plan"], state["options"], step.context
    limits = Limits(per_query=per_query(len(plan.sub_queries)), in_all=TOP_K)
    found = await search_all(plan.sub_queries, plan, only, limits, context)
    if len(plan.required_info) > 1:
        return found
    (item,) = plan.required_info
    question = state["understanding"].question
    result = await searched(question, options.k, options.profile, only, context)
    for warning in result.warnings:
        step.warn(warning)
    ids = dict.fromkeys([*(hit.chunk_id for hit in result.hits), *found.by_item[item]])
    return found.model_copy(update={"by_item": {item: tuple(ids)}})


@timed("retrieval")
async def fill_gaps(state: AskState, step: AskStep) -> Update:
    """One more pass for what is missing; nothing of the first is lost, all is judged again."""
    plan, first, context = state["plan"], state["gathered"], step.context
    if first is None:
        raise ValueError("the gap pass comes after the first")
    tell_start(state, step)
    only = dated_filter(plan.dates, scope=context.scope, catalog=context.catalog).only
    queries = state["judgement"].queries
    limits = Limits(per_query=GAP_PER_QUERY, in_all=GAP_IN_ALL)
    second = await search_all(queries, plan, only, limits, context, gap=True)
    ranking = with_gap_pass(first.ranking, second.ranking)
    return await _judged(state, merged(first, second, ranking), step)


async def _judged(state: AskState, found: Pass, step: AskStep) -> Update:
    assessment, entries = await asyncio.to_thread(
        assess, found, state["plan"], state["understanding"], step.context
    )
    tell_found(entries, step)
    summary = await asyncio.to_thread(_summary, found, assessment, entries, step)
    return {"gathered": found, "assessment": assessment, "evidence": entries, "found": summary}


def _summary(
    found: Pass, assessment: Assessment, entries: list[Evidence], step: AskStep
) -> RetrievalSummary:
    """What a refusal and ``--explain`` tell of the search; it goes past the cache of searches."""
    evidence = [each for item in assessment.required for each in item.evidence]
    return RetrievalSummary(
        searches=tuple(dict.fromkeys(each.query for each in found.searches)),
        results=len(entries),
        relevance=max((entry.score for entry in entries), default=0.0),
        coverage=assessment.confidence,
        named=any(each.named for each in evidence),
        from_cache=False,
        cache=NO_CACHE,
        nearest=tuple(section_names(entries[:SHOWN_SECTIONS], step.context)),
    )
