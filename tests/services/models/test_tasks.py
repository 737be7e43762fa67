"""Model tasks: repair, counted fallback, circuit, language."""

import asyncio
from collections.abc import Callable

import pytest
from pydantic import BaseModel, Field

from services.domain import Language
from services.domain.errors import (
    InvalidGeneration,
    ModelTimeout,
    ModelUnavailable,
    NoModel,
    PromptTooLong,
    TruncatedGeneration,
)
from services.models.base import ChatRequest, Completion, Message
from services.models.ollama import OllamaModel
from services.models.output import check_language
from services.models.tasks import ModelTask, TaskRunner
from tests.support.ollama_server import OllamaServer
from tests.support.scripted_model import Answer, ScriptedModel

GERMAN = "Die Genehmigung erteilt die zuständige Behörde, wenn keine Bedenken bestehen."
ENGLISH = "The competent authority grants the licence when there are no objections to it."
FALLBACK = "aus den Textstellen"


class Terms(BaseModel):
    terms: list[str] = Field(min_length=1)


class ListTerms(ModelTask[str, list[str]]):
    """Structured, with a check of its own."""

    name = "list_terms"
    schema = Terms
    max_tokens = 64

    def render(self, inp: str) -> tuple[Message, ...]:
        return (Message(role="user", content=f"Begriffe in: {inp}"),)

    def check(self, inp: str, output: Terms) -> list[str]:
        unknown = [term for term in output.terms if term not in inp]
        if unknown:
            raise InvalidGeneration(f"not in the text: {', '.join(unknown)}")
        return output.terms

    def fallback(self, inp: str) -> list[str]:
        return [FALLBACK]


class Explain(ModelTask[str, str]):
    """Plain text for people."""

    name = "explain"
    max_tokens = 64

    def render(self, inp: str) -> tuple[Message, ...]:
        return (Message(role="user", content=f"Erkläre: {inp}"),)

    def check(self, inp: str, output: str) -> str:
        check_language(output, "de")
        return output

    def fallback(self, inp: str) -> str:
        return FALLBACK


class GermanText(str):
    """Has a language, as the input of a prompt does."""

    language: Language = "de"


def runner(model: object, **options: object) -> TaskRunner:
    return TaskRunner(model, deadline_s=5, **options)


async def test_structured_output_is_parsed_checked_and_counted() -> None:
    model = ScriptedModel([("list_terms", {"terms": ["Radon"]})])
    result = await runner(model).run(ListTerms(), "Radon in Innenräumen")
    assert result.value == ["Radon"]
    assert result.usage.model_calls == 1
    assert (result.usage.repairs, result.usage.fallback) == (0, None)
    assert result.usage.prompt_tokens > 0
    assert result.usage.completion_tokens > 0
    schema = model.requests[0].json_schema
    assert schema is not None
    assert schema["required"] == ["terms"]


async def test_without_a_model_the_fallback_is_the_normal_path() -> None:
    result = await runner(None).run(ListTerms(), "Radon")
    assert result.value == [FALLBACK]
    assert result.usage.model_calls == 0
    assert result.usage.fallback is None


@pytest.mark.parametrize(
    ("task", "bad", "good", "complaint"),
    [
        (ListTerms(), '{"terms": ["Ra', '{"terms": ["Radon"]}', "Invalid JSON"),
        (ListTerms(), '{"terms": []}', '{"terms": ["Radon"]}', "terms: List should have"),
        (ListTerms(), '{"terms": ["Xenon"]}', '{"terms": ["Radon"]}', "not in the text: Xenon"),
        (Explain(), ENGLISH, GERMAN, "not in German"),
        (Explain(), InvalidGeneration("sent no answer"), GERMAN, "sent no answer"),
        (Explain(), TruncatedGeneration("cut off"), GERMAN, "zu lang"),
    ],
)
async def test_one_repair_says_what_was_wrong(
    task: ModelTask, bad: object, good: str, complaint: str
) -> None:
    model = ScriptedModel([(task.name, [bad, good])])
    result = await runner(model).run(task, GermanText("Radon"))
    assert result.usage.model_calls == 2
    assert (result.usage.repairs, result.usage.fallback) == (1, None)
    first, second = model.prompts(task.name)
    assert second.startswith(first)  # a prefix cache can reuse it
    assert complaint in second
    roles = [message.role for message in model.requests[1].messages]
    assert roles == (["user", "assistant", "user"] if isinstance(bad, str) else ["user"])


