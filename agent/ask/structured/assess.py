"""What the kept passages are worth to each piece of required information."""

from collections.abc import Mapping, Sequence

from agent.ask.context import AskContext
from agent.ask.retrieve import foreign
from agent.models import ContextEntry
from agent.passages import as_entry
from agent.tiers import TIER_WEIGHT
from services.extractive import things_named
from services.query.values import Understanding
from services.structured.coverage import (
    MOST_WORDS,
    near,
    own_words,
    share_of_words,
    status_of,
    words_of,
)
from services.structured.entities import entity_table
from services.structured.temporal import covered_time
from services.structured.values import Assessment, Evidence, Pass, Plan, RequiredInfo
from services.structured.wanted import answered_in
from services.types import Chunk, Language


def assess(
    found: Pass, plan: Plan, known: Understanding, context: AskContext
) -> tuple[Assessment, list[ContextEntry]]:
    """Coverage, entities and times of what was kept, and the passages as evidence.

    The catalog is read once for all passages and all words, the vectors once for each item.
    """
    kept = [identifier for identifier, _ in found.ranking]
    chunks = context.catalog.chunks.get(kept, scope=context.scope)
    other = foreign(known.language, list(chunks.values()))
    judged = {
        item: _judged(item, found, plan, known, chunks, context) for item in plan.required_info
    }
    unknown = frozenset() if other else _unknown(plan, known, context)
    required = tuple(
        _required(item, judged[item], plan, known, chunks, unknown, is_foreign=other)
        for item in plan.required_info
    )
    documents = list(dict.fromkeys(chunk.document_id for chunk in chunks.values()))
    days = context.catalog.filters.dates(documents, scope=context.scope)
    assessment = Assessment(
        required=required,
        entities=entity_table(
            found.entities,
            (*known.classification.entities, *plan.entity_hints),
            [with_heading(chunk) for chunk in chunks.values()],
        ),
        temporal_coverage=covered_time(days.values()),
        foreign=other,
    )
    return assessment, _entries(found, judged, chunks)


def with_heading(chunk: Chunk) -> str:
    """A passage as it is judged: under the headings it stands under."""
    return "\n".join([*chunk.heading_path, chunk.text])


def _judged(
    item: str,
    found: Pass,
    plan: Plan,
    known: Understanding,
    chunks: Mapping[str, Chunk],
    context: AskContext,
) -> list[Evidence]:
    """How near the best passages of an item are to what it asks, whatever query found them."""
    text = asked_for(item, plan)
    ids = [each for each in found.by_item.get(item, ()) if each in chunks]
    relevance = context.retriever.relevances(text, ids, scope=context.scope)
    words = words_of(text, known.language)
    named = found.named.get(item, ())
    return [
        _evidence(
            chunks[identifier],
            relevance[identifier],
            share_of_words(words, with_heading(chunks[identifier]), known.language),
            named=identifier in named,
        )
        for identifier in ids
    ]


def asked_for(item: str, plan: Plan) -> str:
    """An item by itself; by the rules, with what it leans on."""
    if plan.by == "rules":
        return next(each.query for each in plan.sub_queries if each.target_info == item)
    return item


def _evidence(chunk: Chunk, relevance: float, words: float, *, named: bool) -> Evidence:
    return Evidence(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        document=chunk.document,
        section=chunk.section,
        page=chunk.page,
        relevance=round(relevance, 4),
        words=round(words, 4),
        named=named,
    )


def _unknown(plan: Plan, known: Understanding, context: AskContext) -> frozenset[str]:
    """The things that the items name and no document does, looked up at once."""
    named = [thing for item in plan.required_info for thing in things_named(item, known.language)]
    things = list(dict.fromkeys(named))
    return frozenset(context.retriever.unknown(things, known.language, scope=context.scope))


def _required(
    item: str,
    judged: Sequence[Evidence],
    plan: Plan,
    known: Understanding,
    chunks: Mapping[str, Chunk],
    unknown: frozenset[str],
    *,
    is_foreign: bool,
) -> RequiredInfo:
    language = known.language
    evidence = near(judged, foreign=is_foreign)
    things = things_named(item, language)
    own = own_words(item, plan.required_info, language)
    answering = {
        each.chunk_id: _answers(item, chunks[each.chunk_id], own, language, is_foreign)
        for each in evidence
    }
    evidence = tuple(sorted(evidence, key=lambda each: not answering[each.chunk_id]))
    status = status_of(
        evidence,
        [answering[each.chunk_id] for each in evidence],
        things=len(things),
        unknown=len(unknown.intersection(things)),
        foreign=is_foreign,
        leaning=asked_for(item, plan) != item,
    )
    return RequiredInfo(item=item, status=status, evidence=() if status == "missing" else evidence)


def _answers(
    item: str, chunk: Chunk, own: Sequence[str], language: Language, is_foreign: bool
) -> bool:
    """Whether a passage has what an item asks for, and the words that no other item has."""
    if not answered_in(item, chunk.text, chunk.heading_path, language, foreign=is_foreign):
        return False
    if is_foreign or not own:
        return True
    return share_of_words(own, with_heading(chunk), language) >= MOST_WORDS


def _entries(
    found: Pass, judged: Mapping[str, Sequence[Evidence]], chunks: Mapping[str, Chunk]
) -> list[ContextEntry]:
    """The kept passages in their order, each with the best relevance that it has to an item."""
    relevance: dict[str, float] = {}
    for each in (each for evidence in judged.values() for each in evidence):
        relevance[each.chunk_id] = max(each.relevance, relevance.get(each.chunk_id, 0.0))
    kept = [identifier for identifier, _ in found.ranking if identifier in chunks]
    return [
        as_entry(
            chunks[identifier],
            tier=1,
            weight=TIER_WEIGHT[1],
            score=relevance.get(identifier, 0.0),
            source_type="vector_search",
            query="",
            rank=rank,
        )
        for rank, identifier in enumerate(kept, start=1)
    ]
