"""The app as a process of its own that tells what it does."""

import json
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from tests.support.app_server import AppServer, free_port


@dataclass(frozen=True)
class Seen:
    """What the server has done since it began.

    Attributes:
        foreign: Hosts to which it connected or which it looked up, none of this machine.
        statements: SQL that reached the catalog, without the beginnings of transactions.
        cpu_s: Processor time of the process.
        heavy: Which of the slow libraries it has imported.
    """

    foreign: list[str]
    statements: int
    cpu_s: float
    heavy: list[str]


class WatchedServer(AppServer):
    """``AppServer`` under ``server_watch``."""

    module = "tests.support.server_watch"

    def __init__(
        self, home: Path, script: str = "app/streamlit_app.py", **settings: object
    ) -> None:
        self._watch_port = free_port()
        super().__init__(home, script, watch_port=self._watch_port, **settings)

    def look(self) -> Seen:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._watch_port}/", timeout=30) as told:
            return Seen(**json.loads(told.read()))
