"""Which sentences of the evidence answer a question or a task, best first."""

from collections.abc import Sequence
from typing import Final

from agent.context import Context
from agent.models import ContextEntry, PreservedQuote, ToDoItem
from agent.passages import distinct, place_of, quotable
from agent.research.state import TaskInput
from services.domain import Chunk, Language
from services.evidence import EvidenceSentence

MOST_COMPARED: Final = 96
"""Sentences that are judged at a time, those of the best passages first."""
LEAST_SHARE: Final = 0.6
"""A sentence that answers less surely than this share of the best one is not quoted beside it."""

LOCATED: Final = {"document_id", "document", "section", "page", "start", "end"}

Ranked = tuple[float, str, EvidenceSentence]
"""Score (0-1), chunk id and sentence."""


def rank_sentences(
    state: TaskInput, entries: Sequence[ContextEntry], context: Context
) -> list[Ranked]:
    """Sentences of the evidence of a task, best first.

    A sentence counts by how surely it answers the task and the question: the mean of both.
    """
    pairs = sentences_of(entries, context)
    pairs.sort(key=lambda pair: (-pair[0].score * pair[0].weight, pair[0].chunk_id, pair[1].start))
    pairs = pairs[:MOST_COMPARED]
    relevance = [entry.score * entry.weight for entry, _ in pairs]
    anchor = state["query_anchor"]
    asked = dict.fromkeys([state["task"].task, anchor.original_query])
    scores = [
        context.judge.scores(
            question, [sentence for _, sentence in pairs], relevance, anchor.detected_language
        )
        for question in asked
    ]
    ranked = [
        (sum(column) / len(asked), entry.chunk_id, sentence)
        for *column, (entry, sentence) in zip(*scores, pairs, strict=True)
    ]
    best = sorted(ranked, key=lambda item: (-item[0], item[1], item[2].start))
    return distinct(best, lambda item: item[2])


def as_quote(ranked: Ranked, task: ToDoItem, rank: int) -> PreservedQuote:
    """A sentence as the quote number ``rank`` (from 1) of a task."""
    score, chunk_id, sentence = ranked
    return PreservedQuote(
        **sentence.model_dump(include=LOCATED),
        chunk_id=chunk_id,
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
        **quote.model_dump(include=LOCATED),
        text=quote.quote,
        context="\n".join([*path, chunk.text]) if chunk else quote.quote,
        heading=path[-1] if path else "",
        case=quote.case,
    )


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
    unique = {place_of(s): (near, s) for near, s in reversed(pairs)}
    sentences = [sentence for _, sentence in unique.values()]
    relevance = [near for near, _ in unique.values()]
    scores = context.judge.scores(question, sentences, relevance, language)
    found = list(zip(scores, sentences, strict=True))
    return sorted(found, key=lambda each: (-each[0], each[1].document_id, each[1].start))
