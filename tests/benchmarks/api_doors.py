"""What the doors for programs bear, and what they cost over the engine's own call.

    python -m tests.benchmarks.api_doors [--requests 5000] [--calls 300]

Sends requests that schemathesis makes of the schema, half of them with a token, and names every
answer of 5xx or one that the schema does not describe. Then compares search and status by the
engine and over HTTP, and the way of the first streamed byte.
"""

import argparse
import json
import multiprocessing
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from services.domain import SearchRequest
from services.domain.events import TokenUpdate
from tests.support.api_server import Served, broken_by, client, served
from tests.support.desk import QUESTION, ask

PLENTY = 10_000_000
OPERATIONS = 53
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
    """Median milliseconds by the engine, and by a program in a process of its own."""
    engine = desk.engine
    thread = ask(engine, QUESTION)["thread_id"]
    own = {
        "search": lambda: (
            engine.library.find(SearchRequest(query="Grenzwert für Beschäftigte", k=10)).hits
        ),
        "status": lambda: engine.threads.run(thread),
    }
    with multiprocessing.get_context("spawn").Pool(1) as program:
        door = program.apply(over_http, (desk.url, desk.token(), thread, calls))
    found = {}
    for name, call in own.items():
        took = [timed(call) for _ in range(calls)]
        over = statistics.median(door[name]) - statistics.median(took)
        found[name] = {
            "engine": round(statistics.median(took), 2),
            "http": round(statistics.median(door[name]), 2),
            "http p90": round(statistics.quantiles(door[name], n=10)[-1], 2),
            "over": round(over, 2),
        }
    return found


def over_http(url: str, token: str, thread: str, calls: int) -> dict[str, list[float]]:
    """Milliseconds of each call over HTTP."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as http:
        asked: dict[str, Callable[[], object]] = {
            "search": lambda: http.post("/api/v1/search", json=SEARCH).raise_for_status(),
            "status": lambda: http.get(f"/api/v1/runs/{thread}").raise_for_status(),
        }
        return {name: [timed(call) for _ in range(calls + 1)][1:] for name, call in asked.items()}


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
