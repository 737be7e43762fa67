"""Several servers with the same model as one model: the least busy is asked, the dead are not."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Self

from services.domain.errors import ModelTimeout, ModelUnavailable, NoModel, RabbitholeError
from services.domain.notices import Notice
from services.models.base import (
    PROMPT_SHARE,
    ChatModel,
    ChatRequest,
    Completion,
    digest_of,
    load,
    require_fit,
)
from services.models.slot import AGAIN_S
from services.models.turns import Place, Turns

logger = logging.getLogger(__name__)

ServerMaker = Callable[[], Awaitable[ChatModel]]
"""Asks a server whether it is there and makes a model of it; raises NoModel where it is not."""


@dataclass(eq=False, kw_only=True)
class Server(Place):
    """One server, without slots until it has a model. ``problem``: why it was last set aside."""

    address: str
    make: ServerMaker
    slots: int = 0
    shut: bool = True
    model: ChatModel | None = None
    answered: bool = False
    problem: RabbitholeError | None = None
    watch: asyncio.Task[None] | None = None


class Pool:
    """A chat model on several servers; :meth:`over` makes one.

    Callers take turns at all servers together, which take as many calls at once as each of them
    may. A server that fails before any text came, or sends none in time, is set aside and looked
    at again every ``AGAIN_S`` seconds; what it was asked goes to another one. Where all are set
    aside, all are tried. Text that was passed on is never followed by that of another server.
    """

    def __init__(self, makers: Mapping[str, ServerMaker]) -> None:
        self._servers = [Server(address=at, make=make) for at, make in makers.items()]
        self._turns = Turns(*self._servers)

    @classmethod
    async def over(cls, makers: Mapping[str, ServerMaker]) -> Self:
        """A pool of the servers that are there, which looks for the others again.

        Args:
            makers: one for each server by its address, all for the same model.

        Raises:
            NoModel: none is there.
        """
        pool = cls(makers)
        await asyncio.gather(*map(pool._look_at, pool._servers))
        if not pool._models:
            raise NoModel("no model server can be used: {problems}", problems=pool._problems())
        for server in pool._servers:
            if server.problem is not None:
                pool._set_aside(server, server.problem)
        return pool

    @property
    def _models(self) -> list[ChatModel]:
        return [server.model for server in self._servers if server.model is not None]

    @property
    def _measured(self) -> list[ChatModel]:
        """The models whose speed is known; all as long as it is of none."""
        answered = (server.model for server in self._servers if server.answered)
        return [model for model in answered if model is not None] or self._models

    @property
    def name(self) -> str:
        return self._models[0].name

    @property
    def digest(self) -> str:
        """That of each file which the servers have; the same name may stand for several."""
        return " ".join(sorted({digest_of(model) for model in self._models}))

    @property
    def context_tokens(self) -> int:
        return min(model.context_tokens for model in self._models)

    @property
    def prompt_tokens_per_s(self) -> float:
        return min(model.prompt_tokens_per_s for model in self._measured)

    @property
    def output_tokens_per_s(self) -> float:
        return min(model.output_tokens_per_s for model in self._measured)

    @property
    def slots(self) -> int:
        return sum(server.slots for server in self._servers)

    def count_tokens(self, text: str) -> int:
        """As the first server's model counts: they are the same."""
        return self._models[0].count_tokens(text)

    async def load(self) -> None:
        """Has every server take the model into memory that can be told to."""
        await asyncio.gather(*map(load, self._models))

    async def close(self) -> None:
        """Close all models and look for none any more."""
        watches = [server.watch for server in self._servers if server.watch is not None]
        for watch in watches:
            watch.cancel()
        await asyncio.gather(*watches, return_exceptions=True)
        for model in self._models:
            await model.close()

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        """See :meth:`services.models.base.ChatModel.complete`; one deadline for all servers."""
        await asyncio.to_thread(require_fit, self, request)
        left_s = request.deadline_s
        tried: list[Server] = []
        for _ in self._models:
            async with self._turns.of(request.caller) as server:
                started = time.monotonic()
                tried.append(server)
                asked = request.model_copy(update={"deadline_s": left_s})
                if (completion := await self._asked(tried, asked, on_text)) is not None:
                    return completion
                left_s -= round(time.monotonic() - started, 1)
        raise ModelUnavailable("no model server can be used: {problems}", problems=self._problems())

    async def _asked(
        self, tried: list[Server], request: ChatRequest, on_text: Callable[[str], None] | None
    ) -> Completion | None:
        """The answer of the last one; None where it was set aside and another one can be asked."""
        server = tried[-1]
        assert server.model is not None, "a server without a model has no slots"
        begun = asyncio.Event()

        def pass_on(text: str) -> None:
            begun.set()
            if on_text is not None:
                on_text(text)

        call = asyncio.ensure_future(server.model.complete(request, pass_on))
        try:
            await self._in_time(tried, request, call, begun)
            completion = await call
        except ModelUnavailable as problem:
            if begun.is_set():
                raise
            self._set_aside(server, problem)
            return None
        except ModelTimeout:
            if not begun.is_set():
                self._set_aside(server, _silent(server, request.deadline_s))
            raise
        finally:
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
        server.answered = True
        self._open(server)
        return completion

    async def _in_time(
        self,
        tried: list[Server],
        request: ChatRequest,
        call: asyncio.Future[Completion],
        begun: asyncio.Event,
    ) -> None:
        """Waits for the first text; raises ModelUnavailable if it is late and another is free."""
        patience_s = self._patience_s(request)
        while not (call.done() or begun.is_set()):
            await asyncio.wait({call}, timeout=patience_s)
            other = self._turns.free(besides=tried)
            if not (call.done() or begun.is_set() or other is None or other.shut):
                raise _silent(tried[-1], patience_s)

    def _patience_s(self, request: ChatRequest) -> float:
        """How long a server may send nothing while another one is free.

        As long as reading a full context and writing a whole answer take at the speed measured,
        since another prompt may be read first and thoughts are not passed on; but no longer than
        the share of the deadline that reading has anyway.
        """
        reading_s = self.context_tokens / self.prompt_tokens_per_s
        writing_s = request.max_tokens / self.output_tokens_per_s
        return min(PROMPT_SHARE * request.deadline_s, reading_s + writing_s)

    def _set_aside(self, server: Server, problem: RabbitholeError) -> None:
        server.shut, server.shut_at, server.problem = True, time.monotonic(), problem
        if server.watch is None or server.watch.done():
            logger.warning("A model server is set aside: %s", problem)
            server.watch = asyncio.create_task(self._watch(server))

    def _open(self, server: Server) -> None:
        server.shut = False
        self._turns.call()

    async def _watch(self, server: Server) -> None:
        """Looks at a server that is set aside again and again until it is back."""
        while server.shut:
            await asyncio.sleep(AGAIN_S)
            await self._look_at(server, loaded=True)

    async def _look_at(self, server: Server, *, loaded: bool = False) -> None:
        """Opens a server if it is there, and if ``loaded``, when it has the model in memory."""
        try:
            model = await server.make()
        except RabbitholeError as problem:
            server.problem = problem
            return
        if server.model is None:
            server.model, server.slots = model, model.slots
        else:
            await model.close()
        if loaded:
            await load(server.model)
        self._open(server)

    def _problems(self) -> Notice:
        """Why the servers were set aside, in one sentence."""
        problems = [server.problem.notice for server in self._servers if server.problem]
        return reduce(lambda one, two: Notice.of("{one}; {two}", one=one, two=two), problems)


def _silent(server: Server, seconds: float) -> ModelUnavailable:
    return ModelUnavailable(
        "the model server at {url} sent nothing for {seconds:g} s",
        url=server.address,
        seconds=round(seconds, 1),
    )
