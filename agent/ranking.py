"""Which sentences of the evidence answer a question, best first, and which of them are shown."""

from collections.abc import Iterable, Sequence
from typing import Final

from agent.context import Context
from services.domain import Citation, EvidenceSentence, Language, Passage
from services.domain.value import PageFields
from services.evidence.ranking import CARDS, certainty

MAX_RANKED: Final = 96
"""Sentences that are ranked at a time, those of the best passages first."""
MIN_SHARE: Final = 0.6
"""A sentence that answers less surely than this share of the best one is not quoted beside it."""
_OLDER: Final = 0.99 * MIN_SHARE
"""What an e-mail quotes has at most this share of what its author says of the same."""
MAX_EXCERPT: Final = 600
"""Characters of an excerpt that is shown though it is uncertain whether it answers."""

RankedSentence = tuple[float, EvidenceSentence]
"""How surely a sentence answers, 0-1, and the sentence."""


def rank_sentences(
    question: str, pairs: Sequence[RankedSentence], language: Language, context: Context
) -> list[RankedSentence]:
    """Return sentences by how surely they answer the question, each once.

    ``pairs`` have the relevance of a sentence's passage, 0-1.
    """
    unique = {sentence.key: (near, sentence) for near, sentence in reversed(pairs)}
    sentences = [sentence for _, sentence in unique.values()]
    relevance = [near for near, _ in unique.values()]
    scores = context.judge.scores(question, sentences, relevance, language)
    ranked = _author_first(list(zip(scores, sentences, strict=True)))
    return sorted(ranked, key=lambda pair: (-pair[0], pair[1].key))


def _author_first(ranked: Sequence[RankedSentence]) -> list[RankedSentence]:
    """Put what an e-mail quotes below what its author says of the same, since that is newer."""
    authors: dict[str, float] = {}
    for score, sentence in ranked:
        if not sentence.is_quoted_message:
            authors[sentence.document_id] = max(score, authors.get(sentence.document_id, 0.0))
    return [
        (min(score, _OLDER * author), sentence)
        if sentence.is_quoted_message
        and (author := authors.get(sentence.document_id, 0.0)) >= MIN_SHARE * score
        else (score, sentence)
        for score, sentence in ranked
    ]


def rank_passages(
    question: str,
    passages: Iterable[tuple[float, Passage]],
    language: Language,
    context: Context,
    limit: int | None = MAX_RANKED,
) -> list[RankedSentence]:
    """Rank the first ``limit`` sentences, or all, of passages that come with their relevance."""
    pairs = [(near, s) for near, passage in passages for s in context.passages.sentences(passage)]
    return rank_sentences(question, pairs[:limit], language, context)


def nearly_as_sure(ranked: Sequence[RankedSentence]) -> list[RankedSentence]:
    """Return the best sentence and those that answer nearly as surely, by the same bound."""
    best = ranked[0][0] if ranked else 0.0
    return [
        (score, sentence)
        for score, sentence in ranked
        if score >= MIN_SHARE * best and certainty([score]) == certainty([best])
    ]


def distinct(ranked: Iterable[RankedSentence]) -> list[RankedSentence]:
    """Leave out what overlaps something better: of a list and its items, what ranks first stays."""
    chosen: list[RankedSentence] = []
    for score, sentence in ranked:
        if not overlapping(sentence, (other for _, other in chosen)):
            chosen.append((score, sentence))
    return chosen


def overlapping(sentence: Citation, others: Iterable[Citation]) -> bool:
    """Say whether a sentence shares words of a document with one of the others."""
    return any(sentence.overlaps(other) for other in others)


def closest_excerpts(ranked: Sequence[RankedSentence], context: Context) -> list[EvidenceSentence]:
    """Return the excerpts that come closest, best first: sentences with their neighbours.

    Where it is uncertain which sentence answers, the one beside the best often does.
    """
    excerpts: list[EvidenceSentence] = []
    for _, best in ranked:
        if not overlapping(best, excerpts):
            free = [s for _, s in ranked if not overlapping(s, excerpts)]
            excerpts.append(_widen(best, free, context))
        if len(excerpts) == CARDS:
            break
    return excerpts


def _widen(
    best: EvidenceSentence, others: Sequence[EvidenceSentence], context: Context
) -> EvidenceSentence:
    """Join a sentence with its nearest neighbours of one passage and case, as many as fit."""
    origin = best.document_id, best.context, best.case
    neighbours = [s for s in others if (s.document_id, s.context, s.case) == origin]
    neighbours.sort(key=lambda s: max(best.start - s.end, s.start - best.end))
    start, end, first = best.start, best.end, best
    for neighbour in neighbours:
        if max(end, neighbour.end) - min(start, neighbour.start) <= MAX_EXCERPT:
            start, end = min(start, neighbour.start), max(end, neighbour.end)
            first = min(first, neighbour, key=lambda s: s.start)
    case = first.case or best.case
    inside = case is not None and case.start >= start and case.end <= end
    quote = context.catalog.documents.text_slice(best.document_id, start, end)
    page = first.model_dump(include=set(PageFields.__annotations__))
    changes = {"start": start, "end": end, "quote": quote, **page}
    return best.model_copy(update={**changes, "case": None if inside else case})
