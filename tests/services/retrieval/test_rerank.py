"""The rerankers with models keep their contract, and what each does when something is missing."""

import asyncio
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from services.cross_encoder import open_cross_encoder
from services.domain.errors import (
    BadGeneration,
    InvalidGeneration,
    InvalidInput,
    ModelTimeout,
    ModelUnavailable,
    NoModel,
)
from services.language.text.words import stems
from services.models.base import ChatModel, ChatRequest, Completion
from services.retrieval.rerank import (
    CrossEncoderReranker,
    LanguageModelReranker,
    Pairs,
    PairScorer,
    Reranker,
    TrainedReranker,
    excerpt,
    make_rerankers,
)
from services.settings import Settings
from tests.contracts.reranker_contract import (
    ANSWER,
    NEAR,
    QUESTION,
    UNRELATED,
    RerankerContract,
    passages,
)
from tests.support.scripted_model import Answer, ScriptedModel, prompt_of

ENCODER = cache(open_cross_encoder)
PASSAGE = re.compile(r"^(?:Stelle|Passage) (p\d+): (.*)$", re.MULTILINE)


def overlap(query: str, text: str) -> float:
    """Share of the query's stems that a text has."""
    query_stems = set(stems(query, "de"))
    return len(query_stems & set(stems(text, "de"))) / len(query_stems)


def passages_in(request: ChatRequest) -> list[tuple[str, str]]:
    return PASSAGE.findall(prompt_of(request))


def by_overlap(request: ChatRequest) -> str:
    """A model that marks passages by the words that they share with the question."""
    marks = (f'"{n}":{round(10 * overlap(QUESTION, text))}' for n, text in passages_in(request))
    return f"{{{','.join(marks)}}}"


def reranker_of(model: ChatModel | None, deadline_s: float = 60.0) -> LanguageModelReranker:
    async def chat_model() -> ChatModel | None:
        return model

    return LanguageModelReranker(chat_model, deadline_s=deadline_s)


def answering(answer: Answer) -> LanguageModelReranker:
    return reranker_of(ScriptedModel(default=answer))


def scorer(pairs: Pairs) -> NDArray[np.float32]:
    return np.array([overlap(*pair) for pair in pairs], dtype=np.float32)


class TestLanguageModelReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return answering(by_overlap)


class TestCrossEncoderReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return CrossEncoderReranker("some/model", lambda name: scorer)


class TestTrainedReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return TrainedReranker(ENCODER)


async def test_a_batch_is_small_and_its_schema_names_every_short_passage() -> None:
    model = ScriptedModel(default=by_overlap)
    await reranker_of(model).score(QUESTION, passages(*[f"{NEAR} " * 40] * 20))
    assert [len(passages_in(request)) for request in model.requests] == [8, 8, 4]
    assert all(len(text) < 350 for request in model.requests for _, text in passages_in(request))
    assert all(request.max_tokens <= 80 for request in model.requests)
    schema = model.requests[-1].json_schema
    assert schema is not None and schema["additionalProperties"] is False
    assert schema["required"] == ["p1", "p2", "p3", "p4"]
    assert schema["properties"]["p2"] == {"maximum": 10, "minimum": 0, "type": "integer"}


async def test_prompts_fit_a_small_context_and_a_slow_model() -> None:
    narrow, slow = (ScriptedModel(default=by_overlap, context_tokens=600) for _ in range(2))
    slow.context_tokens, slow.prompt_tokens_per_s = 8192, 20.0
    for model in (narrow, slow):
        scores = await reranker_of(model).score(QUESTION, passages(*[f"{NEAR} " * 40] * 8))
        assert len(scores) == 8 and len(model.requests) > 1


async def test_questions_in_english_are_asked_in_english() -> None:
    model = ScriptedModel(default='{"p1": 3}')
    await reranker_of(model).score("What is the limit for trainees?", passages(ANSWER))
    assert "Passage p1: Gesetz, § 0: Für" in prompt_of(model.requests[0])


@pytest.mark.parametrize(
    "answer",
    [
        '{"p1": 3}',
        '{"p1": 3, "p2": 11}',
        '{"p1": 3, "p2": -1}',
        '{"p1": 3, "p2": 1, "p3": 1}',
        "[3, 1]",
        "keine Ahnung",
    ],
)
async def test_marks_that_miss_ids_or_ranges_are_refused_after_a_repair(answer: str) -> None:
    with pytest.raises(BadGeneration):
        await answering(answer).score(QUESTION, passages(ANSWER, NEAR))
    repaired = reranker_of(ScriptedModel([("rerank", [answer, '{"p1": 3, "p2": 9}'])]))
    assert await repaired.score(QUESTION, passages(NEAR, ANSWER)) == [0.3, 0.9]


