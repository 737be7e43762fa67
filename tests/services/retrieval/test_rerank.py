"""The rerankers with models keep their contract, and what each does when something is missing."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from services.domain.errors import (
    BadGeneration,
    InvalidGeneration,
    InvalidInput,
    ModelTimeout,
    ModelUnavailable,
    NoModel,
)
from services.factories import open_cross_encoder
from services.language.text import stems
from services.models.base import ChatModel, ChatRequest, Completion
from services.retrieval.rerank import (
    CrossEncoderReranker,
    LanguageModelReranker,
    Reranker,
    TrainedReranker,
)
from services.retrieval.rerank.choices import make_rerankers
from services.retrieval.rerank.cross_encoder import Pairs, PairScorer
from services.retrieval.rerank.excerpts import excerpt
from services.retrieval.sentence_models import ModelSpec
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

PASSAGE = re.compile(r"^(?:Stelle|Passage) (p\d+): (.*)$", re.MULTILINE)


def overlap(query: str, text: str) -> float:
    """Share of the query's stems that a text has."""
    wanted = set(stems(query, "de"))
    return len(wanted & set(stems(text, "de"))) / len(wanted)


def by_overlap(request: ChatRequest) -> str:
    """A model that marks passages by the words that they share with the question."""
    marks = (f'"{n}":{round(10 * overlap(QUESTION, text))}' for n, text in found(request))
    return f"{{{','.join(marks)}}}"


def found(request: ChatRequest) -> list[tuple[str, str]]:
    return PASSAGE.findall(prompt_of(request))


def reranker_of(model: ChatModel | None, deadline_s: float = 60.0) -> LanguageModelReranker:
    async def chat_model() -> ChatModel | None:
        return model

    return LanguageModelReranker(chat_model, deadline_s=deadline_s)


def answering(answer: Answer) -> LanguageModelReranker:
    return reranker_of(ScriptedModel(default=answer))


def scorer(pairs: Pairs) -> NDArray[np.float32]:
    return np.array([overlap(*pair) for pair in pairs], dtype=np.float32)


def never() -> Any:
    raise AssertionError("nothing is opened before it is asked")


def loading(score: PairScorer) -> Callable[[ModelSpec], PairScorer]:
    return lambda spec: score


class TestLanguageModelReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return answering(by_overlap)


class TestCrossEncoderReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return CrossEncoderReranker("some/model", loading(scorer))


class TestTrainedReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return TrainedReranker(open_cross_encoder)


async def test_a_batch_is_small_and_its_passages_short() -> None:
    model = ScriptedModel(default=by_overlap)
    await reranker_of(model).score(QUESTION, passages(*[f"{NEAR} " * 40] * 20))
    assert [len(found(request)) for request in model.requests] == [8, 8, 4]
    assert all(len(text) < 350 for request in model.requests for _, text in found(request))
    assert all(request.max_tokens <= 80 for request in model.requests)


async def test_prompts_fit_a_small_context_and_a_slow_model() -> None:
    narrow, slow = (ScriptedModel(default=by_overlap, context_tokens=600) for _ in range(2))
    slow.context_tokens, slow.prompt_tokens_per_s = 8192, 20.0
    for model in (narrow, slow):
        scores = await reranker_of(model).score(QUESTION, passages(*[f"{NEAR} " * 40] * 8))
        assert len(scores) == 8 and len(model.requests) > 1


async def test_the_schema_names_every_passage_of_the_batch() -> None:
    model = ScriptedModel(default=by_overlap)
    await reranker_of(model).score(QUESTION, passages(NEAR, ANSWER, UNRELATED))
    schema = model.requests[0].json_schema
    assert schema is not None and schema["additionalProperties"] is False
    assert schema["required"] == ["p1", "p2", "p3"]
    assert schema["properties"]["p2"] == {"maximum": 10, "minimum": 0, "type": "integer"}


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
        '{"p1": 3, "p3": 1}',
        '{"p1": 3, "p2": 1, "p3": 1}',
        "[3, 1]",
        "keine Ahnung",
    ],
)
async def test_marks_that_miss_ids_or_ranges_are_refused(answer: str) -> None:
    with pytest.raises(BadGeneration):
        await answering(answer).score(QUESTION, passages(ANSWER, NEAR))


async def test_a_wrong_answer_is_repaired_once() -> None:
    reranker = reranker_of(ScriptedModel([("rerank", ["nein", '{"p1": 3, "p2": 9}'])]))
    assert await reranker.score(QUESTION, passages(NEAR, ANSWER)) == [0.3, 0.9]


async def test_one_failing_batch_fails_all_for_marks_must_compare() -> None:
    marks = "{" + ",".join(f'"p{n}":5' for n in range(1, 9)) + "}"
    model = ScriptedModel([("rerank", [marks, ModelUnavailable("gone")])])
    with pytest.raises(InvalidGeneration, match="gone"):
        await reranker_of(model).score(QUESTION, passages(*[NEAR] * 12))


async def test_without_a_model_it_says_so() -> None:
    with pytest.raises(ModelUnavailable, match="RABBITHOLE_LLM=none"):
        await reranker_of(None).score(QUESTION, passages(ANSWER))

    async def missing() -> ChatModel | None:
        raise NoModel("run `ollama pull x`")

    with pytest.raises(ModelUnavailable, match="ollama pull x"):
        await LanguageModelReranker(missing, deadline_s=1).score(QUESTION, passages(ANSWER))


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


async def test_a_backend_that_does_not_exist_says_which_do() -> None:
    with pytest.raises(InvalidInput, match="torch, onnx"):
        await CrossEncoderReranker("m?backend=gpu").score(QUESTION, passages(ANSWER))


def test_without_a_named_model_the_bundled_cross_encoder_reranks(tmp_path: Path) -> None:
    def kind(named: str | None) -> type:
        settings = Settings(home=tmp_path, cross_encoder=named)
        made = make_rerankers(settings, never, never, never)
        return type(made["cross-encoder"])

    assert kind(None) is TrainedReranker
    assert kind("some/model") is CrossEncoderReranker


async def test_a_cross_encoder_is_loaded_once_and_late() -> None:
    loaded: list[ModelSpec] = []

    def load(spec: ModelSpec) -> PairScorer:
        loaded.append(spec)
        return scorer

    reranker = CrossEncoderReranker("m?backend=onnx&file=o/int8.onnx", load)
    assert loaded == []
    await reranker.score(QUESTION, passages(ANSWER))
    await reranker.score(QUESTION, passages(NEAR))
    assert loaded == [ModelSpec(name="m", backend="onnx", file="o/int8.onnx")]


async def test_a_classifier_of_several_labels_is_no_reranker() -> None:
    def three_labels(pairs: Pairs) -> NDArray[np.float32]:
        return np.zeros((len(pairs), 3), dtype=np.float32)

    with pytest.raises(InvalidInput, match="one label"):
        await CrossEncoderReranker("nli", loading(three_labels)).score(QUESTION, passages(ANSWER))


def test_an_excerpt_is_the_run_of_sentences_that_the_query_is_about() -> None:
    filler = "Die Behörde prüft den Antrag. "
    text = f"{filler * 12}{ANSWER} {NEAR} {filler * 12}"
    part = excerpt(text, QUESTION, "de", 120)
    assert ANSWER in part and len(part) <= 120
    assert excerpt(ANSWER, QUESTION, "de", 300) == ANSWER
    assert len(excerpt("x" * 900, QUESTION, "de", 300)) == 300
