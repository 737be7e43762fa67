"""What the doors for programs bear, and what they cost over the engine's own call.

    python -m tests.benchmarks.api_doors [--requests 5000] [--calls 300]

Sends requests that schemathesis makes of the schema, half of them with a token, and names every
answer of 5xx or one that the schema does not describe. Then compares search and status by the
engine and over HTTP, and the way of the first streamed byte.
"""

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from services.domain.events import TokenUpdate
from tests.support.api_server import Served, broken_by, client, served
from tests.support.desk import QUESTION, ask

PLENTY = 10_000_000
OPERATIONS = 33
SEARCH = {"query": "Grenzwert für Beschäftigte", "k": 10}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--calls", type=int, default=300)
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), api_requests_per_minute=PLENTY) as desk,
    ):
        print(json.dumps(costs(desk, chosen.calls)), flush=True)
        print(json.dumps(streamed(desk)), flush=True)
        each = -(-chosen.requests // (2 * OPERATIONS))
        for known in (True, False):
            broken = broken_by(desk, each, known=known)
            print(json.dumps({"token": known, "sent": desk.sent, "broken": broken}), flush=True)


def costs(desk: Served, calls: int) -> dict[str, dict[str, float]]:
    """Milliseconds by the engine and over HTTP, in turns: median and ninth decile."""
    engine, http = desk.engine, client(desk)
    thread = ask(engine, QUESTION)["thread_id"]
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "search": (
            lambda: engine.library.search("Grenzwert für Beschäftigte", k=10),
            lambda: http.post("/api/v1/search", json=SEARCH).raise_for_status(),
        ),
        "status": (
            lambda: engine.threads.run(thread),
            lambda: http.get(f"/api/v1/runs/{thread}").raise_for_status(),
        ),
    }
    sys.setswitchinterval(0.0005)  # program and server share an interpreter here
    found = {}
    for name, (own, door) in pairs.items():
        took = [(timed(own), timed(door)) for _ in range(calls)]
        own_ms, door_ms = (sorted(each) for each in zip(*took, strict=True))
        over = [b - a for a, b in took]
        found[name] = {
            "engine": round(statistics.median(own_ms), 2),
            "http": round(statistics.median(door_ms), 2),
            "over": round(statistics.median(over), 2),
            "over p90": round(statistics.quantiles(over, n=10)[-1], 2),
        }
    return found


def streamed(desk: Served, turns: int = 20) -> dict[str, float]:
    """Milliseconds from the engine's first token event to the first byte of it over HTTP."""
    http, took = client(desk), []
    for number in range(turns):
        asked = {"question": f"{QUESTION} {number}", "wait": False}
        started = http.post("/api/v1/ask", json=asked).json()
        kept: list[float] = []

        def watch(thread: str = started["thread_id"], kept: list[float] = kept) -> None:
            while not kept:
                _, records = desk.engine.threads.poll(thread, 0)
                if any(isinstance(each.event, TokenUpdate) for each in records):
                    kept.append(time.perf_counter())
                time.sleep(0.002)

        watcher = threading.Thread(target=watch)
        watcher.start()
        with http.stream("GET", f"/api/v1/runs/{started['thread_id']}/events") as stream:
            for line in stream.iter_lines():
                if line == "event: token_update":
                    seen = time.perf_counter()
                    break
        watcher.join()
        took.append((seen - kept[0]) * 1000)
    return {"first byte": round(statistics.median(took), 1), "most": round(max(took), 1)}


def timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
