"""A small HTTP server on 127.0.0.1 for tests: records requests, notices hang-ups."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Literal, Self

Fault = Literal[
    "none",
    "error",  # HTTP 500
    "hangup",  # closes before it answers
    "missing",  # HTTP 404: no such model
    "drip",  # a word at a time, forever slow
    "silent",  # accepts and says nothing
    "garbage",  # a line that is not the protocol
    "empty",  # a good status and no line
    "cut",  # ends politely in the middle, without the last line
    "drop",  # the connection breaks in the middle
    "length",  # stops for length
    "thinking",  # thoughts and no answer
    "blank",  # an end and no text
    "english",  # a whole answer in English, whatever was asked
    "bad_json",  # a whole answer that is not JSON
    "schema",  # a whole answer that is JSON of another schema
    "too_long",  # refuses the prompt as longer than the context
]

WHOLE_FAULTS: dict[str, str] = {
    "english": "The limit for people who work with radiation is twenty millisieverts in a year.",
    "bad_json": '{"questions": ["Welche Strahlung meinen Sie?',
    "schema": '{"Grenzwert": [20, "Millisievert"]}',
}
TOO_LONG = "This model's maximum context length is 4096 tokens."

FAULTY_TEXT = "Der Grenzwert beträgt 20 Millisievert im Kalenderjahr für beruflich exponierte"
DRIP_S = 0.1
Body = dict[str, Any]


class LoopbackServer:
    """Base of the fake servers; those of models implement the lines of a stream besides ``handle``.

    From now on requests meet a ``fault``, which ends after ``heals_after`` of them, or are sent on
    ``elsewhere``. ``aborted`` counts the clients that went away before the end.
    """

    def __init__(self, reply: str | Callable[[Body], str] = "Ja.", *, port: int = 0) -> None:
        self.fault: Fault = "none"
        self.heals_after: int | None = None
        self.reply = reply
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.aborted = 0
        self.elsewhere: str | None = None
        self._stopping = threading.Event()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._httpd = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._httpd.daemon_threads = True
        self._thread = threading.Thread(target=self._httpd.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._httpd.server_port}"

    def stop(self) -> None:
        """Refuse connections from now on."""
        self._stopping.set()
        if self._thread.is_alive():
            self._httpd.shutdown()
            self._thread.join()
        self._httpd.server_close()

    def handle(self, path: str, body: Body, out: "Out") -> None:
        raise NotImplementedError

    def next_fault(self, body: Body) -> Fault:
        """Record a chat request and say what goes wrong with it."""
        self.requests.append(body)
        if self.heals_after is not None and len(self.requests) > self.heals_after:
            return "none"
        return self.fault

    def text_for(self, fault: str, body: Body) -> str:
        if fault in WHOLE_FAULTS:
            return WHOLE_FAULTS[fault]
        if fault != "none":
            return FAULTY_TEXT
        return self.reply(body) if callable(self.reply) else self.reply

    content_type: ClassVar[str]
    garbage: ClassVar[str]
    """A line that is not the protocol."""

    def piece(self, body: Body, word: str) -> str:
        raise NotImplementedError

    def thought(self, body: Body) -> str:
        raise NotImplementedError

    def last(self, body: Body, text: str, reason: str) -> str:
        raise NotImplementedError

    def stream(self, fault: Fault, body: Body, out: "Out") -> None:
        """Answer word by word, or as the fault has it."""
        out.start_stream(self.content_type)
        text = self.text_for(fault, body)
        match fault:
            case "empty":
                pass
            case "silent":
                self.wait(30)
            case "garbage":
                out.chunk(self.garbage)
            case "drip":
                for word in words(FAULTY_TEXT * 50):
                    out.chunk(self.piece(body, word))
                    self.wait(DRIP_S)
            case "thinking":
                out.chunk(self.thought(body))
                out.chunk(self.last(body, "", "stop"))
            case "blank":
                out.chunk(self.last(body, "", "stop"))
            case _:
                for word in words(text):
                    out.chunk(self.piece(body, word))
                if fault not in ("cut", "drop"):
                    out.chunk(self.last(body, text, "length" if fault == "length" else "stop"))
        if fault != "drop":
            out.end_stream()

    def wait(self, seconds: float) -> None:
        """Sleep, but not beyond the end of the test."""
        self._stopping.wait(seconds)

    def wait_for_abort(self, seconds: float = 60.0) -> bool:
        """Whether some client goes away within ``seconds``."""
        deadline = time.monotonic() + seconds
        while self.aborted == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.aborted > 0


class Out:
    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler

    def json(self, body: object, status: int = 200, **headers: object) -> None:
        data = json.dumps(body).encode()
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), str(value))
        self._handler.send_header("Content-Type", "application/json")
        self._handler.send_header("Content-Length", str(len(data)))
        self._handler.end_headers()
        self._handler.wfile.write(data)

    def start_stream(self, content_type: str) -> None:
        self._handler.send_response(200)
        self._handler.send_header("Content-Type", content_type)
        self._handler.send_header("Transfer-Encoding", "chunked")
        self._handler.end_headers()

    def chunk(self, text: str) -> None:
        data = text.encode()
        self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self._handler.wfile.flush()

    def end_stream(self) -> None:
        self._handler.wfile.write(b"0\r\n\r\n")

    def hang_up(self) -> None:
        self._handler.close_connection = True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: ClassVar[LoopbackServer]

    def do_GET(self) -> None:
        self._serve({})

    do_HEAD = do_OPTIONS = do_GET

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._serve(json.loads(raw) if raw.startswith(b"{") else {})

    def _serve(self, body: Body) -> None:
        self.close_connection = True
        self.owner.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.owner.elsewhere:
            return Out(self).json({}, 307, Location=self.owner.elsewhere + self.path)
        try:
            self.owner.handle(self.path, body, Out(self))
        except (BrokenPipeError, ConnectionResetError):
            self.owner.aborted += 1

    def log_message(self, format: str, *args: object) -> None:
        """Keep test output clean."""


def words(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]] + text.split(" ")[-1:]
