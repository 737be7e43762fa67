"""Search for the question and each of its parts; or recall an answer to the same question."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, Literal, cast

from langgraph.runtime import Runtime

from agent.ask.graph_passages import GRAPH_LOADING, with_graph
from agent.ask.models import GraphUse, Reply, RetrievalSummary
from agent.ask.route import has_reader
from agent.ask.state import AskState
from agent.context import Context
from agent.passages import evidence_of
from agent.prompts import say
from agent.sources import section_names
from agent.step import Step, Update, timed
from services.domain import (
    Evidence,
    Hit,
    Location,
    PassageSpan,
    SearchFilter,
    SearchRequest,
    SearchResult,
)
from services.domain.events import FoundPassage, KnowledgeRetrievalComplete, KnowledgeRetrievalStart
from services.language.query.values import Understanding
from services.library.caches import AnswerKey
from services.retrieval.named import question_filter
from services.retrieval.scoring import merge
from services.structured.rules import decompose_by_rules

MAX_HITS: Final = 100
WIDER: Final = 1.5
"""Passages of the enhanced and the structured depth, as a share of those that the person chose."""
SECTIONS_SHOWN: Final = 3


@timed("retrieve")
async def retrieve(state: AskState, step: Step) -> Update:
    """Search for the question, and for ``k`` passages of each of its parts where it has several.

    A time without an open end is mostly that of a case, so its documents are only searched besides.
    """
    emit_start(state, step)
    understanding, context = state["understanding"], step.context
    only = restrict(understanding, step, to_open_times=True)
    sub_queries = decompose_by_rules(understanding).sub_queries
    texts = [understanding.question, *(query.query for query in sub_queries)]
    queries = list(dict.fromkeys(texts))
    k = hits_per_search(state)
    results = await search_all(queries, k, state, only, step)
    if only.since and only.until:
        only = SearchFilter()
        results += await search_all(queries, k, state, only, step)
    best = {hit.chunk_id: hit for result in reversed(results) for hit in result.hits}
    ranked = merge([(hit.chunk_id, hit.score) for hit in result.hits] for result in results)
    merged = [best[chunk_id] for chunk_id, _ in ranked[: k * len(sub_queries)]]
    hits, use = await with_graph(understanding, merged, only, context)
    return record_results(queries, hits, results, step, use)


def restrict(
    understanding: Understanding, step: Step, *, to_open_times: bool = False
) -> SearchFilter:
    """Return the filter for the documents or dates that a question names; warn where dates leave
    documents out, with ``to_open_times`` only those with an open end do."""
    context = step.context
    filtered = question_filter(understanding, scope=context.scope, catalog=context.catalog)
    is_open = None in (filtered.only.since, filtered.only.until)
    if filtered.undated and (is_open or not to_open_times):
        key = "undated_left_out" if filtered.applied else "undated"
        step.warn(say(understanding.language, key, filtered.undated))
    return filtered.only


def hits_per_search(state: AskState) -> int:
    """Return how many passages each search of a turn returns."""
    share = WIDER if state["route"].depth in ("enhanced", "structured") else 1
    return min(MAX_HITS, round(share * state["options"].k))


async def search_all(
    queries: Sequence[str], k: int, state: AskState, only: SearchFilter, step: Step
) -> list[SearchResult]:
    """Search for several queries side by side; return their results in the same order."""
    profile = state["options"].profile
    return await asyncio.gather(*(search(query, k, profile, only, step) for query in queries))


async def search(
    query: str, k: int, profile: str | None, only: SearchFilter, step: Step, *, far: bool = False
) -> SearchResult:
    """Search as the person could; with ``far`` also for what is below their minimum."""
    context = step.context
    request = SearchRequest(
        query=query, collections=context.scope.collections, k=k, profile=profile, only=only, far=far
    )
    result = await context.find(request)
    context.passages.add(result.hits)
    for warning in result.warnings:
        step.warn(warning)
    return result


def entries_of(hits: Sequence[Hit], from_graph: Collection[str] = ()) -> list[Evidence]:
    """Return hits in their order as evidence; ``from_graph`` are those that the graph added."""
    return [
        evidence_of(
            hit,
            score=hit.relevance,
            source_type="graph" if hit.chunk_id in from_graph else "vector_search",
            rank=rank,
        )
        for rank, hit in enumerate(hits, start=1)
    ]


def emit_start(state: AskState, step: Step) -> None:
    """Record that passages are searched for, and how the question is going to be answered."""
    step.emit(
        KnowledgeRetrievalStart(
            collection_count=len(step.context.scope.collections),
            query=state["understanding"].question,
            depth=state["route"].depth,
        )
    )


def emit_results(entries: Sequence[Evidence], step: Step) -> None:
    """Record which passages were found, without their text."""
    fields = {"chunk_id", "document_id", *Location.model_fields}
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


def record_results(
    queries: Iterable[str],
    hits: Sequence[Hit],
    results: Sequence[SearchResult],
    step: Step,
    graph: GraphUse | None = None,
    entries: list[Evidence] | None = None,
) -> Update:
    """Record what was found, and return it as update: ``entries`` or else the hits."""
    if entries is None:
        entries = entries_of(hits, [path.chunk_id for path in graph.ways] if graph else ())
    emit_results(entries, step)
    if graph is not None and graph.loading:
        step.warn(GRAPH_LOADING)
    near = [hit for result in results for hit in result.hits or result.below]
    keyword = [hit.explain["keyword"].score for hit in near if "keyword" in hit.explain]
    names = section_names((entries or entries_of(near))[:SECTIONS_SHOWN], step.context)
    spans = (entry.model_dump(include=set(PassageSpan.model_fields)) for entry in names.values())
    summary = RetrievalSummary(
        searches=tuple(queries),
        results=len(entries),
        relevance=round(max((hit.relevance for hit in near), default=0.0), 4),
        coverage=round(max(keyword, default=0.0), 4),
        named=any("label" in hit.explain for hit in hits),
        from_cache=bool(results) and all(result.from_cache for result in results),
        cache=results[-1].cache,
        nearest=tuple(names),
        nearest_at=tuple(map(PassageSpan.model_validate, spans)),
        graph=graph,
    )
    return {"evidence": entries, "found": summary}


@timed("recall")
async def recall(state: AskState, step: Step) -> Update:
    """Look for an answer to the same question, if the parameter ``answerCache`` allows it."""
    if not state["options"].answer_cache:
        return {"recalled": False}
    stored = await asyncio.to_thread(
        step.context.services.answers.find,
        _key(state, step.context),
        state["understanding"].question,
    )
    if stored is None:
        return {"recalled": False}
    return {
        "recalled": True,
        "reply": Reply.model_validate(stored["reply"]),
        "found": RetrievalSummary.model_validate(stored["found"]),
        "evidence": list(map(Evidence.model_validate, cast(Sequence[Any], stored["evidence"]))),
    }


def after_recall(
    state: AskState, runtime: Runtime[Context]
) -> Literal["retrieve", "think", "read_answer", "finish_turn"]:
    """Go to the end with a recalled answer, else to the search of the route."""
    if state["recalled"]:
        return "finish_turn"
    if state["route"].depth == "agent":
        return "think"
    return "read_answer" if has_reader(state, runtime) else "retrieve"


def remember(state: AskState, context: Context) -> None:
    """Keep an answer in which nothing went wrong; no refusal, and no structured answer."""
    reply, summary, route = state["reply"], state["found"], state["route"]
    is_kept = state["options"].answer_cache and not state["recalled"]
    if not is_kept or route.way != "search" or route.depth == "structured":
        return
    problems = reply.degraded or state["warnings"] or any(u.fallback for u in state["usage"])
    if reply.refused or problems or summary is None:
        return
    answer: dict[str, Any] = {
        "reply": reply.model_dump(mode="json"),
        "found": summary.model_dump(mode="json"),
        "evidence": [entry.model_dump(mode="json") for entry in state["evidence"]],
    }
    context.services.answers.keep(_key(state, context), state["understanding"].question, answer)


def _key(state: AskState, context: Context) -> AnswerKey:
    options, model = state["options"], context.tasks.model
    versions, graph, parameters = context.before(options.profile)
    return AnswerKey(
        scope=context.scope,
        versions=versions,
        language=state["understanding"].language,
        profile=options.profile,
        model=model.name if model else "none",
        graph=graph,
        parameters=(
            options.depth,
            state["route"].depth,
            options.k,
            options.max_tokens,
            options.synthesis_prompt,
            parameters,
            state["reads"],
        ),
    )
