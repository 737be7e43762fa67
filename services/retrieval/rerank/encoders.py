"""Rerankers that need no language model: sentences' vectors, and networks that read both texts."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from services.cross_encoder import CrossEncoder
from services.domain import Hit
from services.domain.errors import InvalidInput
from services.language.text import sentences
from services.lazy import Lazy
from services.retrieval.embedders.sentence_transformer import load_model
from services.retrieval.rerank.base import with_heading
from services.retrieval.scoring import clamp, highest_evidence
from services.retrieval.similarity import Similarity

SHORTEST = 20
"""Characters; what is shorter is a heading or a number of a list, and says nothing."""

SETTING = "RABBITHOLE_CROSS_ENCODER"
EXAMPLE = "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1"
LOGIT_WEIGHT = 0.3

Pairs = list[tuple[str, str]]
PairScorer = Callable[[Pairs], NDArray[np.float32]]
"""Scores pairs of query and passage: an array of the shape (pairs,), each 0-1."""


class _InThread(ABC):
    """Scores passages in a thread of their own."""

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """See ``Reranker.score``; passages are taken to be in the order of the search."""
        return await asyncio.to_thread(self._score, query, passages) if passages else []

    @abstractmethod
    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]: ...


class BestSentenceReranker(_InThread):
    """Puts the mean of a passage's cosine and that of its best sentence for the former.

    One vector for a whole passage blurs what a single sentence of it says. The score stays that
    of ``scoring.evidence_sum`` otherwise. Sentences are embedded when they are first looked at,
    and kept, so that the same passages cost nothing the next time.

    Args:
        similarity: opened when it is first needed.
    """

    def __init__(self, similarity: Callable[[], Similarity]) -> None:
        self._similarity = similarity

    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        parts = [_sentences(passage.text) for passage in passages]
        similarity = self._similarity()
        cosines = similarity.cosines([query], [part for each in parts for part in each])
        ends = np.cumsum([len(each) for each in parts])[:-1]
        best = [max(each, default=None) for each in np.split(cosines.reshape(-1), ends)]
        calibration = similarity.calibration
        found = [passage.explain.get("vector") for passage in passages]
        whole = [None if each is None else each.score for each in found]
        furthest = min((each for each in whole if each is not None), default=calibration.floor)
        scale = 2 * highest_evidence(calibration)
        scores = []
        for passage, own, top in zip(passages, whole, best, strict=True):
            lift = 0.0 if top is None else float(top) - (furthest if own is None else own)
            scores.append(clamp(passage.score + lift / scale))
        return scores


def _sentences(text: str) -> list[str]:
    """The sentences of a text that are long enough to say something."""
    found = (text[start:end] for start, end in sentences(text))
    return [sentence for sentence in found if len(sentence) >= SHORTEST]


class TrainedReranker(_InThread):
    """The bundled cross-encoder of the judge, beside the order of the search.

    Alone it orders worse than the search; a passage's score is its logit beside the logarithm of
    its rank, weighed on one half of XQuAD (docs/search.md).
    """

    def __init__(self, encoder: Callable[[], CrossEncoder]) -> None:
        self._encoder = encoder

    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        parts = [
            [with_heading(each, ""), *(each.text[start:end] for start, end in sentences(each.text))]
            for each in passages
        ]
        logits = np.array([reading.passage for reading in self._encoder().read(query, parts)])
        odds = LOGIT_WEIGHT * logits - np.log(np.arange(len(passages)) + 2)
        return [float(share) for share in 1 / (1 + np.exp(-odds))]


class CrossEncoderReranker(_InThread):
    """Any cross-encoder of sentence-transformers by name or folder.

    The model is loaded with the first search that wants it; passages beyond its length are cut
    by its tokenizer. Work runs in a thread, one call at a time.

    Args:
        model: its name or folder.
        load: loads the model; ``load_scorer`` unless a test gives another.
    """

    def __init__(self, model: str, load: Callable[[str], PairScorer] | None = None) -> None:
        self._model = model
        self._scorer = Lazy(lambda: (load or load_scorer)(model))
        self._turn = threading.Lock()

    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """Raises NoModel or InvalidInput where the model cannot be had."""
        pairs = [(query, with_heading(passage, passage.text)) for passage in passages]
        scorer = self._scorer.get()
        with self._turn:
            scores = np.asarray(scorer(pairs), dtype=np.float64)
        if scores.shape != (len(pairs),) or not np.isfinite(scores).all():
            raise InvalidInput(
                "{model} gives no single score to a passage, so it cannot rerank. Name a "
                "cross-encoder with one label in {setting}, such as {example}.",
                model=self._model,
                setting=SETTING,
                example=EXAMPLE,
            )
        return [float(score) for score in scores.clip(0.0, 1.0)]


def load_scorer(name: str) -> PairScorer:
    """A model of sentence-transformers, whatever its own activation, with scores of 0-1."""
    from sentence_transformers import CrossEncoder
    from torch.nn import Sigmoid

    model = load_model(CrossEncoder, name, SETTING)

    def score(pairs: Pairs) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = model.predict(
            pairs, activation_fn=Sigmoid(), show_progress_bar=False
        )
        return scores

    return score
