"""Builds of the graph by processes that are killed or stopped: nothing is lost, or read twice."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine, connect
from services.catalog import Catalog
from services.domain import Principal
from services.graph.structure import VERSION
from services.settings import Settings
from tests.support.catalogs import new_catalog
from tests.support.documents import law, store
from tests.support.graph_parts import stored_parts
from tests.support.loopback import Body
from tests.support.openai_server import OpenAIServer

pytestmark = pytest.mark.slow

TEXTS = 6
SECTIONS = 40
BEHIND = "Die Behörde {0} prüft den Antrag {0} des Betreibers auf Vollständigkeit. {1}"
FILLER = "Der Grenzwert der Dosis im Kontrollbereich gilt je Kalenderjahr. "
WAIT_S = 120.0
MAIN = "from app.cli.main import main; main()"
COMMAND = [sys.executable, "-c", MAIN, "graph", "build", "--json"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Six long texts of which nothing has been built; only the first two are worth reading."""
    return filled(tmp_path / "home")


def filled(home: Path) -> Path:
    home.mkdir()
    with new_catalog(home / "catalog.sqlite3") as catalog:
        place = catalog.collections.create(Principal(), "law").collection_id
        for n in range(TEXTS):
            parts = [BEHIND.format(f"N{n}K{k}", FILLER * (40 if n > 1 else 1))
                     for k in range(SECTIONS if n > 1 else 6)]  # fmt: skip
            store(catalog, place, law(*parts), name=f"{n}.txt", chunks=[])
    return home


def reply(body: Body) -> str:
    """Names and relates what the passages hold, a little slowly; a killed client asks nothing."""
    time.sleep(0.05)
    if "messages" not in body:
        return ""
    _, user = (message["content"] for message in body["messages"])
    number = user.split("Behörde ")[1].split()[0]
    subject, target = f"Behörde {number}", f"Antrag {number}"
    found = {"sentence": 1, "subject": subject, "relation": "prüft", "object": target}
    return json.dumps({"entities": [subject, target, "Betreibers"], "relations": [found]})


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(reply) as opened:
        yield opened


def begin(home: Path, *options: str, server: OpenAIServer | None = None) -> subprocess.Popen[str]:
    """``graph build`` in a process of its own."""
    environment = dict(os.environ) | {"RABBITHOLE_HOME": str(home), "RABBITHOLE_LLM": "none"}
    if server is not None:
        model = {"RABBITHOLE_LLM": "openai:fake", "RABBITHOLE_OPENAI_URL": server.base_url}
        environment |= model
    return subprocess.Popen(
        [*COMMAND, *options],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heeding_ctrl_c,
    )


