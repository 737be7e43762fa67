"""Hosts of parsers that outlive a test: starting one and loading a parser takes longer than a file.

A host only forks, so nothing of one test's files reaches the next.
"""

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from services.ingestion import worker
from services.ingestion.worker import WorkerPool

Host = subprocess.Popen[bytes]
_idle: dict[object, list[Host]] = defaultdict(list)


@contextmanager
def shared_hosts() -> Iterator[None]:
    """Keep the host of closed `WorkerPool` for the next ones in the same folder and environment."""
    start, close = worker._start, WorkerPool.close
    started: dict[int, object] = {}

    def start_or_take(fork: bool) -> Host:
        names = (*worker._ENVIRONMENT, "PYTHONPATH")
        key = (fork, Path.cwd(), *map(os.environ.get, names))
        while waiting := _idle[key]:
            if (host := waiting.pop()).poll() is None:
                return host
        host = start(fork)
        started[host.pid] = key
        return host

    def keep(workers: WorkerPool) -> None:
        with workers._turn:
            host = workers._host
            if host is not None and host.pid in started and host.poll() is None:
                _idle[started[host.pid]].append(host)
                workers._host = None
        close(workers)

    with patch.object(worker, "_start", start_or_take), patch.object(WorkerPool, "close", keep):
        yield
    end_idle_hosts()


def end_idle_hosts() -> None:
    """Have the next `WorkerPool` start a host of their own."""
    for host in (host for hosts in _idle.values() for host in hosts):
        host.kill()
        host.communicate()
    _idle.clear()