@pytest.mark.parametrize(
    "error", [ModelTimeout("too slow"), ModelUnavailable("down"), PromptTooLong("too much")]
)
async def test_what_no_repair_can_mend_falls_back_at_once(error: Exception) -> None:
    model = ScriptedModel([("explain", error)])
    result = await runner(model).run(Explain(), "§ 12")
    assert result.value == FALLBACK
    assert (result.usage.model_calls, result.usage.repairs) == (1, 0)
    assert str(result.usage.fallback) == f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(
    ("error", "calls"),
    [(ModelUnavailable("down"), 2), (ModelTimeout("slow"), 3), (NoModel("no such model"), 1)],
)
async def test_a_dead_endpoint_is_given_up(error: Exception, calls: int) -> None:
    model = ScriptedModel([("explain", error)])
    run = runner(model)
    results = [await run.run(Explain(), "§ 12") for _ in range(5)]
    assert len(model.requests) == calls
    assert all(result.value == FALLBACK for result in results)
    assert results[-1].usage.model_calls == 0
    assert "not tried again in this run" in str(results[-1].usage.fallback)
    other_run = await runner(model).run(Explain(), "§ 12")
    assert other_run.usage.model_calls == 1


class Slow(ScriptedModel):
    """Notes how many calls run at once."""

    running = 0
    most = 0
    begun = asyncio.Event()

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        self.begun.set()
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.02)
        self.running -= 1
        return await super().complete(request, on_text)


@pytest.mark.parametrize("parallel", [1, 2])
async def test_runs_so_many_calls_at_once(parallel: int) -> None:
    model = Slow([("explain", GERMAN)])
    run = runner(model, parallel=parallel)
    await asyncio.gather(*(run.run(Explain(), str(n)) for n in range(5)))
    assert model.most == parallel


async def test_cancelling_frees_the_turn() -> None:
    model = Slow([("explain", GERMAN)])
    run = runner(model)
    first = asyncio.create_task(run.run(Explain(), "1"))
    await model.begun.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    result = await asyncio.wait_for(run.run(Explain(), "2"), 1)
    assert result.value == GERMAN


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("error", "ModelUnavailable"),
        ("garbage", "ModelUnavailable"),
        ("drip", "ModelTimeout"),
        ("cut", "NoAnswer"),
        ("length", "TruncatedGeneration"),
        ("thinking", "NoAnswer"),
        ("blank", "NoAnswer"),
        ("english", "InvalidGeneration"),
    ],
)
async def test_every_fault_of_a_real_endpoint_ends_in_the_fallback(fault: str, reason: str) -> None:
    with OllamaServer() as server:
        server.fault = fault
        model = OllamaModel("qwen3:14b", url=server.url)
        deadline_s = 0.5 if fault == "drip" else 60  # on a busy machine a second is short
        result = await TaskRunner(model, deadline_s=deadline_s).run(Explain(), "§ 12")
    assert result.value == FALLBACK
    assert str(result.usage.fallback).startswith(reason)
    assert result.usage.seconds < 60


async def test_what_streams_ends_repairs_resets_and_raises() -> None:
    texts: list[str] = []
    down = ModelUnavailable("down")
    answers = [f"{GERMAN}\n", down, GERMAN, down, GERMAN, ENGLISH, ENGLISH]
    model = ScriptedModel([("explain", [*answers, ZeroDivisionError("a bug")])])
    run = runner(model)
    first = await run.run(Explain(), "§ 12", on_text=texts.append)
    assert first.value == GERMAN == texts[-1].strip() and texts[0] == "Die"
    usages = [(await run.run(Explain(), "§ 12")).usage for _ in range(5)]
    assert [usage.fallback is None for usage in usages] == [False, True, False, True, False]
    assert (usages[-1].model_calls, usages[-1].repairs) == (2, 1)
    assert "not in German" in str(usages[-1].fallback) and usages[-1].completion_tokens > 0
    with pytest.raises(ZeroDivisionError):
        await run.run(Explain(), "§ 12")


class Loud(Explain):
    """A task whose result a second try may better."""

    def improve(self, inp: str, value: str) -> None:
        if "!" not in value:
            raise InvalidGeneration("say it louder")


@pytest.mark.parametrize(
    ("second", "taken"),
    [("Der Lärm ist groß!", "Der Lärm ist groß!"), (ModelTimeout("late"), "Der Lärm ist da.")],
)
async def test_what_could_be_better_is_asked_again_once(second: Answer, taken: str) -> None:
    model = ScriptedModel([("explain", ["Der Lärm ist da.", second])])
    result = await runner(model).run(Loud(), "Lärm")
    assert (result.value, len(model.requests)) == (taken, 2)
    assert result.usage.fallback is None
