"""Read, cut and embed files in workers of Ray, ahead of the process that writes (extra `scale`).

Without ``RAY_ADDRESS`` a cluster with a token is started here. Tasks are used, not Ray Data: the
catalog decides shortly before each file whether it is read, and a mail adds its attachments.
"""

import importlib
import os
import secrets
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice, takewhile
from typing import Any, Final

from pydantic import SecretStr

from services.domain.errors import InvalidInput, RabbitholeError, TryAgain, UnreadableDocument
from services.ingestion.file_reader import FileReader, OnStage, ParsedFile, ReadRequest, make_reader
from services.ingestion.files import identify
from services.ingestion.parse import FileParser
from services.retrieval.embedders import Embedder
from services.settings import Settings

AHEAD: Final = 4
"""Files that wait or are read for each worker: a kill loses at most these."""
WORKER_BYTES: Final = 1 << 30
"""Memory of a worker with the bundled embedding model, by which Ray places workers."""
PATIENCE_S: Final = 0.5  # seconds between two checks whether the ingestion is stopped

_RAY: Final = threading.Lock()

MakeReader = Callable[[Settings], FileReader]
Answer = ParsedFile | RabbitholeError | None


class RayReader(FileReader):
    """Reads files in Ray; unannounced ones, and files that Ray does not see, in this process.

    A process connects to one cluster at a time: of several ingestions one uses Ray, the others
    wait. Workers, at most ``most`` (None: one a core), do not get keys that they do not need.
    """

    def __init__(
        self,
        settings: Settings,
        parse: FileParser,
        embedder: Embedder,
        *,
        make: MakeReader = make_reader,
        most: int | None = None,
    ) -> None:
        super().__init__(parse, embedder)
        secrets_removed = {
            name: None
            for name, value in settings
            if isinstance(value, SecretStr) and name != "ollama_url"  # which the embedder needs
        }
        self._settings = settings.model_copy(update=secrets_removed)
        self._make = make
        self._most = most
        self._ray = load_ray()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._read: Any = None
        self._expected: Iterator[ReadRequest] = iter(())
        self._room = 0
        self._has_ray = False
        self._ahead: dict[ReadRequest, Any] = {}

    def expect(self, requests: Iterator[ReadRequest]) -> None:
        self._expected = requests

    def read(self, request: ReadRequest, on_stage: OnStage) -> ParsedFile:
        on_stage("parse")
        while not self._has_ray:
            self._has_ray = _RAY.acquire(timeout=PATIENCE_S)
            on_stage("parse")
        for upcoming in islice(self._expected, self._free()):
            self._ahead[upcoming] = self._read.remote(self._make, self._settings, upcoming)
        if request not in self._ahead:
            return super().read(request, on_stage)
        for skipped in [*takewhile(lambda other: other != request, self._ahead)]:
            del self._ahead[skipped]  # not needed after all
        answer = self._wait(self._ahead.pop(request), request, on_stage)
        if answer is None:
            return super().read(request, on_stage)
        if isinstance(answer, RabbitholeError):
            raise answer
        on_stage("chunk")
        return answer

    def close(self) -> None:
        """End the cluster that was started here, with all its tasks."""
        super().close()
        self._ahead.clear()
        if self._read is not None:
            self._ray.shutdown()
        if self._has_ray:
            _RAY.release()
            self._has_ray = False
        if self._folder is not None:
            self._folder.cleanup()

    def _wait(self, task: Any, request: ReadRequest, on_stage: OnStage) -> Answer:
        while not self._ray.wait([task], timeout=PATIENCE_S)[0]:
            on_stage("parse")
        try:
            answer: Answer = self._ray.get(task)
        except (self._ray.exceptions.WorkerCrashedError, self._ray.exceptions.OutOfMemoryError):
            return UnreadableDocument(
                "{document} crashed every Ray worker that read it; ingest it with --engine local",
                document=request.path.name,
            )
        except self._ray.exceptions.RayTaskError:  # a fault of ours with this one file
            raise
        except self._ray.exceptions.RayError as error:
            raise _away(error) from error
        return answer

    def _free(self) -> int:
        if self._read is None:
            self._start()
        return self._room - len(self._ahead)

    def _start(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ray")
        resources = start_ray(self._ray, self._folder.name, self._most)
        memory = min(WORKER_BYTES, int(resources["memory"]))
        self._room = AHEAD * int(resources["CPU"])
        self._read = self._ray.remote(num_cpus=1, memory=memory)(read_by_worker)


def read_by_worker(make: MakeReader, settings: Settings, request: ReadRequest) -> Answer:
    """Read a file in a worker: return it, why it cannot be read, or None if it is not there."""
    reader = _reader_of_worker(make, settings)
    try:
        if identify(request.path, request.within)[0] != request.document_id:
            return None
        return reader.read_and_embed(request)
    except OSError:  # the requesting process tries itself
        return None
    except RabbitholeError as error:
        return error


@cache
def _reader_of_worker(make: MakeReader, settings: Settings) -> FileReader:
    return make(settings)


def start_ray(ray: Any, folder: str, most: int | None = None) -> dict[str, float]:
    """Connect to the named cluster, or start one; return its resources. Raises TryAgain."""
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if (address := _address()) == "local":
        options |= {"num_cpus": most, "include_dashboard": False, "_temp_dir": folder}
    try:
        ray.init(address, **options)
    except (OSError, RuntimeError, ValueError) as error:
        raise _away(error) from error
    resources: dict[str, float] = ray.cluster_resources()
    return resources


def _away(error: Exception) -> TryAgain:
    return TryAgain(
        "Ray cannot be started or reached ({cause}). Check RAY_ADDRESS, or use --engine local.",
        cause=str(error).partition("\n")[0],
    )


def _address() -> str:
    return os.environ.get("RAY_ADDRESS", "local")


def load_ray() -> Any:
    """Load the library when it is needed. Raises InvalidInput if it is not installed."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # Ray reads these when it is loaded
    if _address() == "local":
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    try:
        return importlib.import_module("ray")
    except ModuleNotFoundError as error:
        raise InvalidInput(
            "--engine ray needs the package {package}, which is not installed. Install it with: "
            'pip install "rabbithole[scale]", or leave the option out.',
            package=error.name,
        ) from error
