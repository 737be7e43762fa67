"""The app as a process of its own, which a test may kill."""

import os
import signal
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.support.waiting import answers, until

ROOT = Path(__file__).resolve().parents[2]
READY_WITHIN_S = 60.0
SHOWN_LOG = 8000


class AppServer:
    """The server of the app on a free port of the loopback; restarts keep the port."""

    module = "app.server"

    def __init__(self, home: Path, script: str = "app/asgi.py", **settings: object) -> None:
        self._home = home
        self._settings = {"home": home, "llm": "none", **settings}
        self._script = script
        self._port = usual_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        settings = {f"RABBITHOLE_{key.upper()}": str(each) for key, each in self._settings.items()}
        environment = {**os.environ, **settings}
        command = [sys.executable, "-m", self.module, "run", self._script]
        with (self._home / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--server.port", str(self._port)],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait_until_ready()

    def kill(self) -> None:
        """Ends it with SIGKILL: nothing gets a chance to be put in order."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ends it; pytest shows what it wrote should the test have failed."""
        self._end(signal.SIGTERM)
        print((self._home / "server.log").read_text(encoding="utf-8")[-SHOWN_LOG:])

    def exit_code(self, within_s: float = 20.0) -> int:
        """Waits until the server has ended by itself."""
        assert self._process is not None
        return self._process.wait(within_s)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, number)
            self._process.wait(20)

    def _wait_until_ready(self) -> None:
        until(lambda: answers(f"{self.url}/_stcore/health"), seconds=READY_WITHIN_S)


@cache
def _port_of_process() -> int:
    return free_port()


def usual_port() -> int:
    """The same for one server after the other, so that a browser's cache of its scripts counts."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", _port_of_process()))
        except OSError:
            return free_port()
    return _port_of_process()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
