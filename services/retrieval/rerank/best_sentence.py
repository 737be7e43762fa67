"""Passages judged by their best sentence: the bundled embedding model looks a second time."""

import asyncio
from collections.abc import Callable, Sequence

import numpy as np

from services.domain import Hit
from services.language.text import sentences
from services.retrieval.embedders import Calibration, Vectors
from services.retrieval.scoring import clamp, highest_evidence

SHORTEST = 20
"""Characters; what is shorter is a heading or a number of a list, and says nothing."""

Cosines = Callable[[Sequence[str], Sequence[str]], Vectors]
"""From queries and sentences to an array of the shape (queries, sentences)."""


class BestSentenceReranker:
    """Puts the mean of a passage's cosine and that of its best sentence for the former.

    One vector for a whole passage blurs what a single sentence of it says. The score stays that
    of ``scoring.evidence_sum`` otherwise. Sentences are embedded when they are first looked at,
    and kept, so that the same passages cost nothing the next time.

    Args:
        cosines: ``Similarity.cosines``.
        calibration: gives that of the embedding model; asked at every call.
    """

    def __init__(self, cosines: Cosines, calibration: Callable[[], Calibration]) -> None:
        self._cosines = cosines
        self._calibration = calibration

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """See ``Reranker.score``."""
        return await asyncio.to_thread(self._score, query, passages)

    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        if not passages:
            return []
        parts = [telling_sentences(passage.text) for passage in passages]
        cosines = self._cosines([query], [part for each in parts for part in each])
        ends = np.cumsum([len(each) for each in parts])[:-1]
        best = [max(each, default=None) for each in np.split(cosines.reshape(-1), ends)]
        calibration = self._calibration()
        whole = [cosine_of(passage) for passage in passages]
        furthest = min((each for each in whole if each is not None), default=calibration.floor)
        scale = 2 * highest_evidence(calibration)
        return [
            clamp(passage.score + _lift(top, furthest if own is None else own) / scale)
            for passage, own, top in zip(passages, whole, best, strict=True)
        ]


def telling_sentences(text: str) -> list[str]:
    """The sentences of a text that are long enough to say something."""
    found = (text[start:end] for start, end in sentences(text))
    return [sentence for sentence in found if len(sentence) >= SHORTEST]


def cosine_of(hit: Hit) -> float | None:
    """The hit's cosine, where vector search found it."""
    found = hit.explain.get("vector")
    return None if found is None else found.score


def _lift(best: float | None, own: float) -> float:
    return 0.0 if best is None else float(best) - own
