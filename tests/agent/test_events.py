"""Events of a driven thread: written together, heard at once, and never without their lease."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.engine.engine import Engine
from agent.engine.events import EventLog
from services.catalog import Catalog, StaleLease
from services.domain import Principal
from services.domain.events import EventKey, Warned
from tests.support.catalogs import new_catalog
from tests.support.desk import QUESTION, ask


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with new_catalog(tmp_path / "catalog.sqlite3") as opened:
        opened.runs.create("t", Principal(), "?", ["c"], {}, kind="ask")
        yield opened


def key(n: int) -> EventKey:
    return EventKey(thread_id="t", checkpoint="c", n=n)


def test_events_are_written_together_in_their_order_and_once(catalog: Catalog) -> None:
    log = EventLog(catalog.events, catalog.leases.acquire("t", "here"))
    for n, text in ((1, "half"), (2, "other"), (1, "whole")):
        log.add(key(n), Warned(message=text))
    assert catalog.events.since("t", 0) == []
    log.write()
    kept = catalog.events.since("t", 0)
    assert [(each.key.n, str(each.event.message)) for each in kept] == [(2, "other"), (1, "whole")]
    assert log.news(0, 0.0) == kept and log.news(kept[0].seq, 0.0) == kept[1:]


def test_who_follows_hears_at_once_what_is_written_and_that_it_ends(catalog: Catalog) -> None:
    log = EventLog(catalog.events)
    heard: list[int] = []

    def follow() -> None:
        while news := log.news(len(heard) and heard[-1], 60):
            heard.extend(each.seq for each in news)

    follower = threading.Thread(target=follow)
    follower.start()
    for n in range(3):
        log.add(key(n), Warned(message=str(n)))
        log.write()
    log.close()
    follower.join(60)
    assert heard == [each.seq for each in catalog.events.since("t", 0)] and len(heard) == 3


def test_who_lost_the_thread_is_told_with_the_next_event(catalog: Catalog) -> None:
    log = EventLog(catalog.events, catalog.leases.acquire("t", "here"))
    catalog.leases.release_all()
    catalog.leases.acquire("t", "another")
    log.add(key(1), Warned(message="late"))
    asyncio.run(asyncio.wait_for(log.keep_writing(), 60))
    with pytest.raises(StaleLease):
        log.add(key(2), Warned(message="later"))
    assert catalog.events.since("t", 0) == []


def test_its_owner_is_asked_without_the_queue(desk: Engine) -> None:
    before = desk._catalog.queue.submit(Principal(), "unknown", {})
    asked = ask(desk, QUESTION)
    assert desk._catalog.queue.submit(Principal(), "unknown", {}) == before + 1
    followed = list(desk.threads.follow(asked["thread_id"]))
    assert followed == desk.threads.events(asked["thread_id"])
    assert followed[-1].event.kind == "run_finished"
