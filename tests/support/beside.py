"""Commands of real processes beside one another in one home, with quick embedder and no model.

Every process is forked from this one, which has the modules loaded and nothing opened. An owner
that ingests is held up for as long as a file is there.
"""

import os
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from agent.engine.changes import Ingest
from agent.engine.connection import Connection
from agent.engine.engine import Engine
from agent.engine.runner import TakeUp
from app.cli.main import main
from services.domain import Principal
from services.retrieval.embedders import Progress, Vectors
from services.settings import Settings
from tests.support import waiting
from tests.support.deadly_works import LAWS, Place, law
from tests.support.fakes_retrieval import HashEmbedder

LIMIT_S = 20.0
PREPARED_S = 180.0
until = partial(waiting.until, seconds=PREPARED_S)
LOCAL = Principal(user="local")
SLOW = "Langsam"
"""Files about this are embedded once ``Home.hold`` is gone."""


class Held(HashEmbedder):
    def __init__(self, home: "Home") -> None:
        super().__init__()
        self._home = home

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        if any(SLOW in text for text in texts):
            self._home.held.touch()
            while self._home.hold.exists():
                time.sleep(0.02)
        return super().embed_passages(texts, on_progress)


@dataclass
class Running:
    name: str
    pid: int
    out: Path
    status: int | None = None

    def signal(self, number: int) -> None:
        if self.status is None:
            os.kill(self.pid, number)

    def wait(self, seconds: float = LIMIT_S) -> int | None:
        """The exit status, negative for a signal; None where it has not ended in time."""
        end = time.monotonic() + seconds
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() < end:
                time.sleep(0.02)
            else:
                break
        return self.status

    def end(self) -> None:
        with suppress(ProcessLookupError):
            self.signal(signal.SIGKILL)
        self.wait()

    @property
    def said(self) -> str:
        return self.out.read_text()


@dataclass(frozen=True)
class Home(Place):
    """A home with three laws in a collection, whose ingestions of slow files are held up."""

    processes: list[Running] = field(default_factory=list)

    @property
    def hold(self) -> Path:
        return self.folder / "hold"

    @property
    def held(self) -> Path:
        return self.folder / "held"

    @property
    def slow(self) -> Path:
        return self.folder / "slow"

    def connect(self, principal: Principal = LOCAL, take_up: TakeUp = "last") -> Engine:
        services = self.services().replaced(embedder=lambda: Held(self))
        return Engine(Connection(services, take_up=take_up), principal)

    def write(self) -> None:
        """Two slow files, and a quick one."""
        self.slow.mkdir()
        for n in (1, 2):
            (self.slow / f"{SLOW}G{n}.txt").write_text(law(f"{SLOW}G{n}", SLOW) * n)
        (self.folder / "LichtG.txt").write_text(law("LichtG", "Licht"))
        self.hold.touch()

    def command(self, *arguments: object) -> Running:
        def connect(_: Settings, principal: Principal, *, take_up: TakeUp) -> Engine:
            return self.connect(principal, take_up)

        def run() -> None:
            settings = {"RABBITHOLE_HOME": str(self.home), "RABBITHOLE_LLM": "none"}
            os.environ.update(settings, RABBITHOLE_DEBUG="0")
            ways = {"connect": connect, "looking": connect}
            with patch.multiple("agent.engine.engine", **ways):
                main([str(each) for each in arguments])

        return self._forked(" ".join(map(str, arguments)), run)

    def ingest(self) -> Running:
        """A command that owns the home and is held up; returns when it is."""
        return self._until_held(self.command("ingest", self.slow, "--collection", "langsam"))

    def server(self) -> Running:
        """The same of a server that ends in good order when it is told to."""

        def serve() -> None:
            told: list[int] = []
            signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
            with self.connect() as engine:
                engine.work()
                engine.submit(Ingest(paths=(str(self.slow),), collection="langsam"))
                while not told:
                    time.sleep(0.02)

        return self._until_held(self._forked("server", serve))

    def _until_held(self, process: Running) -> Running:
        until(self.held.exists, lambda: process.wait(0.0) is not None)
        self.held.unlink()
        return process

    def rows(self, query: str) -> list[Any]:
        """What the catalog says, without opening the home."""
        with closing(sqlite3.connect(self.home / "catalog.sqlite3", timeout=LIMIT_S)) as catalog:
            return catalog.execute(query).fetchall()

    def jobs(self) -> list[tuple[int, str, str]]:
        """Number, kind and status of all jobs, oldest first."""
        return self.rows("SELECT id, kind, status FROM commands ORDER BY id")

    def _forked(self, name: str, work: Callable[[], None]) -> Running:
        out = self.folder / f"out-{time.monotonic_ns()}"
        if (pid := os.fork()) == 0:
            status = 1
            try:
                to = os.open(out, os.O_WRONLY | os.O_CREAT)
                for stream, file in ((1, sys.stdout), (2, sys.stderr)):
                    file.flush()
                    os.dup2(to, stream)
                for each in (signal.SIGINT, signal.SIGTERM):
                    signal.signal(each, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                work()
                status = 0
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 0
            except BaseException:  # noqa: BLE001
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        out.touch()
        running = Running(name, pid, out)
        self.processes.append(running)
        return running

    def end_all(self) -> None:
        while self.processes:
            self.processes.pop().end()


__all__ = ["LAWS", "LIMIT_S", "Home", "Running", "until"]
