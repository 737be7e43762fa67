"""What every reranker must do. Subclass and provide the fixture ``reranker``."""

import asyncio

import pytest

from services.domain import Hit
from services.retrieval.rerank import Reranker

QUESTION = "Welcher Grenzwert gilt für Auszubildende?"
ANSWER = "Für Auszubildende gilt ein Grenzwert von 6 Millisievert."
NEAR = "Für Besucher gilt ein anderer Grenzwert."
UNRELATED = "Die Rechnung ist zu bezahlen."


def passage(text: str, number: int = 0) -> Hit:
    return Hit(
        chunk_id=f"c{number}",
        document_id="d",
        text_id="t",
        document="gesetz.txt",
        title="Gesetz",
        page=None,
        section=f"§ {number}",
        heading_path=(),
        start=0,
        end=len(text),
        text=text,
        score=0.5,
        relevance=0.5,
        explain={},
    )


def passages(*texts: str) -> list[Hit]:
    return [passage(text, number) for number, text in enumerate(texts)]


class RerankerContract:
    @pytest.fixture
    def reranker(self) -> Reranker:
        raise NotImplementedError

    async def test_the_answer_scores_best(self, reranker: Reranker) -> None:
        near, answer, unrelated = await reranker.score(QUESTION, passages(NEAR, ANSWER, UNRELATED))
        assert 1 >= answer > near > unrelated >= 0

    @pytest.mark.parametrize("count", [1, 7, 8, 9, 30])
    async def test_each_passage_gets_its_own_score(self, reranker: Reranker, count: int) -> None:
        best = count // 2
        texts = [ANSWER if n == best else f"{UNRELATED} {n}" for n in range(count)]
        scores = await reranker.score(QUESTION, passages(*texts))
        assert len(scores) == count and all(0 <= score <= 1 for score in scores)
        assert max(range(count), key=scores.__getitem__) == best

    async def test_no_passages_have_no_scores(self, reranker: Reranker) -> None:
        assert await reranker.score(QUESTION, []) == []

    async def test_odd_and_long_passages_have_scores_too(self, reranker: Reranker) -> None:
        odd = ["", " \n ", "a\0b", "\U0001f600", "§ 5", "Wort " * 5000, "x" * 20_000]
        scores = await reranker.score(QUESTION, passages(*odd))
        assert len(scores) == len(odd) and all(0 <= score <= 1 for score in scores)

    async def test_calls_at_the_same_time_do_not_mix(self, reranker: Reranker) -> None:
        orders = [passages(ANSWER, UNRELATED), passages(UNRELATED, ANSWER)] * 3
        results = await asyncio.gather(*(reranker.score(QUESTION, order) for order in orders))
        for number, (first, second) in enumerate(results):
            assert (first > second) == (number % 2 == 0)
