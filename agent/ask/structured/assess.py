"""What the kept passages are worth to each piece of required information."""

from collections.abc import Mapping, Sequence

from agent.ask.context import AskContext
from agent.ask.retrieve import foreign
from agent.ask.structured.documents import beginnings_of, fields_asked
from agent.models import ContextEntry
from agent.passages import as_entry
from agent.tiers import TIER_WEIGHT
from services.extractive import things_named
from services.extractive.definitions import defined_term, defines
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
from services.structured.form import is_code
from services.structured.temporal import covered_time
from services.structured.values import Assessment, Evidence, Pass, Plan, RequiredInfo
from services.structured.wanted import answered_in
from services.text import sentences
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
    for item, evidence in judged.items():
        chunks |= _with_beginnings(item, evidence, plan, known.language, context)
    unknown = frozenset() if other else _unknown(plan, known, context)
    required = tuple(
        _required(item, judged[item], plan, known, chunks, unknown, context, is_foreign=other)
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
    """A passage as it is judged: under its section, or document, and the headings above it."""
    return "\n".join([*above(chunk), chunk.text])


def above(chunk: Chunk) -> list[str]:
    """What a passage stands under; the section's label is a document's name where it has none."""
    labelled = any(heading.startswith(chunk.section) for heading in chunk.heading_path)
    return [*chunk.heading_path] if labelled else [chunk.section, *chunk.heading_path]


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


def _with_beginnings(
    item: str, judged: list[Evidence], plan: Plan, language: Language, context: AskContext
) -> dict[str, Chunk]:
    """Adds how the documents begin that the item is about as such; gives those passages."""
    text = asked_for(item, plan)
    nearest = [each.document_id for each in near(judged, foreign=False)]
    found = beginnings_of(item, text, nearest, language, context)
    if not found.chunks:
        return {}
    ids = [each.chunk_id for each in found.chunks]
    relevance = context.retriever.relevances(text, ids, scope=context.scope)
    words = words_of(text, language)
    judged[:] = [each for each in judged if each.chunk_id not in ids]
    judged += [
        _evidence(
            each,
            relevance[each.chunk_id],
            1.0 if found.named else share_of_words(words, with_heading(each), language),
            named=found.named,
        )
        for each in found.chunks
    ]
    return dict(zip(ids, found.chunks, strict=True))


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
    context: AskContext,
    *,
    is_foreign: bool,
) -> RequiredInfo:
    language = known.language
    evidence = near(judged, foreign=is_foreign)
    things = things_named(item, language)
    own = own_words(item, plan.required_info, language)
    text = asked_for(item, plan)
    stated = {
        each.chunk_id
        for each in evidence
        if fields_asked(item, text, chunks[each.chunk_id], language, context)
    }
    known_of = any(each.named and each.chunk_id in stated for each in evidence)
    answering = {
        each.chunk_id: each.chunk_id in stated
        or _answers(item, chunks[each.chunk_id], own, language, is_foreign)
        for each in evidence
    }
    term = item if plan.question_type == "comparison" else defined_term(item, language)
    defining = {
        each.chunk_id
        for each in evidence
        if term is not None and _defines(chunks[each.chunk_id].text, term, language)
    }
    evidence = tuple(
        sorted(evidence, key=lambda e: (not answering[e.chunk_id], e.chunk_id not in defining))
    )
    status = status_of(
        evidence,
        [answering[e.chunk_id] and (e.named or e.chunk_id not in stated) for e in evidence],
        things=len(things),
        unknown=0 if known_of else len(unknown.intersection(things)),
        foreign=is_foreign,
        leaning=text != item,
    )
    return RequiredInfo(item=item, status=status, evidence=() if status == "missing" else evidence)


def _defines(text: str, term: str, language: Language) -> bool:
    """Whether a sentence that is no code has the marks of a definition of a term."""
    spans = (text[start:end] for start, end in sentences(text))
    return any(defines(each, term, language) == 1.0 and not is_code(each) for each in spans)


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
    """The kept passages in their order, then beginnings of documents.

    Each has the best relevance that it has to an item.
    """
    relevance: dict[str, float] = {}
    for each in (each for evidence in judged.values() for each in evidence):
        relevance[each.chunk_id] = max(each.relevance, relevance.get(each.chunk_id, 0.0))
    ranked = dict.fromkeys(identifier for identifier, _ in found.ranking)
    kept = [identifier for identifier in ranked if identifier in chunks]
    kept += [identifier for identifier in chunks if identifier not in ranked]
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
