"""Opening files from outside in processes of their own, with limits on time and memory."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Final

from services.library.pages.request import RenderRequest

_ROOT: Final = Path(__file__).resolve().parents[2]
_GRACE_S: Final = 5.0
_ALARM: Final = int(getattr(signal, "SIGALRM", 14))


@dataclass(frozen=True)
class Job:
    """A file to open, with the limits that hold for it: to parse it, or to draw a page of it."""

    path: Path
    timeout_s: float
    memory_mb: int
    page: RenderRequest | None = None

    def as_json(self) -> str:
        """One line, as the host and the worker read it."""
        return json.dumps({**asdict(self), "path": str(self.path)})


@dataclass(frozen=True)
class Ended:
    """What became of a worker: its exit status (negative: the signal that ended it)."""

    status: int
    answer: bytes


class Workers:
    """Has jobs done one after the other; safe to share among threads, which take turns.

    Every file is opened in a process of its own, so that a broken or hostile one can neither
    crash nor stall this program, nor the file after it. It starts nothing before its first job.

    Args:
        fork: whether the processes are forked from one that has the libraries loaded; else each
            is started anew, which takes 0.2 s longer.
    """

    def __init__(self, *, fork: bool = hasattr(os, "fork")) -> None:
        self._fork = fork
        self._turn = threading.Lock()
        self._host: subprocess.Popen[bytes] | None = None

    def run(self, job: Job) -> Ended:
        """Have a job done; never raises for what is in the file."""
        with self._turn:
            return self._ask_host(job) if self._fork else _run_worker(job)

    def close(self) -> None:
        """End the host process; the next job starts another one."""
        with self._turn:
            host, self._host = self._host, None
        if host is not None:
            with host:
                _pipe(host.stdin).close()  # upon which it ends
                try:
                    host.wait(_GRACE_S)
                except subprocess.TimeoutExpired:
                    host.kill()

    def _ask_host(self, job: Job) -> Ended:
        if self._host is None or self._host.poll() is not None:
            self._host = _start()
        host = self._host
        try:
            _pipe(host.stdin).write(job.as_json().encode() + b"\n")
            _pipe(host.stdin).flush()
            head = json.loads(_pipe(host.stdout).readline())
            return Ended(head["status"], _pipe(host.stdout).read(head["length"]))
        except (OSError, ValueError):  # the host itself is gone; the next file gets a new one
            host.kill()
            return Ended(-1, b"")


def out_of_time(status: int) -> bool:
    """Whether a worker was ended by its limit of time."""
    return -status in (_ALARM, getattr(signal, "SIGXCPU", _ALARM))


def _start(*arguments: str) -> "subprocess.Popen[bytes]":
    # this package is found in the worker even where it runs from a working copy
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "services.ingestion.worker", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
    )


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _run_worker(job: Job) -> Ended:
    with _start(job.as_json()) as process:
        try:
            answer, _ = process.communicate(timeout=job.timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            return Ended(-_ALARM, b"")
        return Ended(process.returncode, answer)
