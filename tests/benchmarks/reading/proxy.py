"""Keep every call of a model, answer kept ones at once, and share the kinds among servers.

A server of OpenAI's chat completions on loopback. What the schema of a request asks for is its
kind: search words, a verification, or a reading, which is all else. ``none`` for a URL declines
every call of that kind. Who writes search words must never have seen a passage, and who verifies
must not have written the claims: that is why each kind has a server of its own.
"""

import argparse
import hashlib
import json
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, get_args
from urllib.error import HTTPError

from tests.benchmarks import common
from tests.benchmarks.common import Row

Kind = Literal["words", "reading", "verify"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
NOBODY: Final = "none"
PATIENCE_S: Final = 3_600.0
MODEL: Final = "large"
WINDOW: Final = 32_768
DECLINED: Final[Mapping[Kind, Row]] = {
    "words": {"queries": [], "passage": ""},
    "reading": {"answered": "no", "claims": [], "missing": ""},
    "verify": {"readings": []},
}


@dataclass(frozen=True)
class Call:
    """A prompt with its reply; ``question`` is the id of the one that it is about."""

    key: str
    kind: Kind
    question: str
    prompt: str
    reply: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float

    @property
    def usage(self) -> Row:
        total = self.prompt_tokens + self.completion_tokens
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": total,
        }


def kind_of(request: Row) -> Kind:
    """The kind by the fields of the schema that the reply must have."""
    form = (request.get("response_format") or {}).get("json_schema") or {}
    fields = form.get("schema", {}).get("properties", {})
    return "words" if "queries" in fields else "verify" if "readings" in fields else "reading"


def prompt_of(request: Row) -> str:
    """The text of all messages."""
    return "\n\n".join(_content(message["content"]) for message in request["messages"])


def _content(content: str | list[Row]) -> str:
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


def key_of(request: Row) -> str:
    """The same for the same prompt with the same schema."""
    asked = [request["messages"], request.get("response_format"), request.get("max_tokens")]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


def question_in(prompt: str, questions: Sequence[Row]) -> str:
    """The id of the question that stands last in a prompt, "" for none."""
    plain = " ".join(prompt.split())
    ends = [(plain.rfind(" ".join(each["q"].split())), each["id"]) for each in questions]
    place, name = max(ends, default=(-1, ""))
    return name if place >= 0 else ""


class KeptCalls:
    """The calls of a file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        lines = common.read_lines(path) if path.exists() else ()
        self._calls = {call.key: call for call in (Call(**line) for line in lines)}

    def __iter__(self) -> Iterator[Call]:
        return iter(self._calls.values())

    def find(self, key: str) -> Call | None:
        with self._lock:
            return self._calls.get(key)

    def keep(self, call: Call) -> None:
        """Append a call to the file."""
        with self._lock, self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(asdict(call), ensure_ascii=False) + "\n")
            self._calls[call.key] = call


class Streamed:
    """What the lines of a stream add up to."""

    def __init__(self) -> None:
        self.reply, self.usage = "", Row()

    def read(self, line: bytes) -> None:
        data = line.removeprefix(b"data:").strip()
        if not line.startswith(b"data:") or data == b"[DONE]":
            return
        chunk = json.loads(data)
        for choice in chunk.get("choices", ()):
            self.reply += choice["delta"].get("content") or ""
        self.usage = chunk.get("usage") or self.usage


class Proxy(ThreadingHTTPServer):
    """Forwards what is not kept to the server of its kind."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self, port: int, servers: Mapping[Kind, str], kept: KeptCalls, questions: Sequence[Row]
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.servers, self.kept, self.questions = servers, kept, questions

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy
    completions: ClassVar[str] = "/chat/completions"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "proxy"}
        self._send({"object": "list", "data": [{**model, "context_length": WINDOW}]})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind, server = kind_of(request), self.server.servers[kind_of(request)]
        if call := self.server.kept.find(key_of(request)):
            self._answer(request, call.reply, call.usage)
        elif server == NOBODY:
            reply, usage = json.dumps(DECLINED[kind]), {"prompt_tokens": 0, "completion_tokens": 0}
            self._keep(request, reply, usage, 0.0)
            self._answer(request, reply, usage)
        else:
            self._forward(request, server)

    def _forward(self, request: Row, server: str) -> None:
        """Pass the request on, and its reply back while it comes; a failed call is not kept."""
        began, streamed = time.monotonic(), Streamed()
        headers = {"Content-Type": "application/json"}
        if key := self.headers.get("Authorization"):
            headers["Authorization"] = key
        url, body = server.rstrip("/") + self.completions, json.dumps(request).encode()
        try:
            reply = urllib.request.urlopen(
                urllib.request.Request(url, body, headers), timeout=PATIENCE_S
            )
        except HTTPError as error:
            self._send(json.loads(error.read() or b"{}"), error.code)
            return
        with reply:
            if "event-stream" in reply.headers.get("Content-Type", ""):
                self._begin_stream()
                for line in reply:
                    self.wfile.write(line)
                    streamed.read(line)
                self._keep(request, streamed.reply, streamed.usage, time.monotonic() - began)
                return
            said = json.load(reply)
        text, usage = said["choices"][0]["message"]["content"], said.get("usage") or {}
        self._keep(request, text, usage, time.monotonic() - began)
        self._send(said)  # only now: who has the reply may ask again at once

    def _keep(self, request: Row, reply: str, usage: Row, seconds: float) -> None:
        prompt = prompt_of(request)
        self.server.kept.keep(
            Call(
                key=key_of(request),
                kind=kind_of(request),
                question=question_in(prompt, self.server.questions),
                prompt=prompt,
                reply=reply,
                prompt_tokens=usage.get("prompt_tokens", 0),
                completion_tokens=usage.get("completion_tokens", 0),
                seconds=round(seconds, 2),
            )
        )

    def _answer(self, request: Row, reply: str, usage: Row) -> None:
        """Answer by ourselves, streamed if the request wants it."""
        head = {"id": key_of(request), "created": 0, "model": MODEL}
        if not request.get("stream"):
            message = {"role": "assistant", "content": reply}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            kind = "chat.completion"
            self._send({**head, "object": kind, "choices": [choice], "usage": usage})
            return
        self._begin_stream()
        for chunk in _chunks(reply, usage):
            line = json.dumps({**head, "object": "chat.completion.chunk", **chunk})
            self.wfile.write(f"data: {line}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def _begin_stream(self) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()

    def _send(self, data: Row, status: int = 200) -> None:
        raw = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def _chunks(reply: str, usage: Row) -> Iterator[Row]:
    """The reply as a server streams it: text, end, usage."""
    delta = {"role": "assistant", "content": reply}
    yield {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {"choices": [], "usage": usage}


def add_servers(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a server for each kind."""
    for kind in KINDS:
        parser.add_argument(f"--{kind}", required=True, help=f"base URL, or {NOBODY}")


@contextmanager
def proxied(options: argparse.Namespace, questions: Sequence[Row]) -> Iterator[str]:
    """The address of a proxy to the servers of the options, which keeps its calls in ``out``."""
    options.out.mkdir(parents=True, exist_ok=True)
    servers = {kind: getattr(options, kind) for kind in KINDS}
    proxy = Proxy(0, servers, KeptCalls(options.out / "calls.jsonl"), questions)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        yield proxy.url
    finally:
        proxy.shutdown()