def heeding_ctrl_c() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would what that starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def until(process: subprocess.Popen[str], condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise AssertionError(process.communicate())
        time.sleep(0.005)


def count(home: Path, query: str) -> int:
    with sqlite3.connect(home / "catalog.sqlite3", timeout=30) as connection:
        (number,) = connection.execute(query).fetchone()
    return int(number)


def parts_in(home: Path) -> int:
    return count(home, "SELECT count(*) FROM graph_parts WHERE complete")


def passages_in(home: Path) -> int:
    return count(home, "SELECT count(*) FROM graph_facts")


def look(home: Path, server: OpenAIServer | None = None) -> Engine:
    url = server.base_url if server else None
    llm = "openai:fake" if server else "none"
    return connect(Settings(home=home, llm=llm, openai_url=url))


def graph_of(home: Path) -> dict[str, Any]:
    """All that the graph holds, without times."""
    with Catalog.open(Settings(home=home).catalog_url) as catalog:
        scope = catalog.collections.scope(Principal(), None)
        (place,) = scope.collections
        assert catalog.graph.missing(scope, VERSION) == []
        parts = [part.model_dump() for part in stored_parts(catalog, scope)]
        merges = [each.model_dump(exclude={"at"}) for each in catalog.graph.merges.of(place)]
    return {"parts": parts, "merges": merges}


def test_a_build_that_is_killed_again_and_again_ends_in_the_same_graph(
    home: Path, tmp_path: Path
) -> None:
    for wanted in (1, 3):
        process = begin(home)
        until(process, lambda wanted=wanted: parts_in(home) >= wanted)
        process.kill()
        process.communicate()
        built = parts_in(home)
        assert wanted <= built < TEXTS
        with Catalog.open(Settings(home=home).catalog_url) as catalog:
            status = catalog.graph.status(catalog.collections.scope(Principal(), None))
        assert (status.documents, status.built, status.facts) == (TEXTS, built, 0)
        assert status.nodes["document"] == built
    report = finished(begin(home))
    assert report["documents"] == TEXTS
    assert count(home, "SELECT count(*) FROM graph_parts") == TEXTS
    untouched = filled(tmp_path / "other")
    finished(begin(untouched))
    assert graph_of(home) == graph_of(untouched)


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0, errors
    report: dict[str, Any] = json.loads(out.splitlines()[-1])
    return report


def shorten(home: Path) -> None:
    """Only the first two texts stay, so that a model reads a dozen passages."""
    with sqlite3.connect(home / "catalog.sqlite3") as connection:
        connection.execute("DELETE FROM memberships WHERE document > '1.txt'")


def asked(server: OpenAIServer) -> Counter[str]:
    """How often each passage was read."""
    prompts = (body["messages"] for body in server.requests if "messages" in body)
    return Counter(
        user["content"] for system, user in prompts if "höchstens 8" in system["content"]
    )


def test_facts_that_are_killed_again_and_again_are_read_once(
    home: Path, tmp_path: Path, server: OpenAIServer
) -> None:
    shorten(home)
    kills = (1, 5, 8)
    for wanted in kills:
        process = begin(home, "--facts", "--yes", server=server)
        until(process, lambda wanted=wanted: passages_in(home) >= wanted)
        process.kill()
        process.communicate()
        read, calls = passages_in(home), len(server.requests)
        with look(home, server) as client:
            assert client.graph.status().facts == (1 if read <= 6 else 2)
            assert client.graph.facts_cost().passages == 12 - read
            time.sleep(0.5)
        assert len(server.requests) == calls, "nothing may read on unasked"
    report = finished(begin(home, "--facts", "--yes", server=server))
    assert report["passages"] == 12 - read
    times = asked(server)
    assert len(times) == 12
    assert times.total() <= 12 + len(kills), "at most the passage that a kill came into"
    with OpenAIServer(reply) as other:
        untouched = filled(tmp_path / "other")
        shorten(untouched)
        finished(begin(untouched, "--facts", "--yes", server=other))
        assert len(other.requests) == 12
    assert graph_of(home) == graph_of(untouched)
    with look(home, server) as client:
        assert client.graph.facts_cost().passages == 0


def test_control_c_ends_the_reading_and_says_what_is_kept(home: Path, server: OpenAIServer) -> None:
    shorten(home)
    process = begin(home, "--facts", "--yes", server=server)
    until(process, lambda: passages_in(home) >= 3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 1
    assert "kept; the same command continues from there" in errors
    assert "Traceback" not in errors
    read, calls = passages_in(home), len(server.requests)
    with look(home, server) as client:
        assert client.settings.model_state() and client.owner
        time.sleep(0.5)
        assert (passages_in(home), len(server.requests)) == (read, calls)
    assert finished(begin(home, "--facts", "--yes", server=server))["passages"] == 12 - read


def test_who_leaves_another_process_ends_the_reading_there(
    home: Path, server: OpenAIServer
) -> None:
    shorten(home)
    with look(home, server) as owner:
        assert owner.settings.model_state() and owner.owner
        process = begin(home, "--facts", "--yes", server=server)
        until(process, lambda: passages_in(home) >= 3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_S)
        time.sleep(1.0)
        read = passages_in(home)
        time.sleep(1.0)
        assert passages_in(home) == read < 12
