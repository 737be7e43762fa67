"""Several workers of one home in PostgreSQL, each a process of its own, with a scripted model."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from agent.engine.connection import Connection
from agent.engine.engine import Engine, connect_to
from services.build import Services
from services.domain import Principal
from services.models.base import ChatRequest, Completion
from services.models.recording import request_key
from services.retrieval.stores import open_lexical, open_vectors
from services.settings import Settings
from tests.support.desk import LAW, make_services
from tests.support.research import rules
from tests.support.scripted_model import Rule, ScriptedModel
from tests.support.waiting import until

PROCESSES = get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])
STARTED_S = 180.0
HOLD, ANSWERED = "hold", "answered"


class SlowModel(ScriptedModel):
    """Takes so long for each answer, about so many prompts at once, or while a file holds it up.

    Each answer is a line of a file: process, task and request.
    """

    def __init__(
        self, seconds: float, home: Path, script: Callable[[], Sequence[Rule]], at_once: int
    ) -> None:
        super().__init__(script(), slots=at_once)
        self._seconds = seconds
        self._held_up_by, self._answered = home / HOLD, home / ANSWERED
        self._turns = asyncio.Semaphore(at_once)

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        async with self._turns:
            await asyncio.sleep(self._seconds)
            while self._held_up_by.exists():  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            completion = await super().complete(request, on_text)
            with self._answered.open("a", encoding="utf-8") as answered:
                answered.write(f"{os.getpid()} {request.task} {request_key(request)}\n")
            return completion


def services_of(
    home: Path,
    url: str,
    seconds: float,
    person_runs: int,
    script: Callable[[], Sequence[Rule]],
    at_once: int,
) -> Services:
    settings = Settings(
        home=home,
        llm="none",
        summaries=False,
        database=SecretStr(url),
        vectors="postgres",
        lexical="postgres",
        person_runs=person_runs,
    )
    return make_services(
        home,
        SlowModel(seconds, home, script, at_once),
        vectors=partial(open_vectors, settings),
        lexical=partial(open_lexical, settings),
        settings=settings,
    )


def opened(about: tuple[Any, ...], _: object, name: str) -> Connection:
    return Connection(services_of(*about), name)


def _work(name: str, *about: Any) -> None:
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with closing(opened(about, None, name)) as worker:
        worker.work()
        ended.wait()


@dataclass
class Crew:
    """The workers of a home, by name, and an engine that gives them work."""

    about: tuple[Any, ...]
    services: Services
    engine: Engine
    workers: dict[str, BaseProcess] = field(default_factory=dict)

    def start(self, *names: str) -> None:
        """Starts workers; returns when they are known to the others."""
        for name in names:
            process = PROCESSES.Process(target=_work, args=(name, *self.about), daemon=True)
            process.start()
            self.workers[name] = process
        until(lambda: all(map(self.known, names)), seconds=STARTED_S)

    def known(self, name: str) -> bool:
        return any(each.startswith(f"{name}-") for each in self.services.catalog.workers.alive())

    def signal(self, name: str, number: int) -> None:
        pid = self.workers[name].pid
        assert pid is not None
        os.kill(pid, number)

    def kill(self, name: str) -> None:
        self.signal(name, signal.SIGKILL)
        self.workers.pop(name).join()

    def end(self, name: str) -> None:
        self.signal(name, signal.SIGTERM)
        process = self.workers.pop(name)
        process.join(STARTED_S)
        assert process.exitcode == 0


Start = Callable[..., AbstractContextManager[Crew]]
"""Starts workers by their names, with the options of ``crew``."""


@contextmanager
def crew(
    home: Path,
    url: str,
    *names: str,
    seconds: float = 0.0,
    person_runs: int = 4,
    script: Callable[[], Sequence[Rule]] = rules,
    at_once: int = 2,
) -> Iterator[Crew]:
    """A home with one small law in the collection ``laerm``, and workers of these names."""
    law = home / "LaermG.txt"
    about = (home, url, seconds, person_runs, script, at_once)
    services = services_of(*about)
    engine = connect_to(services, Principal())
    working = Crew(about, services, engine)
    with engine:
        law.write_text(LAW, encoding="utf-8")
        working.start(*names)
        engine.library.ingest([law], "laerm")
        try:
            yield working
        finally:
            for process in working.workers.values():
                process.kill()
                process.join()
