"""This process among the workers that share one home, and turns at changing its stores.

When a process ends, its jobs and threads go on elsewhere. A process that loses the database counts
as ended; once the database answers again, it joins under another name.
"""

import asyncio
import logging
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from agent.engine.jobs import SHUTTING_DOWN, ReadRows, ResumeThread
from services.build import Services
from services.catalog import Catalog
from services.catalog.connection import is_away
from services.catalog.queue import Share
from services.catalog.workers import ALIVE_S
from services.domain.errors import DatabaseAway, Interrupted, TryAgain

BEAT_S: Final = 2.0
TURN_S: Final = 0.2
logger = logging.getLogger(__name__)


class WorkerHeartbeat:
    """Keeps this process among the workers of a home between ``join`` and ``leave``.

    A worker with a ``name`` is dedicated; the others take jobs only while no dedicated one lives.
    Without ``take_up`` it leaves the jobs and threads of dead workers to another.
    """

    def __init__(self, services: Services, name: str | None, *, take_up: bool) -> None:
        self._name = name
        self._takes_up = take_up
        self._dedicated = name is not None
        self._catalog = services.catalog
        self._settings = services.settings
        self._left_to_dedicated = False
        self._leaving = threading.Event()
        self._lost = threading.Event()
        self._notify: Callable[[], None] = lambda: None
        self._renewed = 0.0
        self._threads: list[threading.Thread] = []

    def join(self, notify: Callable[[], None]) -> None:
        """Become one of the workers.

        ``notify`` is called, in any thread, when there may be something to do or when this process
        is no worker any more.
        """
        self._catalog.workers.join(self._name)
        self._renewed = time.monotonic()
        self._notify = notify
        self._lost.clear()
        self._watch_workers()
        if not self._threads:
            self._threads = [
                threading.Thread(target=target, name="rabbithole-worker", daemon=True)
                for target in (self._beat, self._listen)
            ]
            for thread in self._threads:
                thread.start()

    def leave(self) -> None:
        """End; the others take over what this process still holds."""
        self._leaving.set()
        for thread in self._threads:
            thread.join()
        try:
            self._catalog.workers.leave()
        except DatabaseAway as problem:
            logger.warning("rabbithole: %s", problem)  # the others will see that it is gone

    @property
    def lost(self) -> bool:
        """Whether the others count this process as dead, or will before long."""
        return self._lost.is_set()

    def hands_over(self, *, stopping: bool) -> bool:
        """Whether cancelled threads are to go on elsewhere, unasked."""
        return self.lost or (stopping and self._dedicated)

    def share(self, at_work: int) -> Share | None:
        """Return what may be claimed beside ``at_work`` jobs; None if dedicated workers claim."""
        if self.lost or self._left_to_dedicated:
            return None
        most = self._settings.worker_runs
        holder, per_person = self._catalog.workers.holder, self._settings.person_runs
        return Share(holder, at_work, most, per_person, ReadRows.kind)

    def loses(self, problem: BaseException) -> bool:
        """Return whether this process is lost, as it is if the database does not respond."""
        if is_away(problem) or isinstance(problem, DatabaseAway):
            self._lose()
        return self.lost

    def _lose(self) -> None:
        if not self._lost.is_set():
            self._lost.set()
            self._notify()

    def _listen(self) -> None:
        while not self._leaving.is_set():
            try:
                for _ in self._catalog.workers.notifications(self._leaving.is_set):
                    self._notify()
            except TryAgain:
                self._leaving.wait(BEAT_S)  # the next beat finds out whether the database is there

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
                self._watch_workers()
            except TryAgain as problem:
                logger.warning("rabbithole: the database does not respond: %s", problem)
                if time.monotonic() - self._renewed > ALIVE_S - BEAT_S:
                    self._lose()

    def _watch_workers(self) -> None:
        """Note whether dedicated workers take the jobs; if not, take over what dead ones left."""
        workers = self._catalog.workers
        self._left_to_dedicated = not self._dedicated and bool(workers.alive(dedicated=True))
        if self._left_to_dedicated or not self._takes_up:
            return
        if freed := workers.reap_dead_workers(ResumeThread.kind):
            logger.warning("rabbithole: %d threads of a worker that is gone are taken over", freed)


class StoreTurns:
    """Lets one job at a time change the stores, and one at a time of each person.

    Turns go by waiting time. In a home that is ``shared`` by several processes the catalog keeps
    them. Waiting ends when the process is ``stopping``.
    """

    def __init__(self, catalog: Catalog, stopping: Callable[[], bool], *, shared: bool) -> None:
        self._catalog = catalog
        self._stopping = stopping
        self._shared = shared
        self._locks: defaultdict[str | None, asyncio.Lock] = defaultdict(asyncio.Lock)

    @asynccontextmanager
    async def of_person(self, person: str) -> AsyncIterator[None]:
        """Hold the turn of a person's jobs within the block."""
        async with self._turn(person):
            if self._shared:  # nobody else ingests for them now
                await asyncio.to_thread(self._catalog.ingestions.interrupt_running, person)
            yield

    @asynccontextmanager
    async def of_stores(self) -> AsyncIterator[None]:
        """Hold the turn of those who change the stores within the block."""
        async with self._turn(None):
            yield

    @contextmanager
    def of_stores_in_thread(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Hold the turn as ``of_stores``, in a thread other than that of the ``loop``."""
        turn = self.of_stores()
        asyncio.run_coroutine_threadsafe(turn.__aenter__(), loop).result()
        try:
            yield
        finally:
            asyncio.run_coroutine_threadsafe(turn.__aexit__(None, None, None), loop).result()

    @asynccontextmanager
    async def _turn(self, person: str | None) -> AsyncIterator[None]:
        async with self._locks[person]:
            if not self._shared:
                yield
                return
            while not await asyncio.to_thread(self._catalog.begin_change, person):
                if self._stopping():
                    raise Interrupted(SHUTTING_DOWN)
                await asyncio.sleep(TURN_S)
            try:
                yield
            finally:
                await asyncio.to_thread(self._catalog.end_change, person)
