"""Workers of a shared home that Ray runs while a grid or a sweep is read (extra ``scale``)."""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Final

from agent.engine.connection import Connection
from services.build import Services
from services.domain.errors import InvalidInput
from services.settings import Settings

LEAVES_S: Final = 30.0
"""Seconds in which a worker hands over what it does."""
LOOK_S: Final = 0.5
OpenWorker = Callable[[Settings, str], Connection]


def open_worker(settings: Settings, name: str) -> Connection:
    return Connection(Services(settings), name)


@contextmanager
def ray_workers(
    settings: Settings, alive: Callable[[], object], *, open_worker: OpenWorker = open_worker
) -> Iterator[None]:
    """Have Ray run workers within the block, one for each processor of its nodes.

    The block begins when the first of the home's workers is ``alive``.

    Every node needs the folder of the home at the same path; its workers get all settings, and so
    the keys of database and model.

    Raises:
        InvalidInput: the home cannot be shared, or Ray is not installed.
        TryAgain: Ray cannot be started or reached.
    """
    from services.ingestion.ray_reader import WORKER_BYTES, load_ray, start_ray

    if not settings.shared:
        raise InvalidInput(
            "--engine ray needs a data folder that several workers share, with catalog, "
            "vectors and keywords in PostgreSQL (docs/operations.md). Set these up, or leave "
            "the option out."
        )
    ray = load_ray()
    with tempfile.TemporaryDirectory(prefix="ray") as folder:
        resources = start_ray(ray, folder)
        try:
            memory = min(WORKER_BYTES, int(resources["memory"]))
            work = ray.remote(num_cpus=1, memory=memory, max_retries=-1)(_work)
            numbers = range(1, int(resources["CPU"]) + 1)
            working = [work.remote(settings, f"ray{n}", open_worker) for n in numbers]
            while not alive():
                ray.get(ray.wait(working, timeout=LOOK_S)[0])  # raises why one has ended
            yield
            for task in working:
                ray.cancel(task)
            ray.wait(working, num_returns=len(working), timeout=LEAVES_S)
        finally:
            ray.shutdown()


def _work(settings: Settings, name: str, open_worker: OpenWorker) -> None:
    """Do jobs until Ray cancels the task, which raises KeyboardInterrupt."""
    with closing(open_worker(settings, name)) as worker, suppress(KeyboardInterrupt):
        worker.work()
        while True:
            time.sleep(LOOK_S)  # nothing interrupts a longer wait
