"""Validation: evidence that drifted from the anchored question is dropped, with a reason."""

import asyncio
from collections.abc import Mapping, Sequence

from agent.context import Context
from agent.expect import Expected, in_their_words
from agent.research.evidence import with_section
from agent.research.state import ResearchState
from agent.research.tiers import (
    DRIFT_THRESHOLD,
    DRIFT_WARNING_SHARE,
    TIER_WEIGHT,
    at_distance,
    drifted,
)
from agent.step import Step, Update, node
from services.domain import Evidence, Language
from services.domain.events import EvidenceDropped
from services.domain.notices import Notice
from services.evidence.ranking import CARDS, certainty


@node
async def validate_relevance(state: ResearchState, step: Step) -> Update:
    """Measures every piece of evidence against question, parts and refinements."""
    entries = list(state.get("evidence", {}).values())
    anchor, parts = state["query_anchor"], state["query_analysis"].facets
    queries = list(dict.fromkeys([anchor.original_query, *parts, *anchor.hitl_refinements]))
    expected = state.get("expected", {})
    relevance = await asyncio.to_thread(best_relevance, entries, queries, step.context, expected)
    doubted = [
        entry
        for entry in entries
        if entry.status != "restored"
        and drifted(tier=entry.tier, relevance=relevance[entry.chunk_id])
    ]
    language, context = state["detected_language"], step.context
    answers = await asyncio.to_thread(
        best_answers, doubted, relevance, queries, language, context, expected
    )
    relevance |= {name: max(relevance[name], score) for name, score in answers.items()}
    judged = {entry.chunk_id: judge(entry, relevance.get(entry.chunk_id, 0.0)) for entry in entries}
    judged |= closest(judged, answers, queries, state)
    dropped = [entry for entry in judged.values() if entry.status == "dropped"]
    for entry in dropped:
        step.emit(
            EvidenceDropped(
                **entry.model_dump(include={"chunk_id", "document", "section", "tier"}),
                score=entry.relevance or 0.0,
                reason=entry.reason or "",
            )
        )
    if entries and len(dropped) / len(entries) > DRIFT_WARNING_SHARE:
        step.warn(
            Notice.of(
                "{dropped} of {total} pieces of evidence were dropped as drift: the tasks may "
                "have led away from the question.",
                dropped=len(dropped),
                total=len(entries),
            )
        )
    return {"evidence": judged, "revisions": 0}  # what is written from here is new


def closest(
    judged: Mapping[str, Evidence],
    answers: Mapping[str, float],
    queries: Sequence[str],
    state: ResearchState,
) -> dict[str, Evidence]:
    """What stays though it drifted: the nearest to a part of the question that has nothing else.

    The judge lets it speak, perhaps: a question in another language is far from what answers it.
    """
    asked = {query.casefold() for query in queries}
    parts = {task.id for task in state["todo_list"] if task.task.casefold() in asked}
    if parts <= {entry.task_id for entry in judged.values() if entry.status != "dropped"}:
        return {}
    dropped = [entry.chunk_id for entry in judged.values() if entry.status == "dropped"]
    best = sorted(dropped, key=lambda each: (-answers.get(each, 0.0), each))[:CARDS]
    speaking = [each for each in best if certainty([answers.get(each, 0.0)]) != "refused"]
    update = {"status": "kept", "tier": 3, "weight": TIER_WEIGHT[3], "reason": None}
    return {each: judged[each].model_copy(update=update) for each in speaking}


def best_relevance(
    entries: list[Evidence], queries: list[str], context: Context, expected: Expected
) -> dict[str, float]:
    """The highest relevance of each chunk to any of the anchored queries.

    A section that the graph led to counts by the passage where its way began.
    """
    ids = list(dict.fromkeys(id for e in entries for id in (e.chunk_id, e.led_from) if id))
    best = dict.fromkeys(ids, 0.0)
    for query in queries:
        words = in_their_words(query, expected)
        scores = context.retriever.relevances(words, ids, scope=context.scope)
        best |= {chunk_id: max(best[chunk_id], score) for chunk_id, score in scores.items()}
    judged = with_section(best, entries)
    return {
        entry.chunk_id: max(
            judged[entry.chunk_id], at_distance(best.get(entry.led_from, 0.0), entry.depth)
        )
        for entry in entries
    }


def best_answers(
    entries: list[Evidence],
    relevance: dict[str, float],
    queries: list[str],
    language: Language,
    context: Context,
    expected: Expected,
) -> dict[str, float]:
    """How surely the best sentence of each passage answers any of the queries, 0-1.

    A passage that answers in other words is far from the question in meaning, and no drift.
    """
    pairs = context.passages.sentences_of(entries)
    found: dict[str, float] = {}
    for query in queries if pairs else ():
        scores = context.judge.scores(
            query,
            [sentence for _, sentence in pairs],
            [relevance[entry.chunk_id] for entry, _ in pairs],
            language,
            near_to=in_their_words(query, expected),
        )
        for (entry, _), score in zip(pairs, scores, strict=True):
            found[entry.chunk_id] = max(found.get(entry.chunk_id, 0.0), score)
    return found


def judge(entry: Evidence, relevance: float) -> Evidence:
    """The entry with its verdict; what a person restored stays.

    What is too far for its tier moves down to one that takes it: it would have been kept there
    had it been found worse. Only what no tier takes is dropped.
    """
    relevance = round(relevance, 4)
    if entry.status == "restored":
        return entry.model_copy(update={"relevance": relevance})
    tiers = [tier for tier in DRIFT_THRESHOLD if tier >= entry.tier]
    fitting = next((tier for tier in tiers if not drifted(tier=tier, relevance=relevance)), None)
    if fitting is not None:
        weight = entry.weight if fitting == entry.tier else TIER_WEIGHT[fitting]
        verdict = {"status": "kept", "tier": fitting, "weight": weight, "reason": None}
    else:
        lowest = DRIFT_THRESHOLD[tiers[-1]]
        reason = Notice.of(
            "relevance {relevance} to the question is below {least}",
            relevance=_below(relevance, lowest),
            least=lowest,
        )
        verdict = {"status": "dropped", "reason": reason}
    return entry.model_copy(update={**verdict, "relevance": relevance})


def _below(value: float, bound: float) -> float:
    """A value with the digits that show it to be below a bound, two where they do."""
    shown = (round(value, digits) for digits in range(2, 5))
    return next((each for each in shown if each < bound), value)
