"""A model file served by llama.cpp in a process of its own: ``embedded`` and ``gguf:PATH``."""

import asyncio
import json
import secrets
import subprocess
import sys
import threading
from functools import lru_cache
from pathlib import Path

import httpx
from pydantic import Field, SecretStr

from services.domain import Value
from services.domain.errors import ModelUnavailable, NoModel
from services.models.base import ChatRequest, estimate_tokens
from services.models.endpoint import CONNECT_TIMEOUT_S
from services.models.openai_compatible import OpenAICompatibleModel

SERVER = Path(__file__).with_name("embedded_server.py")
START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 3.0
PREFIX_CACHE_MIB = 512
"""Remembered prompts besides the last one; 28 MiB a thousand tokens with the 1.5B model."""

TOKENIZE_TIMEOUT_S = 5.0


class ServerOptions(Value):
    """What the server process is told. ``cache_mib`` 0 means that no prompt is reused."""

    path: str
    context_tokens: int
    cache_mib: int = PREFIX_CACHE_MIB
    api_key: str = Field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)


class ServerProcess:
    """A running llama.cpp server; starting takes seconds and blocks."""

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
        patience = threading.Timer(START_TIMEOUT_S, self._process.kill)
        patience.start()
        try:
            self._process.stdin.write(options.model_dump_json().encode() + b"\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline() or b"{}")
        except BrokenPipeError:
            answer = {}
        finally:
            patience.cancel()
        if "url" not in answer:
            self.stop()
            reason = answer.get("error", "its process ended without an answer")
            raise NoModel(
                "llama.cpp cannot load {path}: {said} Check that the file is a GGUF model and "
                "that the memory suffices.",
                path=options.path,
                said=reason,
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


class EmbeddedModel(OpenAICompatibleModel):
    """A GGUF file on this machine; :meth:`start` makes one.

    One call at a time: more slots do not help on a few cores. A server process that died
    is started again by the next call.
    """

    remedy = "its process ended, the next call starts it again"
    first_guess_tokens_per_s = 40.0

    def __init__(self, name: str, server: ServerProcess, options: ServerOptions) -> None:
        super().__init__(
            name.partition(":")[2] or name,
            url=f"{server.url}/v1",
            api_key=SecretStr(options.api_key),
            context_tokens=options.context_tokens,
            name=name,
        )
        self.learns_speed = options.cache_mib > 0  # 0: deterministic
        self._options = options
        self._server: ServerProcess | None = server
        self._tokenizer = tokenizer_client(server)
        self._restarting = asyncio.Lock()
        self._counted = lru_cache(maxsize=4096)(self._ask_tokenizer)

    @classmethod
    async def start(
        cls, path: Path, *, name: str, context_tokens: int = 8192, deterministic: bool = False
    ) -> "EmbeddedModel":
        """Load ``path`` in a new process.

        Args:
            deterministic: Read every prompt afresh, so that equal requests give equal
                answers whatever came before, and take the speed as first guessed.

        Raises:
            NoModel: llama.cpp is not installed or cannot load the file.
        """
        options = ServerOptions(
            path=str(path),
            context_tokens=context_tokens,
            cache_mib=0 if deterministic else PREFIX_CACHE_MIB,
        )
        server = await asyncio.to_thread(ServerProcess, options)
        return cls(name, server, options)

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` by the model's own tokenizer."""
        return self._counted(text)

    async def close(self) -> None:
        """Stop the server and free its memory; running calls fail."""
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
            outdated, self._tokenizer = self._tokenizer, tokenizer_client(self._server)
            outdated.close()
            await super().close()
            self._connect(f"{self._server.url}/v1", SecretStr(self._options.api_key))

    async def _patience_s(self, request: ChatRequest) -> None:
        """Its process works or has ended; on a slow machine it reads for long."""

    def _ask_tokenizer(self, text: str) -> int:
        if self._server is None:
            return estimate_tokens(text)
        try:
            answer = self._tokenizer.post("/tokenize", json={"content": text})
            answer.raise_for_status()
        except (httpx.HTTPError, RuntimeError):  # another thread may have closed the client
            return estimate_tokens(text)
        return len(answer.json()["tokens"])


def tokenizer_client(server: ServerProcess) -> httpx.Client:
    """A client for the server's own endpoints; counting may happen in any thread."""
    return httpx.Client(
        base_url=server.url,
        headers={"Authorization": f"Bearer {server.api_key}"},
        timeout=httpx.Timeout(TOKENIZE_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
        trust_env=False,
    )
