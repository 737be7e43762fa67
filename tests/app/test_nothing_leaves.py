"""No command connects to anywhere, whatever the shell says to the libraries."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from services.tracing import trace_only_where_named
from tests.support.app_server import ROOT, free_port
from tests.support.desk import LAW
from tests.support.trap import Trap
from tests.support.waiting import answers, until
from tests.support.watched_server import LOCAL

LISTENER = """
import os, sys

def hear(name, arguments):
    place = None
    if name in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        place = arguments[1]
    elif name in ("socket.getaddrinfo", "socket.gethostbyname"):
        place = arguments[:2]
    if place is not None:
        with open(os.environ["HEARD"], "a") as heard:
            print(*place[:2], file=heard)

sys.addaudithook(hear)
"""
"""Python imports it before everything else, and in every process that is started anew."""
SERVES_WITHIN_S = 60
COMMANDS = """
import sys
from app.cli.main import main
for command in (
    ["ingest", "law.txt", "--collection", "law"],
    ["ask", "Welcher Grenzwert des Lärms gilt für Beschäftigte?"],
    ["research", "Welcher Grenzwert gilt für Beschäftigte?", "--yes", "--no-clarify"],
):
    main(command, standalone_mode=False)
"""
"""One process for all three: most of the time of each would be its start."""
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def trap() -> Iterator[Trap]:
    with Trap() as trap:
        yield trap


@pytest.fixture
def start(tmp_path: Path, trap: Trap) -> Start:
    """Starts Python with the listener and a shell that asks libraries to tell of their work."""
    (tmp_path / "sitecustomize.py").write_text(LISTENER)
    shell = {
        f"{space}_{name}": value
        for space in ("LANGSMITH", "LANGCHAIN")
        for name, value in {
            "TRACING": "true",
            "TRACING_V2": "true",
            "ENDPOINT": trap.address,
            "API_KEY": "key",
        }.items()
        if (space, name) != ("LANGCHAIN", "TRACING")  # langchain refuses to run with that one
    }
    own = {"RABBITHOLE_LLM": "none", "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    chroma = {"CHROMA_OTEL_COLLECTION_ENDPOINT": trap.address}

    def started(name: str, *arguments: object) -> "subprocess.Popen[str]":
        heard, home = tmp_path / f"{name}.heard", tmp_path / name
        heard.touch()
        places = {"HEARD": str(heard), "RABBITHOLE_HOME": str(home)}
        return subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            env={**os.environ, **shell, **own, **chroma, **places},
            cwd=tmp_path,
            text=True,
        )

    return started


def test_no_command_connects_to_anywhere(start: Start, trap: Trap, tmp_path: Path) -> None:
    (tmp_path / "law.txt").write_text(LAW, encoding="utf-8")
    port = free_port()
    server = start("server", "-m", "app.cli.main", "serve", "--port", port)
    try:
        assert start("commands", "-c", COMMANDS).wait(120) == 0
        assert (tmp_path / "commands" / "catalog.sqlite3").exists()
        assert ((tmp_path / "commands.heard").read_text(), trap.asked) == ("", [])
        until(lambda: answers(f"http://127.0.0.1:{port}"), seconds=SERVES_WITHIN_S)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
    hosts = {line.split()[0] for line in (tmp_path / "server.heard").read_text().splitlines()}
    assert hosts <= {*LOCAL, "None"} and trap.asked == []


def test_the_runtime_of_the_scorer_keeps_and_sends_nothing_of_its_own(tmp_path: Path) -> None:
    """It connects below Python; before it sends anything it makes an identifier and a queue."""
    shell = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    scorer = "from services.cross_encoder import WEIGHTS, TrainedCrossEncoder as Scorer"
    command = [sys.executable, "-c", f"{scorer}; Scorer(WEIGHTS)._session"]
    environment = {**shell, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    subprocess.run(command, env=environment, cwd=tmp_path, check=True)
    assert not list(tmp_path.rglob("*onnxruntime*"))


def test_tracing_goes_where_our_own_setting_names_and_nowhere_else() -> None:
    shell = {
        "LANGSMITH_ENDPOINT": "https://elsewhere.example",
        "LANGSMITH_RUNS_ENDPOINTS": "[]",
        "LANGSMITH_GATEWAY": "true",
        "LANGCHAIN_TRACING_V2": "true",
        "LANGSMITH_API_KEY": "key",
        "HOME": "/home/anna",
    }
    unnamed = dict(shell)
    trace_only_where_named(unnamed)
    assert unnamed == {"LANGSMITH_TRACING": "false", "HOME": "/home/anna"}
    named = {**shell, "RABBITHOLE_TRACE_TO": "http://127.0.0.1:1984"}
    trace_only_where_named(named)
    assert {key: each for key, each in named.items() if key.startswith("LANG")} == {
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_ENDPOINT": "http://127.0.0.1:1984",
        "LANGSMITH_API_KEY": "key",
    }
