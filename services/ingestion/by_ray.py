"""Files read, cut and embedded by workers of Ray, ahead of the process that writes (extra `scale`).

``RAY_ADDRESS`` names a cluster; without it one is started on this machine, for this ingestion
alone, and whoever does not know its token is not heard by it. Telemetry and dashboard are off.

Tasks of Ray itself, not Ray Data: that takes all its rows at the start, where here the catalog says
of a file whether it is read at all when its turn is near, and a mail brings further ones.
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

from services.domain.errors import InvalidInput, RabbitholeError, TryAgain, UnreadableDocument
from services.ingestion.files import identify
from services.ingestion.hands import Asked, Hands, ReadFile, Tell, own_hands
from services.ingestion.parse import FileParser
from services.retrieval.embedders import Embedder
from services.settings import Settings

AHEAD: Final = 4
"""Files that wait or are read for each hand: the back-pressure, and what a kill throws away."""
HAND_BYTES: Final = 1 << 30
"""Memory of a hand with the bundled embedding model, as Ray counts it: so many fit a machine."""
PATIENCE_S: Final = 0.5
"""Between two looks at whether the ingestion is stopped."""

_RAY: Final = threading.Lock()

Make = Callable[[Settings], Hands]
Answer = ReadFile | RabbitholeError | None


class RayHands(Hands):
    """What was not expected, or does not lie where Ray looks, is read in this process.

    A process speaks to one cluster at a time: of several ingestions one reads by Ray, the others
    wait for it.

    Args:
        settings: of the workers; keys that they do not need are not told them.
        make: makes those of a worker, which keeps them.
        most: workers of a cluster that is started here; None is one a core.
    """

    def __init__(
        self,
        settings: Settings,
        parse: FileParser,
        embedder: Embedder,
        *,
        make: Make = own_hands,
        most: int | None = None,
    ) -> None:
        super().__init__(parse, embedder)
        untold = {"database": None, "openai_url": None, "openai_api_key": None}
        self._settings = settings.model_copy(update=untold)
        self._make = make
        self._most = most
        self._ray = load_ray()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._read: Any = None
        self._expected: Iterator[Asked] = iter(())
        self._room = 0
        self._has_ray = False
        self._ahead: dict[Asked, Any] = {}

    def expect(self, files: Iterator[Asked]) -> None:
        self._expected = files

    def read(self, file: Asked, tell: Tell) -> ReadFile:
        tell("parse")
        while not self._has_ray:
            self._has_ray = _RAY.acquire(timeout=PATIENCE_S)
            tell("parse")
        for each in islice(self._expected, self._free()):
            self._ahead[each] = self._read.remote(self._make, self._settings, each)
        if file not in self._ahead:
            return super().read(file, tell)
        for passed in [*takewhile(lambda each: each != file, self._ahead)]:
            del self._ahead[passed]  # it turned out that nobody needs it
        answer = self._wait(self._ahead.pop(file), file, tell)
        if answer is None:
            return super().read(file, tell)
        if isinstance(answer, RabbitholeError):
            raise answer
        tell("chunk")
        return answer

    def close(self) -> None:
        """End the cluster that was started here, and whatever it is doing."""
        super().close()
        self._ahead.clear()
        if self._read is not None:
            self._ray.shutdown()
        if self._has_ray:
            _RAY.release()
            self._has_ray = False
        if self._folder is not None:
            self._folder.cleanup()

    def _wait(self, task: Any, file: Asked, tell: Tell) -> Answer:
        while not self._ray.wait([task], timeout=PATIENCE_S)[0]:
            tell("parse")
        try:
            answer: Answer = self._ray.get(task)
        except (self._ray.exceptions.WorkerCrashedError, self._ray.exceptions.OutOfMemoryError):
            return UnreadableDocument(
                "{document} ended every worker of Ray that read it; ingest it with --engine local",
                document=file.path.name,
            )
        except self._ray.exceptions.RayTaskError:  # a fault of ours with this one file
            raise
        except self._ray.exceptions.RayError as error:
            raise _away(error) from error
        return answer

    def _free(self) -> int:
        """How many more files may be read ahead."""
        if self._read is None:
            self._start()
        return self._room - len(self._ahead)

    def _start(self) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if (address := _address()) == "local":
            self._folder = tempfile.TemporaryDirectory(prefix="ray")
            options |= {"num_cpus": self._most, "include_dashboard": False}
            options |= {"_temp_dir": self._folder.name}
        try:
            self._ray.init(address, **options)
        except (OSError, RuntimeError, ValueError) as error:
            raise _away(error) from error
        has = self._ray.cluster_resources()
        memory = min(HAND_BYTES, int(has["memory"]))
        self._room = AHEAD * int(has["CPU"])
        self._read = self._ray.remote(num_cpus=1, memory=memory)(read_by_worker)


def read_by_worker(make: Make, settings: Settings, file: Asked) -> Answer:
    """In a worker: the file, why it cannot be read, or None where no such file lies here."""
    hands = _kept(make, settings)
    try:
        if identify(file.path)[0] != file.document_id:
            return None
        return hands.read_and_embed(file)
    except OSError:  # the process that asks looks for itself
        return None
    except RabbitholeError as error:
        return error


@cache
def _kept(make: Make, settings: Settings) -> Hands:
    """Those of this worker, whose models are loaded once."""
    return make(settings)


def _away(error: Exception) -> TryAgain:
    return TryAgain(
        "Ray cannot be started or reached ({cause}). Look at RAY_ADDRESS, or ingest with "
        "--engine local.",
        cause=str(error).partition("\n")[0],
    )


def _address() -> str:
    return os.environ.get("RAY_ADDRESS", "local")


def load_ray() -> Any:
    """The library, loaded when it is asked for.

    Raises:
        InvalidInput: it is not installed.
    """
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
