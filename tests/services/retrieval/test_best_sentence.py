"""Passages judged by their best sentence, on cosines made of common words."""

from collections.abc import Sequence

import numpy as np
import pytest

from services.domain import Hit, StrategyScore
from services.retrieval.embedders import Calibration, Vectors
from services.retrieval.rerank import BestSentenceReranker, Reranker
from tests.contracts.reranker_contract import (
    ANSWER,
    NEAR,
    QUESTION,
    UNRELATED,
    RerankerContract,
    passage,
)


def overlap(queries: Sequence[str], sentences: Sequence[str]) -> Vectors:
    """Share of a query's words, by their first six letters, that a sentence has."""

    def words(text: str) -> set[str]:
        return {word[:6] for word in text.lower().split()}

    rows = [[len(words(q) & words(s)) / len(words(q)) for s in sentences] for q in queries]
    return np.array(rows, dtype=np.float32).reshape(len(queries), len(sentences))


class WordSimilarity:
    calibration = Calibration(low=0.2, high=0.6)
    cosines = staticmethod(overlap)


def judge() -> BestSentenceReranker:
    return BestSentenceReranker(WordSimilarity)


def found(text: str, score: float, cosine: float | None) -> Hit:
    explain = {} if cosine is None else {"vector": StrategyScore(rank=1, score=cosine)}
    return passage(text).model_copy(update={"score": score, "explain": explain})


class TestBestSentenceReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return judge()


async def test_one_telling_sentence_lifts_a_long_passage() -> None:
    long = f"{UNRELATED} {UNRELATED} {ANSWER} {UNRELATED}"
    hits = [found(NEAR, 0.52, 0.4), found(long, 0.5, 0.4)]
    near, answer = await judge().score(QUESTION, hits)
    assert answer > near


async def test_a_passage_without_sentences_keeps_its_score() -> None:
    assert await judge().score(QUESTION, [found("§ 5", 0.5, 0.3)]) == [0.5]


async def test_what_vectors_did_not_find_counts_like_the_furthest_of_them() -> None:
    hits = [found(NEAR, 0.5, 0.3), found(NEAR, 0.5, None), found(UNRELATED, 0.5, 0.2)]
    first, second, _ = await judge().score(QUESTION, hits)
    assert second > first


async def test_what_words_say_still_counts() -> None:
    hits = [found(NEAR, 0.9, 0.3), found(NEAR, 0.5, 0.3)]
    first, second = await judge().score(QUESTION, hits)
    assert first - second == pytest.approx(0.4)
