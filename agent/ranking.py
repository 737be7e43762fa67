"""Which sentences of the evidence are worth quoting for a task."""

from collections.abc import Sequence

from agent.context import Context
from agent.models import ContextEntry, PreservedQuote, QueryAnchor, ToDoItem
from agent.passages import distinct, quotable
from agent.state import TaskInput
from services.evidence import EvidenceSentence
from services.types import Chunk

MOST_COMPARED = 96
"""Sentences of a task that are judged, those of its best passages first."""

Ranked = tuple[float, str, EvidenceSentence]
"""Score (0-1), chunk id and sentence."""


def rank_sentences(
    state: TaskInput, entries: Sequence[ContextEntry], context: Context
) -> list[Ranked]:
    """Sentences of the evidence of a task, best first.

    A sentence counts by how surely it answers the task and the question.
    """
    chunks = context.catalog.chunks.get([e.chunk_id for e in entries], scope=context.scope)
    pairs = [
        (entry, sentence)
        for entry in entries
        if entry.chunk_id in chunks
        for sentence in quotable(chunks[entry.chunk_id], context)
    ]
    pairs.sort(key=lambda pair: (-pair[0].score * pair[0].weight, pair[0].chunk_id, pair[1].start))
    pairs = pairs[:MOST_COMPARED]
    scores = judged(
        [sentence for _, sentence in pairs],
        [entry.score * entry.weight for entry, _ in pairs],
        state["task"].task,
        state["query_anchor"],
        context,
    )
    ranked = [
        (score, entry.chunk_id, sentence)
        for score, (entry, sentence) in zip(scores, pairs, strict=True)
    ]
    best = sorted(ranked, key=lambda item: (-item[0], item[1], item[2].start))
    return distinct(best, lambda item: item[2])


def as_quote(ranked: Ranked, task: ToDoItem, rank: int) -> PreservedQuote:
    """A sentence as the quote number ``rank`` (from 1) of a task."""
    score, chunk_id, sentence = ranked
    return PreservedQuote(
        chunk_id=chunk_id,
        document_id=sentence.document_id,
        document=sentence.document,
        section=sentence.section,
        page=sentence.page,
        start=sentence.start,
        end=sentence.end,
        quote=sentence.text,
        relevance_reason=task.task,
        task_id=task.id,
        rank=rank,
        score=round(score, 4),
        case=sentence.case,
    )


def rank_quotes(
    quotes: Sequence[PreservedQuote], anchor: QueryAnchor, context: Context
) -> list[PreservedQuote]:
    """Quotes of all tasks by what they say to the question itself, each place once."""
    unique = list({(q.document_id, q.start, q.end): q for q in reversed(quotes)}.values())
    chunks = context.catalog.chunks.get([q.chunk_id for q in unique], scope=context.scope)
    relevance = context.retriever.relevances(
        anchor.original_query, [quote.chunk_id for quote in unique], scope=context.scope
    )
    scores = context.judge.scores(
        anchor.original_query,
        [as_evidence(quote, chunks.get(quote.chunk_id)) for quote in unique],
        [relevance.get(quote.chunk_id, 0.0) for quote in unique],
        anchor.detected_language,
    )
    ranked = zip(scores, unique, strict=True)
    best = sorted(ranked, key=lambda pair: (-pair[0], pair[1].start))
    return distinct([quote for _, quote in best], lambda quote: quote)


def as_evidence(quote: PreservedQuote, chunk: Chunk | None) -> EvidenceSentence:
    """A quote as a sentence of its passage."""
    path = chunk.heading_path if chunk else ()
    return EvidenceSentence(
        document_id=quote.document_id,
        document=quote.document,
        section=quote.section,
        page=quote.page,
        start=quote.start,
        end=quote.end,
        text=quote.quote,
        context="\n".join([*path, chunk.text]) if chunk else quote.quote,
        heading=path[-1] if path else "",
        case=quote.case,
    )


def judged(
    sentences: Sequence[EvidenceSentence],
    relevance: Sequence[float],
    task: str,
    anchor: QueryAnchor,
    context: Context,
) -> list[float]:
    """How surely sentences answer a task within its question, 0-1: the mean of both."""
    asked = dict.fromkeys([task, anchor.original_query])
    scores = [
        context.judge.scores(question, sentences, relevance, anchor.detected_language)
        for question in asked
    ]
    return [sum(column) / len(asked) for column in zip(*scores, strict=True)]
