"""The OpenAI-compatible client against a loopback server."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from services.domain.errors import NoModel
from services.models.base import ChatModel
from services.models.openai_compatible import OpenAICompatibleModel
from tests.contracts.chat_model_contract import SENTENCE, EndpointContract, ask
from tests.support.openai_server import OpenAIServer


@pytest.fixture
def endpoint() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def model(endpoint: OpenAIServer) -> ChatModel:
    key = SecretStr("geheim")
    return OpenAICompatibleModel("m", url=endpoint.base_url, context_tokens=4096, api_key=key)


class TestOpenAICompatibleModel(EndpointContract): ...


async def test_sends_the_key(model: ChatModel, endpoint: OpenAIServer) -> None:
    endpoint.key = "geheim"
    assert (await model.complete(ask())).text == "Ja."


async def test_a_refused_key_is_no_model_and_is_not_shown(
    model: ChatModel, endpoint: OpenAIServer
) -> None:
    endpoint.key = "anders"
    with pytest.raises(NoModel, match="RABBITHOLE_OPENAI_API_KEY") as caught:
        await model.complete(ask())
    assert "geheim" not in str(caught.value)
    assert len(endpoint.requests) == 1


async def test_cached_tokens_do_not_count_as_read(model: ChatModel, endpoint: OpenAIServer) -> None:
    endpoint.cached_tokens = 200
    await model.complete(ask())
    await model.complete(ask(SENTENCE * 10))  # 250 tokens, 50 fresh: too few to measure
    assert model.reading_speed is None


async def test_the_first_answer_measures_no_speed_as_the_model_may_be_loaded(
    model: ChatModel,
) -> None:
    await model.complete(ask(SENTENCE * 10))
    assert model.reading_speed is None
