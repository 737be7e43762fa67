"""The language model in use: found when it is first needed, and replaced without a restart."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from services.domain.errors import RabbitholeError
from services.domain.model_checks import ModelState
from services.models.base import ChatModel, load
from services.models.checks import NO_MODEL

ModelMaker = Callable[[], Awaitable[ChatModel | None]]
AGAIN_S: Final = 30.0
"""After so long a model that was not there is looked for once more, unasked."""


class ModelSlot:
    """Holds the maker of a model, then the model; to be used on one event loop.

    Asking how it is never waits.
    """

    def __init__(self, make: ModelMaker) -> None:
        self._make = make
        self._lock = asyncio.Lock()
        self._made: list[ChatModel | None] = []
        self._problem: RabbitholeError | None = None
        self._failed_at = 0.0
        self._warming: asyncio.Task[None] | None = None

    async def get(self) -> ChatModel | None:
        """The model; what its maker raises is raised here, and the next call tries again."""
        async with self._lock:
            if not self._made:
                try:
                    self._made.append(await self._make())
                except RabbitholeError as problem:
                    self._problem, self._failed_at = problem, time.monotonic()
                    raise
                self._problem = None
            return self._made[0]

    async def take(self) -> ChatModel | None:
        """The model if it was made, and forget it: for closing it."""
        async with self._lock:
            self._problem = None
            return self._made.pop() if self._made else None

    def warm(self) -> None:
        """Has the model made in the background, unless that is under way or failed just now."""
        lately = self._problem and time.monotonic() - self._failed_at < AGAIN_S
        if not (self._made or self._busy or lately):
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        with suppress(RabbitholeError):  # the state tells it
            await load(await self.get())

    async def cool(self) -> None:
        """Ends what ``warm`` began."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)

    @property
    def _busy(self) -> bool:
        warming = self._warming is not None and not self._warming.done()
        return warming or self._lock.locked()

    def state(self) -> ModelState:
        """How it is now."""
        if self._busy:
            return ModelState(status="loading")
        if self._made:
            model = self._made[0]
            return ModelState(status="ready", name=model.name if model else NO_MODEL)
        if self._problem is not None:
            return ModelState(status="failed", problem=self._problem.notice)
        return ModelState(status="unasked")
