"""A cross-encoder as a reranker: a network reads query and passage together."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from services.cross_encoder import CrossEncoder
from services.domain import Hit
from services.domain.errors import InvalidInput
from services.language.text import sentences
from services.lazy import Lazy
from services.retrieval.rerank.base import with_heading
from services.retrieval.sentence_models import ModelSpec

SETTING = "RABBITHOLE_CROSS_ENCODER"
EXAMPLE = "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1"

LOGIT_WEIGHT = 0.3

Pairs = list[tuple[str, str]]


class PairScorer(Protocol):
    """Scores pairs of query and passage: an array of the shape (pairs,), each 0-1."""

    def __call__(self, pairs: Pairs) -> NDArray[np.float32]: ...


class TrainedReranker:
    """The bundled cross-encoder of the judge, beside the order of the search.

    Alone it orders worse than the search; a passage's score is its logit beside the logarithm of
    its rank, weighed on one half of XQuAD (docs/retrieval.md).
    """

    def __init__(self, encoder: Callable[[], CrossEncoder]) -> None:
        self._encoder = encoder

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """See ``Reranker.score``; passages are taken to be in the order of the search."""
        return await asyncio.to_thread(self._score, query, passages)

    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        parts = [
            [with_heading(each, ""), *(each.text[start:end] for start, end in sentences(each.text))]
            for each in passages
        ]
        logits = np.array([reading.passage for reading in self._encoder().read(query, parts)])
        odds = LOGIT_WEIGHT * logits - np.log(np.arange(len(passages)) + 2)
        return [float(share) for share in 1 / (1 + np.exp(-odds))]


class CrossEncoderReranker:
    """Any cross-encoder of sentence-transformers by name or folder.

    The model is loaded with the first search that wants it; passages beyond its length are cut
    by its tokenizer. Work runs in a thread, one call at a time.

    Args:
        model: as ``ModelSpec.parse`` reads it.
        load: loads the model; ``load_scorer`` unless a test gives another.
    """

    def __init__(self, model: str, load: Callable[[ModelSpec], PairScorer] | None = None) -> None:
        self._model = model
        self._load = load or load_scorer
        self._scorer = Lazy(self._loaded)
        self._turn = threading.Lock()

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """See ``Reranker.score``; raises NoModel or InvalidInput where the model cannot be had."""
        if not passages:
            return []
        pairs = [(query, with_heading(passage, passage.text)) for passage in passages]
        return await asyncio.to_thread(self._score, pairs)

    def _score(self, pairs: Pairs) -> list[float]:
        scorer = self._scorer.get()
        with self._turn:
            scores = np.asarray(scorer(pairs), dtype=np.float64)
        if scores.shape != (len(pairs),) or not np.isfinite(scores).all():
            raise InvalidInput(
                f"{self._model} gives no single score to a passage, so it cannot rerank. Name a "
                f"cross-encoder with one label in {SETTING}, such as {EXAMPLE}."
            )
        return [float(score) for score in scores.clip(0.0, 1.0)]

    def _loaded(self) -> PairScorer:
        return self._load(ModelSpec.parse(self._model, SETTING))


def load_scorer(spec: ModelSpec) -> PairScorer:
    """A model of sentence-transformers, whatever its own activation, with scores of 0-1."""
    from sentence_transformers import CrossEncoder
    from torch.nn import Sigmoid

    model = spec.load(CrossEncoder, SETTING)

    def score(pairs: Pairs) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = model.predict(
            pairs, activation_fn=Sigmoid(), show_progress_bar=False
        )
        return scores

    return score
