"""A server that takes requests and says nothing costs one wait, not one for each request."""

import time

import pytest

from services.domain.errors import ModelSilent, ModelTimeout
from services.models.ollama import OllamaModel
from services.models.openai_compatible import OpenAICompatibleModel
from services.models.tasks import TaskRunner
from tests.contracts.chat_model_contract import ask
from tests.services.models.test_tasks import FALLBACK, Explain
from tests.support.loopback import Body
from tests.support.ollama_server import OllamaServer
from tests.support.openai_server import OpenAIServer

NAME = "qwen3:14b"


async def test_a_silent_server_is_not_waited_for_again() -> None:
    with OpenAIServer() as server:
        server.fault = "silent"
        model = OpenAICompatibleModel("m", url=server.base_url, first_word_s=0.3)
        began = time.monotonic()
        for _ in range(3):
            with pytest.raises(ModelSilent, match=r"0\.3 s.*RABBITHOLE_MODEL_FIRST_WORD_S"):
                await model.complete(ask())
        assert time.monotonic() - began < 15 and len(server.requests) == 1
        run = TaskRunner(model, deadline_s=60)
        results = [await run.run(Explain(), "§ 12") for _ in range(2)]
        assert [result.value for result in results] == [FALLBACK] * 2
        assert [result.usage.model_calls for result in results] == [1, 0]


async def test_a_server_that_has_begun_may_take_its_deadline() -> None:
    with OpenAIServer() as server:
        server.fault = "drip"
        model = OpenAICompatibleModel("m", url=server.base_url, first_word_s=30)
        with pytest.raises(ModelTimeout):
            await model.complete(ask(deadline_s=1.0))


async def test_who_is_known_to_read_slowly_is_given_the_time() -> None:
    def slow(body: Body) -> str:
        server.wait(0.0 if len(server.requests) == 1 else 1.0)
        return "Ja."

    with OpenAIServer(slow) as server:
        model = OpenAICompatibleModel("m", url=server.base_url, first_word_s=20)
        await model.complete(ask())
        model.reading_speed, model._first_word_s = 1.0, 0.1
        assert (await model.complete(ask())).text == "Ja."


@pytest.mark.parametrize("held", [(), (NAME,), None])
async def test_an_ollama_that_loads_a_model_is_waited_for(held: tuple[str, ...] | None) -> None:
    def late(body: Body) -> str:
        server.wait(1.0)
        return "Ja."

    with OllamaServer(late) as server:
        server.held = held
        model = OllamaModel(NAME, url=server.url, first_word_s=0.2)
        if held == ():
            assert (await model.complete(ask())).text == "Ja."
            server.held = (NAME,)
        else:
            with pytest.raises(ModelSilent):
                await model.complete(ask())
