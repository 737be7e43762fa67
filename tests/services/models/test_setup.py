"""Trials of the models: what they tell of good, poor and absent ones."""

from collections.abc import Callable

import pytest

from services.domain.errors import (
    CorruptWeights,
    ModelTimeout,
    ModelUnavailable,
    TruncatedGeneration,
)
from services.domain.model_checks import ModelChoice
from services.models.base import ChatRequest, Completion
from services.models.setup import check_embedder, check_model, try_choice
from services.settings import Settings
from tests.support.fakes_retrieval import HashEmbedder
from tests.support.scripted_model import Rule, ScriptedModel

COUNTS: Rule = ("Count", "one, two, three")
FILLS: Rule = ("JSON", {"answer": "yes"})


class TimedModel(ScriptedModel):
    """Writes 11 tokens, the first after 0.5 s, the last after 2.5 s, by a clock of its own."""

    now = 0.0

    def clock(self) -> float:
        return self.now

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        self.now += 0.5
        completion = await super().complete(request, on_text)
        self.now += 2.0
        return completion.model_copy(update={"completion_tokens": 11, "seconds": 2.5})


async def test_a_good_model_is_measured_from_its_first_token_on() -> None:
    model = TimedModel([COUNTS, FILLS])
    check = await check_model(model, deadline_s=10, clock=model.clock)
    assert check.problem is None and check.keeps_form
    assert (check.model, check.context_tokens) == ("scripted", 8192)
    assert check.first_token_s == pytest.approx(0.5)
    assert check.tokens_per_s == pytest.approx(5.0)
    assert check.prompt_tokens_per_s is None  # the prompts are too short to measure it


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModelUnavailable("nobody answers: start `ollama serve`"), "ollama serve"),
        (ModelTimeout("no end after 10 s"), "RABBITHOLE_MODEL_DEADLINE_S"),
        (TruncatedGeneration("it wrote on and on"), "another model"),
    ],
)
async def test_what_is_wrong_is_told_with_the_way_out(error: Exception, told: str) -> None:
    check = await check_model(ScriptedModel([("Count", error)]), deadline_s=10)
    assert told in str(check.problem)
    assert check.first_token_s is None and not check.keeps_form


async def test_the_embedding_model_is_asked_once_before_it_is_measured() -> None:
    class Counted(HashEmbedder):
        asked = 0

        def embed_query(self, text: str):  # type: ignore[no-untyped-def]
            self.asked += 1
            return super().embed_query(text)

    embedder = Counted()
    ticks = iter((0.0, 0.02))
    check = await check_embedder(embedder, clock=lambda: next(ticks))
    assert embedder.asked == 2
    assert check.query_ms == pytest.approx(20.0)
    assert check.fingerprint == embedder.fingerprint


async def test_damaged_weights_are_told_by_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    async def damaged(settings: Settings) -> None:
        raise CorruptWeights("the pieces do not fit")

    monkeypatch.setattr("services.models.setup.installed_pieces", list)
    monkeypatch.setattr("services.models.setup.make_model", damaged)
    trial = await try_choice(ModelChoice(llm="embedded"), Settings())
    assert (str(trial.problem), trial.field) == ("the pieces do not fit", "model")
