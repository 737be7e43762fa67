"""Turns at the stores: one work changes them at a time, and the works of a person go in order."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from services.catalog import Catalog
from services.domain.errors import Interrupted

TURN_S: Final = 0.2


class Turns:
    """Who waits longest comes next.

    ``shared`` says whether several processes work in the home: then the catalog knows whose turn
    it is. Waiting ends when the process is ``stopping``.
    """

    def __init__(self, catalog: Catalog, stopping: Callable[[], bool], *, shared: bool) -> None:
        self._catalog = catalog
        self._stopping = stopping
        self._shared = shared
        self._locks: defaultdict[str | None, asyncio.Lock] = defaultdict(asyncio.Lock)

    @asynccontextmanager
    async def work(self, person: str) -> AsyncIterator[None]:
        """Waits until no other work of a person is under way, until the block ends."""
        async with self._held(person):
            if self._shared:  # nobody else ingests for them now
                await asyncio.to_thread(self._catalog.ingestions.interrupt_running, person)
            yield

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Waits until nobody else changes the stores, until the block ends."""
        async with self._held(None):
            yield

    @contextmanager
    def alone_in_thread(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """The same for a thread besides that of the loop, on which the others wait."""
        turn = self.alone()
        asyncio.run_coroutine_threadsafe(turn.__aenter__(), loop).result()
        try:
            yield
        finally:
            asyncio.run_coroutine_threadsafe(turn.__aexit__(None, None, None), loop).result()

    @asynccontextmanager
    async def _held(self, person: str | None) -> AsyncIterator[None]:
        async with self._locks[person]:
            if not self._shared:
                yield
                return
            while not await asyncio.to_thread(self._catalog.begin_change, person):
                if self._stopping():
                    raise Interrupted("The program is ending. Do it again once it runs.")
                await asyncio.sleep(TURN_S)
            try:
                yield
            finally:
                await asyncio.to_thread(self._catalog.end_change, person)
