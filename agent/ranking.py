"""Which sentences of the evidence answer a question, best first, and which of them are shown."""

from collections.abc import Iterable, Sequence
from typing import Final

from agent.context import Context
from services.domain import (
    Certainty,
    Citation,
    CitedSentence,
    EvidenceSentence,
    Language,
    Passage,
)
from services.evidence.ranking import CARDS, certainty

MOST_COMPARED: Final = 96
"""Sentences that are judged at a time, those of the best passages first."""
LEAST_SHARE: Final = 0.6
"""A sentence that answers less surely than this share of the best one is not quoted beside it."""
LONGEST_CARD: Final = 600
"""Characters of a place that is shown though it is not known whether it answers."""

RankedSentence = tuple[float, EvidenceSentence]
"""How surely a sentence answers, 0-1, and the sentence."""


def ranked(
    questions: Sequence[str],
    pairs: Sequence[RankedSentence],
    language: Language,
    context: Context,
) -> list[RankedSentence]:
    """Sentences by how surely they answer the question, or the least of several; each once.

    ``pairs`` have the relevance of a sentence's passage.
    """
    unique = {sentence.key: (near, sentence) for near, sentence in reversed(pairs)}
    sentences = [sentence for _, sentence in unique.values()]
    relevance = [near for near, _ in unique.values()]
    scores = [context.judge.scores(each, sentences, relevance, language) for each in questions]
    found = list(zip(map(min, zip(*scores, strict=True)), sentences, strict=True))
    return sorted(found, key=lambda each: (-each[0], each[1].key))


def ranked_within(
    questions: Sequence[str],
    passages: Iterable[tuple[float, Passage]],
    language: Language,
    context: Context,
    most: int | None = MOST_COMPARED,
) -> list[RankedSentence]:
    """The first ``most`` sentences of passages, or all, with their relevance, as `ranked` has."""
    pairs = [(near, s) for near, passage in passages for s in context.passages.sentences(passage)]
    return ranked(questions, pairs[:most], language, context)


def beside(ranked: Sequence[RankedSentence]) -> list[RankedSentence]:
    """The best and what may stand beside it: what answers nearly as surely, by the same bound."""
    best = ranked[0][0] if ranked else 0.0
    return [
        each
        for each in ranked
        if each[0] >= LEAST_SHARE * best and certainty([each[0]]) == certainty([best])
    ]


def said(
    ranked: Iterable[tuple[float, Citation]],
    sentences: Iterable[CitedSentence],
    *,
    named: bool = False,
) -> Certainty:
    """How surely the sentences of an answer answer something: covered is what they say of it.

    Args:
        ranked: sentences of the evidence by how surely they answer it, 0-1.
        sentences: of the answer; those that are no proof count for nothing.
        named: as of `services.evidence.ranking.certainty`.
    """
    shown = [each for one in sentences if one.supported for each in one.citations]
    scores = [score for score, each in ranked if any(own.contains(each) for own in shown)]
    return certainty(scores, named=named)


def distinct(ranked: Iterable[RankedSentence]) -> list[RankedSentence]:
    """Without what overlaps something better: of a list and its items, what ranks first."""
    kept: list[RankedSentence] = []
    for score, sentence in ranked:
        if not overlapping(sentence, (other for _, other in kept)):
            kept.append((score, sentence))
    return kept


def overlapping(sentence: Citation, others: Iterable[Citation]) -> bool:
    """Whether a sentence shares words of a document with one of the others."""
    return any(sentence.overlaps(other) for other in others)


def cards(ranked: Sequence[RankedSentence], context: Context) -> list[EvidenceSentence]:
    """The places that come closest, best first: sentences with what stands around them.

    Where it is not known which sentence answers, the one beside the best often does.
    """
    found: list[EvidenceSentence] = []
    for _, best in ranked:
        if not overlapping(best, found):
            free = [s for _, s in ranked if not overlapping(s, found)]
            found.append(_widened(best, free, context))
        if len(found) == CARDS:
            break
    return found


def _widened(
    best: EvidenceSentence, others: Sequence[EvidenceSentence], context: Context
) -> EvidenceSentence:
    """A sentence with its nearest neighbours of one passage and case, as many as a card holds."""
    place = best.document_id, best.context, best.case
    beside = [s for s in others if (s.document_id, s.context, s.case) == place]
    start, end, first = best.start, best.end, best
    for each in sorted(beside, key=lambda s: max(best.start - s.end, s.start - best.end)):
        if max(end, each.end) - min(start, each.start) <= LONGEST_CARD:
            start, end = min(start, each.start), max(end, each.end)
            first = min(first, each, key=lambda s: s.start)
    case = first.case or best.case
    inside = case is not None and case.start >= start and case.end <= end
    quote = context.catalog.documents.text_slice(best.document_id, start, end)
    changes = {"start": start, "end": end, "quote": quote, "page": first.page}
    return best.model_copy(update={**changes, "case": None if inside else case})
