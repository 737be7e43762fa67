"""What the kept passages are worth to each piece of required information."""

from collections.abc import Mapping, Sequence
from typing import Final

from agent.ask.state import AskState
from agent.context import Context
from agent.passages import evidence_of
from agent.ranking import MOST_COMPARED, ranked_within
from services.domain import Evidence, Passage
from services.domain.events import FoundPassage
from services.evidence.ranking import certainty
from services.language.query.values import Understanding
from services.structured.findings import covered_dates, entity_table
from services.structured.values import (
    STATUS,
    Assessment,
    JudgedPassage,
    Pass,
    Plan,
    RequiredInfo,
    Scored,
)

OF_ITEM: Final = 64
"""Sentences of an item that are judged in each pass of retrieval, where there are several items."""


def assess(found: Pass, state: AskState, context: Context) -> tuple[Assessment, list[Evidence]]:
    """Coverage, entities and times of what was kept, and the passages as evidence."""
    plan, understanding = state["plan"], state["understanding"]
    kept = [identifier for identifier, _ in found.ranking]
    read = [identifier for ids in found.by_item.values() for identifier in ids]
    chunks = context.passages.get([*kept, *read])
    judged = {
        item: _judged(item, found, plan, understanding, chunks, context)
        for item in plan.required_info
    }
    documents = list(dict.fromkeys(chunk.document_id for chunk in chunks.values()))
    days = context.catalog.filters.dates(documents, scope=context.scope)
    assessment = Assessment(
        required=tuple(required for required, _ in judged.values()),
        ranked={item: sentences for item, (_, sentences) in judged.items()},
        entities=entity_table(
            found.entities,
            (*understanding.classification.entities, *plan.entity_hints),
            ["\n".join([*chunk.heading_path, chunk.text]) for chunk in chunks.values()],
        ),
        temporal_coverage=covered_dates(days.values()),
    )
    passages = (passage for item in assessment.required for passage in item.evidence)
    nearest_last = sorted(passages, key=lambda each: each.relevance)
    relevance = {each.chunk_id: each.relevance for each in nearest_last}
    return assessment, [
        evidence_of(chunk, score=relevance.get(chunk.chunk_id, 0.0), rank=rank)
        for rank, chunk in enumerate(chunks.values(), start=1)
    ]


def _judged(
    item: str,
    found: Pass,
    plan: Plan,
    understanding: Understanding,
    chunks: Mapping[str, Passage],
    context: Context,
) -> tuple[RequiredInfo, tuple[Scored, ...]]:
    """An item with its passages, and their sentences by how surely they answer it.

    Where it is the only item, they must answer the question itself. What the gap pass found is
    read besides what the first pass did.
    """
    question = understanding.question if len(plan.required_info) == 1 else item
    named = found.named.get(item, ())
    ids = [chunk_id for chunk_id in found.by_item.get(item, ()) if chunk_id in chunks]
    relevance = context.retriever.relevances(question, ids, scope=context.scope, named=named)
    passes = 1 + any(search.gap and search.target_info == item for search in found.searches)
    most = passes * (MOST_COMPARED if len(plan.required_info) == 1 else OF_ITEM)
    passages = [(relevance[name], chunks[name]) for name in ids]
    scored = tuple(
        Scored(chunk_id=s.chunk_id, start=s.start, end=s.end, score=round(score, 4))
        for score, s in ranked_within([question], passages, understanding.language, context, most)
    )
    evidence = _evidence(scored, [chunks[name] for name in ids], relevance, named)
    sure = certainty([each.score for each in scored], named=any(each.named for each in evidence))
    return RequiredInfo(item=item, status=STATUS[sure], evidence=evidence), scored


def _evidence(
    scored: Sequence[Scored],
    chunks: Sequence[Passage],
    relevance: Mapping[str, float],
    named: Sequence[str],
) -> tuple[JudgedPassage, ...]:
    """The passages with a sentence that may answer, or that the item names, best first."""
    best = {sentence.chunk_id: sentence.score for sentence in reversed(scored)}
    passages = [
        JudgedPassage(
            **chunk.model_dump(include=set(FoundPassage.model_fields) - {"relevance"}),
            relevance=round(relevance[chunk.chunk_id], 4),
            score=best[chunk.chunk_id],
            named=chunk.chunk_id in named,
        )
        for chunk in chunks
        if chunk.chunk_id in best
    ]
    speaking = [p for p in passages if certainty([p.score], named=p.named) != "refused"]
    return tuple(sorted(speaking, key=lambda each: (-each.score, each.chunk_id)))
