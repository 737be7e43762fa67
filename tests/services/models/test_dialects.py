"""Servers speak OpenAI's protocol in dialects; none of them is booked as the model's fault."""

import asyncio
from collections.abc import Iterator
from typing import Literal, get_args

import pytest
from pydantic import BaseModel

from services.domain import TaskUsage
from services.domain.errors import ModelBusy, RequestRefused
from services.models.base import ChatRequest, Message
from services.models.openai_compatible import OpenAICompatibleModel
from services.models.tasks import OF_THE_MODEL, ModelTask, TaskRunner
from tests.support.dialect_server import Dialect, DialectServer
from tests.support.loopback import Body


class Choice(BaseModel):
    answer: Literal["yes", "no"]


class Decide(ModelTask[str, str]):
    """Fills in a form."""

    name = "decide"
    schema = Choice
    max_tokens = 32

    def render(self, inp: str) -> tuple[Message, ...]:
        return (Message(role="user", content=inp),)

    def check(self, inp: str, output: Choice) -> str:
        return output.answer

    def fallback(self, inp: str) -> str:
        return "nobody answered"


FORM = '{"answer": "no"}'
AT_FIRST = {"max_completion_tokens": 2, "no_seed": 2, "no_temperature": 2, "no_schema": 2,
            "bare": 3, "ignores_schema": 2, "unstreamed": 2, "busy": 2}  # fmt: skip
"""Requests of the first call, where one is not enough."""
NEVER_LEARNED = ("busy", "ignores_schema")


@pytest.fixture
def server() -> Iterator[DialectServer]:
    with DialectServer(FORM) as started:
        yield started


@pytest.fixture
def model(server: DialectServer) -> OpenAICompatibleModel:
    return OpenAICompatibleModel("m", url=server.base_url)


async def decide(model: OpenAICompatibleModel) -> tuple[str, TaskUsage]:
    result = await TaskRunner(model, deadline_s=5).run(Decide(), "Is it night?")
    return result.value, result.usage


def request(**changes: object) -> ChatRequest:
    message = Message(role="user", content="Is it night?")
    return ChatRequest(messages=(message,), max_tokens=9, deadline_s=5).model_copy(update=changes)


@pytest.mark.parametrize("dialect", get_args(Dialect))
async def test_each_dialect_is_understood_and_what_it_refuses_is_remembered(
    dialect: Dialect, server: DialectServer, model: OpenAICompatibleModel
) -> None:
    server.dialect = dialect
    value, usage = await decide(model)
    assert (value, usage.fallback) == ("no", None)
    requests = len(server.requests)
    assert requests == AT_FIRST.get(dialect, 1)
    assert (await decide(model))[0] == "no"
    again = AT_FIRST[dialect] if dialect in NEVER_LEARNED else 1
    assert len(server.requests) - requests == again


@pytest.mark.parametrize("dialect", ["max_completion_tokens", "no_seed", "no_schema", "unstreamed"])
async def test_calls_at_the_same_time_learn_no_more_than_one_does(
    dialect: Dialect, server: DialectServer
) -> None:
    server.dialect = dialect
    model = OpenAICompatibleModel("m", url=server.base_url, parallel=4)
    decided = await asyncio.gather(*(decide(model) for _ in range(8)))
    assert {value for value, _ in decided} == {"no"}
    alone = OpenAICompatibleModel("m", url=server.base_url)
    for target in (alone, alone, model):
        await decide(target)
    assert server.requests[-1].keys() == server.requests[-2].keys()


async def test_the_bound_of_an_answer_goes_under_its_other_name(
    server: DialectServer, model: OpenAICompatibleModel
) -> None:
    server.dialect = "max_completion_tokens"
    await decide(model)
    assert server.requests[-1]["max_completion_tokens"] == Decide.max_tokens
    assert "max_tokens" not in server.requests[-1] and "seed" in server.requests[-1]


@pytest.mark.parametrize("dialect", ["no_stop", "bare"])
async def test_a_server_may_refuse_the_text_that_ends_an_answer(
    dialect: Dialect, server: DialectServer, model: OpenAICompatibleModel
) -> None:
    server.dialect = dialect
    assert (await model.complete(request(stop=("END",)))).text == FORM
    await model.complete(request(stop=("END",)))
    assert "stop" in server.requests[0] and "stop" not in server.requests[-1]


@pytest.mark.parametrize("dialect", ["no_schema", "bare"])
async def test_a_schema_that_is_refused_stands_in_the_prompt(
    dialect: Dialect, server: DialectServer, model: OpenAICompatibleModel
) -> None:
    server.dialect = dialect
    await decide(model)
    prompt = server.requests[-1]["messages"][-1]["content"]
    assert prompt.startswith("Is it night?") and '"enum": ["yes", "no"]' in prompt


@pytest.mark.parametrize("reply", ["Of course!", "", '{"answer": "maybe"}'])
async def test_what_fails_at_a_schema_is_asked_again_in_text(
    reply: str, server: DialectServer, model: OpenAICompatibleModel
) -> None:
    server.reply = lambda body: reply if "response_format" in body else FORM
    value, usage = await decide(model)
    assert (value, usage.repairs, usage.fallback) == ("no", 1, None)
    assert '"enum": ["yes", "no"]' in server.requests[-1]["messages"][-1]["content"]


async def test_what_fails_in_text_too_is_the_models_own(
    server: DialectServer, model: OpenAICompatibleModel
) -> None:
    server.reply = "Of course!"
    value, usage = await decide(model)
    assert value == "nobody answered" and usage.fallback is not None
    assert usage.fallback.fields["failure"] in OF_THE_MODEL


async def test_thoughts_are_an_answer_only_where_json_was_asked_for(
    server: DialectServer, model: OpenAICompatibleModel
) -> None:
    server.dialect, server.reply = "answer_in_reasoning", "no JSON"
    value, usage = await decide(model)
    assert value == "nobody answered" and usage.fallback is not None
    assert usage.fallback.fields["failure"] not in OF_THE_MODEL


async def test_a_server_that_refuses_everything_leaves_nothing_learned(
    server: DialectServer, model: OpenAICompatibleModel
) -> None:
    server.closed = True
    with pytest.raises(RequestRefused, match="Bad request"):
        await model.complete(request())
    server.closed = False
    await model.complete(request())
    assert {"max_tokens", "seed", "temperature"} <= server.requests[-1].keys()


async def test_a_busy_server_is_not_waited_for_longer_than_the_deadline(
    server: DialectServer, model: OpenAICompatibleModel
) -> None:
    server.dialect, server.retry_after_s = "busy", 60.0
    with pytest.raises(ModelBusy, match="no requests for the next 60 s"):
        await asyncio.wait_for(model.complete(request()), 2)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "dialect", ["reasoning", "renamed_reasoning", "hidden_reasoning", "unstreamed"]
)
async def test_time_to_think_or_write_is_not_taken_for_time_to_read(
    dialect: Dialect, server: DialectServer, model: OpenAICompatibleModel
) -> None:
    def think(body: Body) -> str:
        server.wait(1.0)
        return FORM

    server.dialect, server.reply = dialect, think
    await model.complete(request())
    await model.complete(request(messages=(Message(role="user", content="Is it night? " * 25),)))
    assert model.prompt_tokens_per_s >= model.first_guess_tokens_per_s  # 108 tokens