async def test_one_failing_batch_fails_all_for_marks_must_compare() -> None:
    marks = "{" + ",".join(f'"p{n}":5' for n in range(1, 9)) + "}"
    model = ScriptedModel([("rerank", [marks, ModelUnavailable("gone")])])
    with pytest.raises(InvalidGeneration, match="gone"):
        await reranker_of(model).score(QUESTION, passages(*[NEAR] * 12))


async def test_without_a_model_it_says_so() -> None:
    async def missing() -> ChatModel | None:
        raise NoModel("run `ollama pull x`")

    for reranker, message in (
        (reranker_of(None), "RABBITHOLE_LLM=none"),
        (LanguageModelReranker(missing, deadline_s=1), "ollama pull x"),
    ):
        with pytest.raises(ModelUnavailable, match=message):
            await reranker.score(QUESTION, passages(ANSWER))


async def test_the_deadline_holds_for_all_batches_together() -> None:
    class Slow(ScriptedModel):
        async def complete(
            self, request: ChatRequest, on_text: Callable[[str], None] | None = None
        ) -> Completion:
            await asyncio.sleep(0.15)
            return await super().complete(request, on_text)

    model = Slow(default=by_overlap)
    with pytest.raises(ModelTimeout, match="40 passages"):
        await reranker_of(model, deadline_s=0.4).score(QUESTION, passages(*[NEAR] * 40))


async def test_a_named_cross_encoder_is_loaded_once_and_late(tmp_path: Path) -> None:
    def never() -> Any:
        raise AssertionError("nothing is opened before it is asked")

    for named, kind in ((None, TrainedReranker), ("some/model", CrossEncoderReranker)):
        settings = Settings(home=tmp_path, cross_encoder=named)
        made = make_rerankers(settings, never, never)
        assert type(made["cross-encoder"]) is kind
    loaded: list[str] = []

    def load(name: str) -> PairScorer:
        loaded.append(name)
        return scorer

    reranker = CrossEncoderReranker("m", load)
    assert loaded == []
    for text in (ANSWER, NEAR):
        await reranker.score(QUESTION, passages(text))
    assert loaded == ["m"]


async def test_a_classifier_of_several_labels_is_no_reranker() -> None:
    def three_labels(pairs: Pairs) -> NDArray[np.float32]:
        return np.zeros((len(pairs), 3), dtype=np.float32)

    with pytest.raises(InvalidInput, match="one label"):
        reranker = CrossEncoderReranker("nli", lambda name: three_labels)
        await reranker.score(QUESTION, passages(ANSWER))


def test_an_excerpt_is_the_run_of_sentences_that_the_query_is_about() -> None:
    filler = "Die Behörde prüft den Antrag. "
    run = excerpt(f"{filler * 12}{ANSWER} {NEAR} {filler * 12}", QUESTION, "de", 120)
    assert ANSWER in run and len(run) <= 120
    assert excerpt(ANSWER, QUESTION, "de", 300) == ANSWER
    assert len(excerpt("x" * 900, QUESTION, "de", 300)) == 300


def save_network(folder: Path, labels: int) -> str:
    """A BERT of two thousand numbers with random weights; the path of its folder."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(7)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz"]
    (folder / "vocab.txt").write_text("\n".join([*words, *(f"##{word}" for word in words[5:])]))
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    config = BertConfig(
        vocab_size=57, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=64, num_labels=labels,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


@pytest.mark.slow
async def test_networks_of_sentence_transformers(tmp_path: Path) -> None:
    with pytest.raises(NoModel, match="RABBITHOLE_CROSS_ENCODER"):
        await CrossEncoderReranker(str(tmp_path)).score(QUESTION, passages(ANSWER))
    reranker = CrossEncoderReranker(save_network(tmp_path, labels=1))
    scores = await reranker.score(QUESTION, passages(NEAR, ANSWER, f"{UNRELATED} " * 400))
    assert len(scores) == 3 and all(0 < score < 1 for score in scores)
    again = await reranker.score(QUESTION, passages(ANSWER, NEAR))
    assert again == pytest.approx([scores[1], scores[0]], abs=1e-5)
    with pytest.raises(InvalidInput, match="one label"):
        three = CrossEncoderReranker(save_network(tmp_path, labels=3))
        await three.score(QUESTION, passages(NEAR, ANSWER))
