"""This process among the several that may work in one home, and turns at the stores.

What ends a process ends what it holds: its jobs and threads go on elsewhere. Losing the database
counts as that, so a process that gets it back begins anew under another name.
"""

import asyncio
import logging
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from agent.engine.jobs import ResumeThread
from services.build import Services
from services.catalog import Catalog
from services.catalog.connection import is_away
from services.catalog.queue import Share
from services.catalog.workers import ALIVE_S
from services.domain.errors import DatabaseAway, Interrupted, TryAgain

BEAT_S: Final = 2.0
TURN_S: Final = 0.2
logger = logging.getLogger(__name__)


class Crew:
    """One of several workers, between ``join`` and ``leave``.

    One with a ``name`` does nothing else; others take jobs while there is none of those. Without
    ``take_up`` what dead ones left is for another.
    """

    def __init__(self, services: Services, name: str | None, *, take_up: bool) -> None:
        self._name = name
        self._takes_up = take_up
        self._dedicated = name is not None
        self._catalog = services.catalog
        self._settings = services.settings
        self._others = False
        self._leaving = threading.Event()
        self._lost = threading.Event()
        self._on_note: Callable[[], None] = lambda: None
        self._renewed = 0.0
        self._threads: list[threading.Thread] = []

    def join(self, on_note: Callable[[], None]) -> None:
        """Take part from now on.

        ``on_note`` is called, in any thread, where there may be something to do, as when taking
        part has ended.
        """
        self._catalog.workers.join(self._name)
        self._renewed = time.monotonic()
        self._on_note = on_note
        self._lost.clear()
        self._look()
        if not self._threads:
            self._threads = [
                threading.Thread(target=each, name="rabbithole-crew", daemon=True)
                for each in (self._beat, self._hear)
            ]
            for thread in self._threads:
                thread.start()

    def leave(self) -> None:
        """End; what this process still holds is for the others."""
        self._leaving.set()
        for thread in self._threads:
            thread.join()
        try:
            self._catalog.workers.leave()
        except DatabaseAway as problem:
            logger.warning("rabbithole: %s", problem)  # the others will see that it is gone

    @property
    def lost(self) -> bool:
        """Whether the others count this process as dead, or must before long."""
        return self._lost.is_set()

    def hands_over(self, *, stopping: bool) -> bool:
        """Whether what is cancelled now is to go on elsewhere, unasked."""
        return self.lost or (stopping and self._dedicated)

    def share(self, at_work: int) -> Share | None:
        """What may be claimed beside so many works; None while it is left to dedicated workers."""
        if self.lost or self._others:
            return None
        most = self._settings.worker_runs
        return Share(self._catalog.workers.holder, at_work, most, self._settings.person_runs)

    def loses(self, problem: BaseException) -> bool:
        """Whether a problem is that the database does not answer; then this process is lost."""
        if is_away(problem) or isinstance(problem, DatabaseAway):
            self._lose()
        return self.lost

    def _lose(self) -> None:
        if not self._lost.is_set():
            self._lost.set()
            self._on_note()

    def _hear(self) -> None:
        while not self._leaving.is_set():
            try:
                for _ in self._catalog.workers.notes(self._leaving.is_set):
                    self._on_note()
            except TryAgain:
                self._leaving.wait(BEAT_S)  # the next beat tells whether the database is there

    def _beat(self) -> None:
        while not self._leaving.wait(BEAT_S):
            if self.lost:
                continue
            try:
                if not self._catalog.workers.renew():
                    logger.warning("rabbithole: the other workers took this one for dead")
                    self._lose()
                    continue
                self._renewed = time.monotonic()
                self._look()
            except TryAgain as problem:
                logger.warning("rabbithole: the database does not answer: %s", problem)
                if time.monotonic() - self._renewed > ALIVE_S - BEAT_S:
                    self._lose()

    def _look(self) -> None:
        """Sees whether others take the jobs; if not, takes over what dead ones left."""
        workers = self._catalog.workers
        self._others = not self._dedicated and bool(workers.alive(dedicated=True))
        if self._others or not self._takes_up:
            return
        if freed := workers.bury(ResumeThread.kind):
            logger.warning("rabbithole: %d threads of a worker that is gone are taken over", freed)


class Turns:
    """One job changes the stores at a time, and the jobs of a person go in order.

    Who waits longest comes next. ``shared`` says whether several processes work in the home: then
    the catalog knows whose turn it is. Waiting ends when the process is ``stopping``.
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
