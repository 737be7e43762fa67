"""Which sentences of the evidence answer a question or a task, best first."""

from collections.abc import Sequence
from typing import Final

from agent.context import Context
from agent.models import ContextEntry, PreservedQuote, QueryAnchor, ToDoItem
from agent.passages import distinct, quotable
from agent.state import TaskInput
from services.evidence import EvidenceSentence
from services.types import Chunk, Language

MOST_COMPARED: Final = 96
"""Sentences that are judged at a time, those of the best passages first."""
LEAST_SHARE: Final = 0.6
"""A sentence that answers less surely than this share of the best one is not quoted beside it."""

Ranked = tuple[float, str, EvidenceSentence]
"""Score (0-1), chunk id and sentence."""


def rank_sentences(
    state: TaskInput, entries: Sequence[ContextEntry], context: Context
) -> list[Ranked]:
    """Sentences of the evidence of a task, best first.

    A sentence counts by how surely it answers the task and the question.
    """
    pairs = sentences_of(entries, context)
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


def sentences_of(
    entries: Sequence[ContextEntry], context: Context
) -> list[tuple[ContextEntry, EvidenceSentence]]:
    """Every sentence of the evidence, with the entry that it is from."""
    chunks = context.catalog.chunks.get([e.chunk_id for e in entries], scope=context.scope)
    return [
        (entry, sentence)
        for entry in entries
        if entry.chunk_id in chunks
        for sentence in quotable(chunks[entry.chunk_id], context)
    ]


def ranked(
    question: str,
    pairs: Sequence[tuple[float, EvidenceSentence]],
    language: Language,
    context: Context,
) -> list[tuple[float, EvidenceSentence]]:
    """Sentences, each with the relevance of its passage, by how surely they answer; each once."""
    unique = {(s.document_id, s.start, s.end): (near, s) for near, s in reversed(pairs)}
    sentences = [sentence for _, sentence in unique.values()]
    relevance = [near for near, _ in unique.values()]
    scores = context.judge.scores(question, sentences, relevance, language)
    found = list(zip(scores, sentences, strict=True))
    return sorted(found, key=lambda each: (-each[0], each[1].document_id, each[1].start))
