"""What every chat model must do. A test class per implementation inherits these tests.

``ChatModelContract`` holds for every model, ``EndpointContract`` for those behind a network
endpoint. Subclasses provide the fixtures ``endpoint`` (a :class:`LoopbackServer`) and
``model``.
"""

import asyncio
import itertools
import time

import pytest

from services.domain.errors import (
    ModelTimeout,
    ModelUnavailable,
    NoAnswer,
    NoModel,
    PromptTooLong,
    TruncatedGeneration,
)
from services.models.base import ChatModel, ChatRequest, Message
from tests.support.loopback import LoopbackServer
from tests.support.trap import Trap

SENTENCE = "Der Grenzwert der effektiven Dosis beträgt 20 Millisievert im Kalenderjahr."
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}


def ask(prompt: str = "Nenne den Grenzwert.", **changes: object) -> ChatRequest:
    """A small request."""
    fields = {"max_tokens": 64, "deadline_s": 60.0, **changes}
    return ChatRequest(messages=(Message(role="user", content=prompt),), **fields)


class ChatModelContract:
    """Holds for every implementation."""

    async def test_gives_a_whole_generation_with_its_cost(self, model: ChatModel) -> None:
        completion = await model.complete(ask())
        assert completion.text.strip()
        assert completion.prompt_tokens > 0
        assert completion.completion_tokens > 0
        assert completion.seconds >= 0

    async def test_text_grows_up_to_the_result(self, model: ChatModel) -> None:
        texts: list[str] = []
        completion = await model.complete(ask(), texts.append)
        assert texts[-1] == completion.text
        assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(texts))

    async def test_refuses_a_prompt_beyond_the_context(self, model: ChatModel) -> None:
        longer = SENTENCE * (model.context_tokens // 10)
        with pytest.raises(PromptTooLong, match="fewer passages"):
            await model.complete(ask(longer))

    async def test_output_counts_against_the_context(self, model: ChatModel) -> None:
        with pytest.raises(PromptTooLong):
            await model.complete(ask(max_tokens=model.context_tokens))

    def test_counts_tokens_plausibly(self, model: ChatModel) -> None:
        assert model.count_tokens("") == 0
        one, ten = model.count_tokens(SENTENCE), model.count_tokens(SENTENCE * 10)
        assert len(SENTENCE) / 6 < one < len(SENTENCE)
        assert one < ten <= 10 * one + 1

    async def test_closing_twice_is_fine(self, model: ChatModel) -> None:
        await model.close()
        await model.close()

    def test_says_who_it_is(self, model: ChatModel) -> None:
        assert model.name
        assert model.context_tokens > 0
        assert model.prompt_tokens_per_s > 0


class EndpointContract(ChatModelContract):
    """Holds for every implementation behind an HTTP endpoint, whatever that does."""

    async def test_sends_sampling_and_messages(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        turns = (
            Message(role="system", content="Du antwortest knapp."),
            Message(role="user", content="Frage 1"),
            Message(role="assistant", content="Antwort 1"),
            Message(role="user", content="Frage 2"),
        )
        await model.complete(ChatRequest(messages=turns, max_tokens=33, seed=11, deadline_s=5))
        sent = endpoint.requests[0]
        assert [(m["role"], m["content"]) for m in sent["messages"]] == [
            (turn.role, turn.content) for turn in turns
        ]
        sampling = sent.get("options", sent)
        assert sampling["temperature"] == 0
        assert sampling["seed"] == 11
        assert 33 in (sampling.get("num_predict"), sampling.get("max_tokens"))

    async def test_sends_the_schema(self, model: ChatModel, endpoint: LoopbackServer) -> None:
        endpoint.reply = '{"answer": "ja"}'
        completion = await model.complete(ask(json_schema=SCHEMA))
        assert completion.text == '{"answer": "ja"}'
        sent = endpoint.requests[0]
        wrapped = sent.get("response_format", {}).get("json_schema", {}).get("schema")
        assert SCHEMA in (sent.get("format"), wrapped)

    async def test_tries_again_once_when_the_server_fails(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        endpoint.fault, endpoint.heals_after = "error", 1
        assert (await model.complete(ask())).text == endpoint.reply
        assert len(endpoint.requests) == 2

    @pytest.mark.parametrize("fault", ["error", "hangup", "garbage"])
    async def test_a_failing_server_is_unavailable(
        self, model: ChatModel, endpoint: LoopbackServer, fault: str
    ) -> None:
        endpoint.fault = fault
        with pytest.raises(ModelUnavailable):
            await model.complete(ask())
        assert len(endpoint.requests) == 2

    async def test_what_is_asked_goes_to_no_other_server(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        with Trap() as trap:
            endpoint.elsewhere = trap.address
            with pytest.raises(ModelUnavailable, match="307"):
                await model.complete(ask())
        assert not trap.asked

    async def test_no_server_is_unavailable(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        endpoint.stop()
        with pytest.raises(ModelUnavailable, match=r"start"):
            await model.complete(ask())

    async def test_an_unknown_model_is_no_model(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        endpoint.fault = "missing"
        with pytest.raises(NoModel):
            await model.complete(ask())

    async def test_a_prompt_that_the_server_calls_too_long_is_that(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        endpoint.fault = "too_long"
        with pytest.raises(PromptTooLong, match="4096"):
            await model.complete(ask())
        assert len(endpoint.requests) == 1

    @pytest.mark.parametrize(
        ("fault", "error"), [("cut", NoAnswer), ("drop", NoAnswer), ("length", TruncatedGeneration)]
    )
    async def test_nothing_truncated_passes_as_whole(
        self, model: ChatModel, endpoint: LoopbackServer, fault: str, error: type[Exception]
    ) -> None:
        endpoint.fault = fault
        with pytest.raises(error):
            await model.complete(ask())

    async def test_truncated_json_does_not_pass_either(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        endpoint.fault = "cut"
        with pytest.raises(NoAnswer):
            await model.complete(ask(json_schema=SCHEMA))

    @pytest.mark.parametrize("fault", ["empty", "blank", "thinking"])
    async def test_an_answer_without_text_is_invalid(
        self, model: ChatModel, endpoint: LoopbackServer, fault: str
    ) -> None:
        endpoint.fault = fault
        texts: list[str] = []
        with pytest.raises(NoAnswer):
            await model.complete(ask(), texts.append)
        assert texts == []

    @pytest.mark.parametrize("fault", ["drip", "silent"])
    async def test_the_deadline_holds_and_ends_the_request(
        self, model: ChatModel, endpoint: LoopbackServer, fault: str
    ) -> None:
        endpoint.fault = fault
        started = time.monotonic()
        with pytest.raises(ModelTimeout, match=r"0\.4 s"):
            await model.complete(ask(deadline_s=0.4))
        assert time.monotonic() - started < 60.0  # an endpoint that never ends
        assert fault == "silent" or endpoint.wait_for_abort()

    async def test_cancelling_ends_the_request(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        endpoint.fault = "drip"
        begun = asyncio.Event()
        call = asyncio.create_task(model.complete(ask(), lambda text: begun.set()))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert endpoint.wait_for_abort()

    async def test_a_listener_that_fails_ends_the_request(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        endpoint.fault = "drip"

        def fail(text: str) -> None:
            raise LookupError("the listener is broken")

        with pytest.raises(LookupError):
            await model.complete(ask(), fail)
        await asyncio.sleep(0)
        assert await asyncio.to_thread(endpoint.wait_for_abort)

    async def test_the_deadline_starts_when_the_turn_has_come(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        def slowly(body: dict[str, object]) -> str:
            time.sleep(1.2)
            return "Ja."

        endpoint.reply = slowly
        calls = [model.complete(ask(deadline_s=3.0)) for _ in range(3)]
        assert [done.text for done in await asyncio.gather(*calls)] == ["Ja."] * 3

    async def test_learns_how_fast_prompts_are_read(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        guess = model.prompt_tokens_per_s
        await model.complete(ask())  # it may load the model
        await model.complete(ask(SENTENCE * 10))
        assert model.prompt_tokens_per_s != guess

    async def test_a_refused_request_is_not_tried_again(
        self, model: ChatModel, endpoint: LoopbackServer
    ) -> None:
        """A known prompt is served again without harm: the model keeps no broken state."""
        for _ in range(2):
            assert (await model.complete(ask(SENTENCE))).text == "Ja."
        assert len(endpoint.requests) == 2
