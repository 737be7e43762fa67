"""The Ollama client against a loopback server."""

from collections.abc import Iterator

import pytest

from services.domain.errors import ModelUnavailable, PromptTooLong
from services.models.base import ChatModel
from services.models.ollama import OllamaModel
from tests.contracts.chat_model_contract import SENTENCE, EndpointContract, ask
from tests.support.loopback import Body, Out
from tests.support.ollama_server import OllamaServer


@pytest.fixture
def endpoint() -> Iterator[OllamaServer]:
    with OllamaServer() as server:
        yield server


@pytest.fixture
def model(endpoint: OllamaServer) -> ChatModel:
    return OllamaModel("qwen3:14b", url=endpoint.url, context_tokens=4096)


class TestOllamaModel(EndpointContract): ...


async def test_always_sends_the_context_size_and_no_thinking(
    model: ChatModel, endpoint: OllamaServer
) -> None:
    await model.complete(ask())
    assert endpoint.requests[0]["options"]["num_ctx"] == 4096
    assert endpoint.requests[0]["think"] is False


async def test_notices_a_silently_cut_prompt(model: ChatModel, endpoint: OllamaServer) -> None:
    endpoint.counts = 100
    with pytest.raises(PromptTooLong, match="only 100 tokens"):
        await model.complete(ask(SENTENCE * 60))


async def test_a_prompt_that_fills_the_context_was_cut(
    model: ChatModel, endpoint: OllamaServer
) -> None:
    endpoint.counts = 4096
    with pytest.raises(PromptTooLong, match="only 4096 tokens"):
        await model.complete(ask(SENTENCE * 60))


async def test_a_cached_prefix_is_not_taken_for_a_cut(
    model: ChatModel, endpoint: OllamaServer
) -> None:
    await model.complete(ask(SENTENCE * 60))
    endpoint.counts = 40
    completion = await model.complete(ask(SENTENCE * 60 + "Und wie hoch ist er?"))
    assert completion.text == "Ja."


async def test_takes_the_servers_word_for_the_speed(model: ChatModel) -> None:
    assert model.reading_speed is None
    await model.complete(ask(SENTENCE * 20))
    assert model.reading_speed == model.prompt_tokens_per_s == pytest.approx(100)  # 10 ms a token


async def test_a_model_that_is_to_be_deterministic_learns_no_speed(endpoint: OllamaServer) -> None:
    model = OllamaModel("qwen3:14b", url=endpoint.url)
    model.learns_speed = False
    await model.complete(ask(SENTENCE * 20))
    assert model.prompt_tokens_per_s == 150


class Loading(OllamaServer):
    """Its errors are objects, as those of what speaks the protocol too."""

    def handle(self, path: str, body: Body, out: Out) -> None:
        out.json({"error": {"code": 503, "message": "Loading model"}}, 503)


async def test_an_error_that_is_an_object_is_told_like_one_that_is_a_text() -> None:
    with Loading() as endpoint, pytest.raises(ModelUnavailable, match="Loading model"):
        await OllamaModel("qwen3:14b", url=endpoint.url).complete(ask())
