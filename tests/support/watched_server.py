"""The app as a process of its own that tells to which hosts it connected."""

import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import Any

from app import server
from tests.support.app_server import AppServer, free_port
from tests.support.loopback import Body, LoopbackServer, Out

LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0", "::", "")
_contacts: set[str] = set()


class WatchedServer(AppServer):
    """``AppServer`` with an audit hook; ``main`` runs in its process."""

    module = "tests.support.watched_server"

    def __init__(
        self, home: Path, script: str = "app/streamlit_app.py", **settings: object
    ) -> None:
        self._watch_port = free_port()
        super().__init__(home, script, watch_port=self._watch_port, **settings)

    def foreign(self) -> list[str]:
        """Hosts to which it connected or which it looked up, none of this machine."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._watch_port}/", timeout=30) as reply:
            return list(json.loads(reply.read()))


def _hear(name: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: it sees every connection and look-up before it happens."""
    if name in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        if isinstance(address, tuple):
            _contacts.add(str(address[0]))
    elif name in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
        _contacts.add(host.decode() if isinstance(host, bytes) else str(host or ""))


class _Contacts(LoopbackServer):
    def handle(self, path: str, body: Body, out: Out) -> None:
        out.json(sorted(_contacts.difference(LOCAL)))


def main() -> None:
    sys.addaudithook(_hear)
    with _Contacts(port=int(os.environ["RABBITHOLE_WATCH_PORT"])):
        server.main()


if __name__ == "__main__":
    main()
