"""Three servers behind one model: which is asked, which is set aside, and who comes when."""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager

import pytest

from services.domain.errors import (
    ModelTimeout,
    ModelUnavailable,
    NoAnswer,
    NoModel,
    PromptTooLong,
)
from services.models.base import ChatModel, ChatRequest, Completion
from services.models.openai_compatible import OpenAICompatibleModel
from services.models.pool import Pool
from tests.contracts.chat_model_contract import EndpointContract, ask
from tests.support.loopback import Body, Fault
from tests.support.openai_server import OpenAIServer

AGAIN_S = 0.1
FAST = 100_000.0
"""Tokens a second of a server that is late after a few hundredths of a second."""


class Client(OpenAICompatibleModel):
    """Has its server load the model, and may fail after some text."""

    def __init__(self, server: "Watched", slots: int, speed: float) -> None:
        self.first_guess_tokens_per_s = speed
        super().__init__("m", url=server.base_url, context_tokens=4096, parallel=slots)
        self._server = server

    async def load(self) -> None:
        self._server.loaded += 1

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        self._server.deadlines_s.append(request.deadline_s)
        completion = await super().complete(request, on_text)
        if self._server.unclear:
            raise ModelUnavailable("what followed is unclear")
        return completion


class Watched(OpenAIServer):
    """A server that takes its time and knows how many it served at once."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self.takes_s = 0.0
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.served: list[str] = []
        self.there = True
        self.unclear = False
        self.loaded = 0
        self.deadlines_s: list[float] = []
        self.most = self._now = 0
        self._counting = threading.Lock()

    def _answer(self, body: Body) -> str:
        with self._counting:
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(self.takes_s)
        self.may_answer.wait(10)
        with self._counting:
            self._now -= 1
            self.served.append(body["messages"][-1]["content"])
        return "Ja, gewiss."

    async def made(self, slots: int, speed: float) -> ChatModel:
        if not self.there:
            raise NoModel("nothing answers at {url}", url=self.base_url)
        return Client(self, slots, speed)


@pytest.fixture(autouse=True)
def looked_at_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.models.pool.AGAIN_S", AGAIN_S)


@pytest.fixture
def servers() -> Iterator[list[Watched]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Watched()) for _ in range(3)]


@asynccontextmanager
async def pool_of(
    servers: list[Watched], slots: int = 1, speed: float = 150.0
) -> AsyncIterator[Pool]:
    def maker(server: Watched) -> Callable[[], Awaitable[ChatModel]]:
        return lambda: server.made(slots, speed)

    pool = await Pool.over({each.base_url: maker(each) for each in servers})
    try:
        yield pool
    finally:
        await pool.close()


async def until(true: Callable[[], bool]) -> None:
    for _ in range(1000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to that")


def asked(servers: list[Watched]) -> list[int]:
    return [len(each.requests) for each in servers]


class TestPool(EndpointContract):
    """A pool of which one server never was there."""

    @pytest.fixture
    def endpoint(self) -> Iterator[OpenAIServer]:
        with OpenAIServer() as server:
            yield server

    @pytest.fixture
    async def model(self, endpoint: OpenAIServer) -> ChatModel:
        async def gone() -> ChatModel:
            raise NoModel("nothing answers; start it")

        async def there() -> ChatModel:
            return OpenAICompatibleModel("m", url=endpoint.base_url, context_tokens=4096)

        return await Pool.over({"http://gone": gone, endpoint.base_url: there})


async def test_the_least_busy_is_asked_and_no_server_or_pool_takes_more_than_it_may(
    servers: list[Watched],
) -> None:
    async with pool_of(servers, slots=2) as pool:
        assert pool.slots == 6
        for server in servers:
            server.may_answer.clear()
        calls = [asyncio.create_task(pool.complete(ask())) for _ in range(3)]
        await until(lambda: asked(servers) == [1, 1, 1])
        calls += [asyncio.create_task(pool.complete(ask())) for _ in range(15)]
        await until(lambda: asked(servers) == [2, 2, 2])
        await asyncio.sleep(0.2)
        for server in servers:
            server.may_answer.set()
        await asyncio.gather(*calls)
        assert sum(asked(servers)) == 18
    assert [server.most for server in servers] == [2, 2, 2]


async def test_one_that_hangs_and_one_that_is_dead_are_set_aside(
    servers: list[Watched], caplog: pytest.LogCaptureFixture
) -> None:
    hangs, dead, well = servers
    async with pool_of(servers) as pool:
        hangs.fault = "silent"
        dead.stop()
        dead.there = hangs.there = False
        done = await asyncio.gather(*(pool.complete(ask(deadline_s=5.0)) for _ in range(6)))
        assert [each.text for each in done] == ["Ja, gewiss."] * 6
        assert asked(servers) == [1, 0, 6]
    assert well.most == 1
    warned = [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]
    assert len(warned) == 2
    assert any(f"{hangs.base_url} sent nothing for" in each for each in warned)
    assert any(f"cannot be reached at {dead.base_url}" in each for each in warned)


async def test_whoever_comes_back_is_asked_again(servers: list[Watched]) -> None:
    ill, _, never = servers
    never.there = False
    async with pool_of(servers) as pool:
        ill.fault = "error"
        ill.there = False
        for _ in range(3):
            await pool.complete(ask())
        assert asked(servers) == [2, 3, 0]  # the model itself tried once more
        ill.fault = "none"
        ill.there = never.there = True
        await until(lambda: [server.loaded for server in servers] == [1, 0, 1])
        assert asked(servers) == [2, 3, 0], "the model is loaded before anything is asked"
        assert pool.slots == 3
        for server in servers:
            server.may_answer.clear()
        calls = [asyncio.create_task(pool.complete(ask())) for _ in range(3)]
        await until(lambda: asked(servers) == [3, 4, 1])
        for server in servers:
            server.may_answer.set()
        await asyncio.gather(*calls)
        await pool.load()
        assert [server.loaded for server in servers] == [2, 1, 2]


async def test_who_waits_is_served_by_the_one_that_comes(servers: list[Watched]) -> None:
    busy, late, _ = servers
    late.there = False
    async with pool_of(servers[:2]) as pool:
        busy.may_answer.clear()
        calls = [asyncio.create_task(pool.complete(ask())) for _ in range(2)]
        await asyncio.sleep(AGAIN_S)
        late.there = True
        assert (await calls[1]).text == "Ja, gewiss."
        busy.may_answer.set()
        await calls[0]
        assert asked(servers) == [1, 1, 0]


async def test_a_closed_pool_looks_at_no_server_any_more(servers: list[Watched]) -> None:
    servers[0].there = False
    before = asyncio.all_tasks()
    async with pool_of(servers) as pool:
        assert asyncio.all_tasks() > before
        await pool.complete(ask())
    assert asyncio.all_tasks() == before


async def test_prompts_are_fitted_to_what_is_known_of_the_speed(servers: list[Watched]) -> None:
    async with pool_of(servers) as pool:
        guess = pool.prompt_tokens_per_s
        await pool.complete(ask("Was gilt für Beschäftigte? " * 100))
        assert pool.prompt_tokens_per_s > guess, "and not to what is guessed of the others"


async def test_while_no_other_is_free_a_slow_one_is_waited_for(servers: list[Watched]) -> None:
    slow, busy, _ = servers
    async with pool_of(servers[:2], speed=FAST) as pool:
        slow.takes_s, busy.fault = 0.5, "drip"
        calls = [asyncio.create_task(pool.complete(ask())) for _ in range(2)]
        done, rest = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        assert done.pop().result().text == "Ja, gewiss."
        rest.pop().cancel()
        assert asked(servers) == [1, 1, 0]


async def test_once_another_is_free_the_one_that_hangs_is_left(servers: list[Watched]) -> None:
    hangs, busy, _ = servers
    async with pool_of(servers[:2], speed=FAST) as pool:
        hangs.fault, hangs.there = "silent", False
        busy.may_answer.clear()
        calls = asyncio.gather(*(pool.complete(ask(deadline_s=10.0)) for _ in range(2)))
        await until(lambda: asked(servers) == [1, 1, 0])
        busy.may_answer.set()
        assert len(await calls) == 2
        assert asked(servers) == [1, 2, 0]


async def test_who_is_slow_everywhere_is_answered_by_the_last(servers: list[Watched]) -> None:
    for server in servers:
        server.takes_s = 0.5
    async with pool_of(servers, speed=FAST) as pool:
        assert (await pool.complete(ask())).text == "Ja, gewiss."
        assert [len(server.deadlines_s) for server in servers] == [1, 1, 1]


async def test_one_deadline_holds_for_all_servers(servers: list[Watched]) -> None:
    for server in servers:
        server.fault = "silent"
    async with pool_of(servers) as pool:
        with pytest.raises(ModelTimeout):
            await pool.complete(ask(deadline_s=2.0))
        given_s = [server.deadlines_s for server in servers]
        assert given_s == [[2.0], [pytest.approx(1.2, abs=0.3)], [pytest.approx(0.7, abs=0.3)]]


async def test_a_whole_deadline_of_silence_sets_aside(servers: list[Watched]) -> None:
    ill, hangs, _ = servers
    async with pool_of(servers[:2]) as pool:
        ill.fault = "error"
        ill.there = hangs.there = False
        await pool.complete(ask())
        hangs.fault, ill.fault = "silent", "none"
        with pytest.raises(ModelTimeout):
            await pool.complete(ask(deadline_s=0.5))
        assert (await pool.complete(ask())).text == "Ja, gewiss."
        assert asked(servers) == [3, 2, 0]


async def test_what_broke_off_is_told_and_the_next_call_goes_elsewhere(
    servers: list[Watched],
) -> None:
    dies = servers[0]
    async with pool_of(servers) as pool:
        dies.fault = "drop"
        seen: list[str] = []
        with pytest.raises(NoAnswer):
            await pool.complete(ask(), seen.append)
        assert seen and asked(servers) == [1, 0, 0]
        dies.stop()
        assert (await pool.complete(ask(), seen.append)).text == "Ja, gewiss."
        assert sum(asked(servers)) == 2


async def test_no_answer_follows_the_text_of_another(servers: list[Watched]) -> None:
    async with pool_of(servers) as pool:
        servers[0].unclear = True
        seen: list[str] = []
        with pytest.raises(ModelUnavailable, match="unclear"):
            await pool.complete(ask(), seen.append)
        assert seen[-1] == "Ja, gewiss." and asked(servers) == [1, 0, 0]


@pytest.mark.parametrize(
    ("fault", "prompt", "raised"),
    [("missing", "Was?", NoModel), ("none", "Was gilt? " * 4096, PromptTooLong)],
)
async def test_a_fault_of_the_request_is_not_tried_elsewhere(
    servers: list[Watched], fault: Fault, prompt: str, raised: type[Exception]
) -> None:
    async with pool_of(servers) as pool:
        servers[0].fault = fault
        with pytest.raises(raised):
            await pool.complete(ask(prompt))
        assert sum(asked(servers)) == (fault == "missing")
        servers[0].fault = "none"
        await asyncio.gather(*(pool.complete(ask()) for _ in range(3)))
        assert all(asked(servers)), "none was set aside"


async def test_callers_take_turns_at_all_servers_together(servers: list[Watched]) -> None:
    served: list[str] = []
    for server in servers:
        server.served = served
        server.may_answer.clear()
    async with pool_of(servers[:2]) as pool:
        calls = [asyncio.create_task(pool.complete(ask("busy", caller="busy"))) for _ in range(10)]
        await until(lambda: asked(servers) == [1, 1, 0])
        calls += [asyncio.create_task(pool.complete(ask("anna", caller="anna"))) for _ in range(2)]
        await asyncio.sleep(0.5)  # all wait
        for server in servers:
            server.may_answer.set()
        await asyncio.gather(*calls)
    assert served[:6].count("anna") == 2, "after what was under way, every other turn is hers"


async def test_where_all_are_down_one_error_names_them_and_the_first_back_serves(
    servers: list[Watched],
) -> None:
    async with pool_of(servers) as pool:
        for server in servers:
            server.fault, server.there = "error", False
        with pytest.raises(ModelUnavailable) as raised:
            await pool.complete(ask())
        assert all(server.base_url in str(raised.value) for server in servers)
        servers[1].fault = "none"
        assert (await pool.complete(ask())).text == "Ja, gewiss."
        before = asked(servers)
        await asyncio.gather(pool.complete(ask()), pool.complete(ask()))
        assert asked(servers) == [before[0], before[1] + 2, before[2]], "it is known to be back"


async def test_where_none_is_there_the_error_names_all(servers: list[Watched]) -> None:
    for server in servers:
        server.there = False
    with pytest.raises(NoModel) as raised:
        async with pool_of(servers):
            pass
    assert all(server.base_url in str(raised.value) for server in servers)
