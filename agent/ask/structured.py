"""The structured route: what must be known, and how it is found where no model reads."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from agent.ask.graph_passages import with_graph
from agent.ask.models import GraphUse, Structure
from agent.ask.quotes import (
    Findings,
    Subquestion,
    quote_differing,
    quote_findings,
    rank_subquestion,
)
from agent.ask.retrieve import emit_start, hits_per_search, record_results, restrict, search_all
from agent.ask.state import AskState
from agent.context import Context
from agent.earlier_plans import earlier_plans
from agent.prompts import say
from agent.prompts.ask import DecomposeInput, DecomposeQuestion
from agent.step import Step, TurnStep, Update, timed
from services.domain import Hit, Language, Passage, SearchFilter, SearchResult
from services.domain.events import FoundPassage
from services.evidence.ranking import certainty
from services.graph.values import clean_name
from services.language.query.values import Understanding
from services.language.text.words import keyphrases
from services.models.base import takes_one_call
from services.retrieval.scoring import Ranking
from services.structured import rules
from services.structured.values import (
    MOST_TOPICS,
    Contradiction,
    EntityCount,
    JudgedPassage,
    Plan,
    QuestionType,
    RequiredInfo,
    Status,
    SubQuery,
    SubQuerySearch,
)

ENOUGH: Final = 0.7
"""Coverage from which on nothing more is searched for."""
MAX_GAP_QUERIES: Final = 3
MAX_HINTS: Final = 2
"""Names of the question that go into a search for an open piece."""


@timed("decomposition")
async def decompose(state: AskState, step: Step) -> Update:
    """Plan with one call of the model, checked by code; by the rules where that is of no use."""
    understanding, model = state["understanding"], step.context.tasks.model
    by_rules = rules.decompose_by_rules(understanding)
    if model is None:
        return {"plan": by_rules}
    one_call = takes_one_call(model)
    question, language = understanding.question, understanding.language
    earlier = await earlier_plans(step, "structured", question, language)
    inp = DecomposeInput(
        question=question,
        language=language,
        earlier=earlier.tasks,
        earlier_question=earlier.best_question,
        topics=() if one_call else await asyncio.to_thread(topics_of, step.context),
        fallback=by_rules,
    )
    if earlier.cases:
        earlier.emit(step)
    return {"plan": await step.run(DecomposeQuestion(), inp)}


def topics_of(context: Context) -> tuple[str, ...]:
    """Return plain names of the largest communities of the graph, which go to a model."""
    graph, scope = context.graph, context.scope
    topics = () if graph is None else graph.topics(scope, limit=MOST_TOPICS)
    plain = (clean_name(name) for name in topics)
    return tuple(dict.fromkeys(name for name in plain if name))


@timed("synthesis")
async def quote_pieces(state: AskState, step: TurnStep) -> Update:
    """Search for each piece, once more for what is open, and quote what comes closest.

    A day may be one that the documents speak of: where none is of it, all of them are searched.
    """
    plan, understanding, context = state["plan"], state["understanding"], step.context
    language = understanding.language
    emit_start(state, step)
    with step.measure("retrieval"):
        only = restrict(understanding.model_copy(update={"dates": plan.dates}), step)
        searches = await _search(plan.sub_queries, only, state, step)
        is_dated = only.since is not None or only.until is not None
        if is_dated and not any(search.result.hits for search in searches):
            step.warn(say(language, "none_of_that_time"))
            only = SearchFilter()
            searches = await _search(plan.sub_queries, only, state, step)
        hits, graph = await with_graph(understanding, _fuse(searches), only, context)
        pieces = await asyncio.to_thread(_rank, plan.required_info, hits, state, context)
    with step.measure("critique"):
        queries = gap_queries(plan, pieces, language)
    if queries:
        with step.measure("retrieval"):
            gap_searches = await _search(queries, only, state, step, gap=True)
            known_ids = {hit.chunk_id for hit in hits}
            new = [hit for hit in _fuse(gap_searches) if hit.chunk_id not in known_ids]
            open_pieces = [query.target_info for query in queries]
            again = await asyncio.to_thread(_rank, open_pieces, new, state, context)
            by_text = {piece.text: piece for piece in again}
            pieces = [p.merge(by_text[p.text]) if p.text in by_text else p for p in pieces]
        searches, hits = [*searches, *gap_searches], [*hits, *new]
    return await _answer(searches, hits, graph, pieces, state, step)


def count_strategies(hits: Sequence[Hit]) -> dict[str, int]:
    """Return the number of passages that each strategy found, by its name."""
    return dict(sorted(Counter(name for hit in hits for name in hit.explain).items()))


@dataclass(frozen=True)
class _Search:
    """A sub-query and what it found."""

    sub_query: SubQuery
    result: SearchResult
    kind: QuestionType
    gap: bool

    @property
    def counts(self) -> dict[str, int]:
        """The number of passages that each strategy found."""
        return count_strategies(self.result.hits)

    @property
    def weights(self) -> dict[str, float]:
        """The weights of the strategies that found something."""
        return rules.strategy_weights(self.kind, self.counts)

    @property
    def ranking(self) -> Ranking:
        """Chunk ids with their scores by weighted reciprocal rank, best first."""
        ranks = {
            hit.chunk_id: {name: strategy.rank for name, strategy in hit.explain.items()}
            for hit in self.result.hits
        }
        return rules.weigh_strategies(ranks, self.weights)

    def describe(self) -> SubQuerySearch:
        """Return the sub-query with its weights and the number of passages found."""
        return SubQuerySearch(
            **dict(self.sub_query),
            weights=self.weights,
            strategy_weights=dict(rules.WEIGHTS[self.kind]),
            found=self.counts,
            gap=self.gap,
        )


async def _search(
    queries: Sequence[SubQuery],
    only: SearchFilter,
    state: AskState,
    step: Step,
    *,
    gap: bool = False,
) -> list[_Search]:
    texts = [query.query for query in queries]
    results = await search_all(texts, hits_per_search(state), state, only, step)
    kind = state["plan"].question_type
    return [_Search(*pair, kind, gap) for pair in zip(queries, results, strict=True)]


def _fuse(searches: Sequence[_Search]) -> list[Hit]:
    """Return the passages of all searches, those that several found before others."""
    hits = {hit.chunk_id: hit for search in reversed(searches) for hit in search.result.hits}
    return [hits[name] for name, _ in rules.fuse_queries([search.ranking for search in searches])]


def _rank(
    pieces: Sequence[str], hits: Sequence[Hit], state: AskState, context: Context
) -> list[Subquestion]:
    """Return each piece with its ranked sentences; a single one must answer the question itself."""
    understanding, is_single = state["understanding"], len(state["plan"].required_info) == 1
    return [
        rank_subquestion(
            piece,
            understanding.question if is_single else piece,
            hits,
            understanding.language,
            context,
        )
        for piece in pieces
    ]


def gap_queries(plan: Plan, pieces: Sequence[Subquestion], language: Language) -> list[SubQuery]:
    """Return searches for pieces that are not covered; none where enough is."""
    if rules.coverage_of([piece.status for piece in pieces]) >= ENOUGH:
        return []
    queries = []
    for piece in [p.text for p in pieces if p.status != "covered"][:MAX_GAP_QUERIES]:
        phrases = keyphrases(piece, language) or [piece]
        others = [hint for hint in plan.entity_hints if hint.casefold() not in piece.casefold()]
        query = " ".join([*phrases, *others[:MAX_HINTS]])
        queries.append(SubQuery(query=query, target_info=piece))
    return queries


async def _answer(
    searches: Sequence[_Search],
    hits: Sequence[Hit],
    graph: GraphUse | None,
    pieces: Sequence[Subquestion],
    state: AskState,
    step: Step,
) -> Update:
    """Quote what comes closest to each piece, and what differs in a value."""
    context, plan, understanding = step.context, state["plan"], state["understanding"]
    searched = dict.fromkeys(search.sub_query.query for search in searches)
    update = record_results(searched, hits, [search.result for search in searches], step, graph)
    state = cast(AskState, {**state, **update})
    findings = Findings.of(pieces, state, plan.question_type)
    contradictions, lines = await asyncio.to_thread(quote_differing, findings)
    reply = (await quote_findings(findings, state, step)).followed_by(lines)
    ids = (sentence.chunk_id for piece in pieces for _, sentence in piece.ranked)
    passages = await asyncio.to_thread(context.passages.get, ids)
    documents = list(dict.fromkeys(hit.document_id for hit in hits))
    days = await asyncio.to_thread(context.catalog.filters.dates, documents, scope=context.scope)
    linked = graph.entities if graph else ()
    structure = describe_structure(
        plan,
        understanding,
        [
            RequiredInfo(item=piece.text, status=piece.status, evidence=_evidence(piece, passages))
            for piece in pieces
        ],
        searches=tuple(search.describe() for search in searches),
        ranking=rules.fuse_queries([search.ranking for search in searches]),
        contradictions=contradictions,
        entities=rules.entity_table(
            [(name, "graph") for name in linked],
            (*understanding.classification.entities, *plan.entity_hints),
            ["\n".join([*hit.heading_path, hit.text]) for hit in hits],
            understanding.language,
        ),
        temporal_coverage=rules.covered_dates(days.values()),
    )
    return {**update, "reply": reply, "structure": structure}


def _evidence(piece: Subquestion, passages: Mapping[str, Passage]) -> tuple[JudgedPassage, ...]:
    best = {sentence.chunk_id: round(score, 4) for score, sentence in reversed(piece.ranked)}
    fields = set(FoundPassage.model_fields) - {"relevance"}
    evidence = [
        JudgedPassage(
            **passages[name].model_dump(include=fields),
            relevance=round(piece.relevance[name], 4),
            score=score,
            named=name in piece.named,
        )
        for name, score in best.items()
    ]
    answering = [p for p in evidence if certainty([p.score], named=p.named) != "refused"]
    return tuple(sorted(answering, key=lambda p: (-p.score, p.chunk_id)))


def describe_structure(
    plan: Plan,
    understanding: Understanding,
    required: Sequence[RequiredInfo],
    *,
    searches: tuple[SubQuerySearch, ...] = (),
    ranking: Ranking = (),
    contradictions: tuple[Contradiction, ...] = (),
    entities: tuple[EntityCount, ...] = (),
    temporal_coverage: str | None = None,
) -> Structure:
    """Return plan and coverage as a structured answer has them."""
    return Structure(
        question_type=plan.question_type,
        entity_hints=plan.entity_hints,
        topic_hints=plan.topic_hints,
        temporal_scope=rules.format_dates(understanding.dates),
        required_info=tuple(required),
        sub_queries=searches,
        coverage_map={
            piece.item: tuple(passage.chunk_id for passage in piece.evidence) for piece in required
        },
        entities=entities,
        gaps=tuple(piece.item for piece in required if piece.status == "missing"),
        contradictions=contradictions,
        confidence=rules.confidence(
            rules.coverage_of([piece.status for piece in required]), ranking
        ),
        temporal_coverage=temporal_coverage,
    )


def structure_of_count(understanding: Understanding, *, is_answered: bool) -> Structure:
    """Return the structure of an answer by the catalog or a scan, with pieces of the rules."""
    plan = rules.decompose_by_rules(understanding)
    status: Status = "covered" if is_answered else "missing"
    required = [RequiredInfo(item=item, status=status) for item in plan.required_info]
    return describe_structure(plan, understanding, required)
