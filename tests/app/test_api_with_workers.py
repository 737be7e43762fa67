"""The HTTP API beside workers: what a program asks one of them does, and another if that dies."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy.engine import URL

from tests.support import postgres
from tests.support.api_server import Served, client, events, serving
from tests.support.crew import Crew, crew
from tests.support.desk import QUESTION
from tests.support.waiting import until

pytestmark = postgres.needs_postgres
TAKEN_UP_S = 60.0
DONE = '{"status": "done"}'


@pytest.fixture
def at_work(tmp_path: Path, postgresql: URL) -> Iterator[Crew]:
    with (
        postgres.database(postgresql) as address,
        crew(tmp_path, address, "one", "two", seconds=0.3) as crew_,
    ):
        yield crew_


@pytest.fixture
def desk(at_work: Crew) -> Iterator[Served]:
    with serving(at_work.engine, at_work.services.settings) as desk:
        yield desk


def driver_of(crew_: Crew, thread: str) -> str:
    holder = crew_.services.catalog.leases.holder
    until(lambda: holder(thread) is not None, seconds=TAKEN_UP_S)
    return str(holder(thread)).split("-")[0]


def planned(http: httpx.Client) -> tuple[str, list[dict[str, str]], dict[str, str]]:
    """A research that waits for its plan: thread, events, what approves it."""
    asked = {"question": QUESTION, "options": {"clarify": False}}
    started = http.post("/api/v1/research", json=asked)
    assert started.status_code == 202
    thread = started.json()["thread_id"]
    told = events(http, f"/api/v1/runs/{thread}/events")
    assert told[-1]["data"] == '{"status": "waiting"}'
    pending = http.get(f"/api/v1/runs/{thread}").json()["pending"]
    assert pending["items"]
    return thread, told, {"interrupt_id": pending["interrupt_id"]}


def finished(
    http: httpx.Client, thread: str, after: int
) -> tuple[list[dict[str, str]], dict[str, object]]:
    """Follows a thread to its end: its events and its report."""
    told = events(http, f"/api/v1/runs/{thread}/events?after={after}")
    assert told[-1]["data"] == DONE
    return told, http.get(f"/api/v1/runs/{thread}/report").json()


def kinds(told: list[dict[str, str]]) -> Counter[str]:
    return Counter(json.loads(each["data"]).get("kind", "end") for each in told)


def test_a_research_over_http_is_done_by_workers_also_if_one_is_killed_amid_it(
    at_work: Crew, desk: Served
) -> None:
    http = client(desk)
    thread, first, plan = planned(http)
    other, second, other_plan = planned(http)
    assert kinds(second) == kinds(first)
    approved = http.post(f"/api/v1/runs/{thread}/approve", json=plan)
    assert approved.status_code == 202
    rest, whole = finished(http, thread, approved.json()["after"])
    assert whole["sentences"]

    approved = http.post(f"/api/v1/runs/{other}/approve", json=other_plan)
    at_work.kill(driver_of(at_work, other))
    followed, report = finished(http, other, approved.json()["after"])
    assert report["answer"] == whole["answer"]
    assert kinds(followed) >= kinds(rest)  # a step done again tells again what it had told
    kept, _ = finished(http, other, approved.json()["after"])
    assert kinds(kept) == kinds(rest)
    for told in (followed, kept):
        assert [int(e["id"]) for e in told[:-1]] == sorted({int(e["id"]) for e in told[:-1]})
    again = http.post(f"/api/v1/runs/{other}/approve", json=other_plan)
    assert (again.status_code, again.json()["code"]) == (409, "already-answered")
