"""Who is alive among several workers, whose job is whose, and what becomes of a dead one's."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import func, update
from sqlalchemy.engine import URL

from services.catalog import Catalog, connection
from services.catalog.database import Database
from services.catalog.queue import Share
from services.catalog.threads import require_lease
from services.catalog.values import QueuedJob
from services.catalog.work_models import WorkerRow
from services.domain import Principal
from services.domain.errors import StoresBusy
from tests.support import postgres

pytestmark = postgres.needs_postgres
ANNA, BEN = Principal(user="anna"), Principal(user="ben")
Die = Callable[[str], None]


@pytest.fixture
def url(postgresql: URL) -> Iterator[str]:
    with postgres.database(postgresql) as address:
        yield address


@pytest.fixture
def die(database: Database) -> Die:
    """Has a worker be silent for too long."""

    def silent(holder: str) -> None:
        past = func.clock_timestamp() - timedelta(seconds=1)
        row = update(WorkerRow).where(WorkerRow.holder == holder)
        database.execute(row.values(alive_until=past))

    return silent


def running(catalog: Catalog) -> list[QueuedJob]:
    """The jobs that are being done."""
    return [each for each in catalog.queue.open_jobs() if each.status == "running"]


def research(catalog: Catalog, thread: str, principal: Principal = ANNA, job: str = "start") -> int:
    if job == "start":
        catalog.runs.create(thread, principal, "?", [], {})
    return catalog.queue.submit(principal, job, {"thread_id": thread})


def taken(
    catalog: Catalog, holder: str, *, at_work: int = 0, most: int = 9, per_person: int = 9
) -> tuple[str, object] | None:
    job = catalog.queue.claim(Share(holder, at_work, most, per_person, "piece"))
    return None if job is None else (job.kind, job.payload.get("thread_id"))


def driven(catalog: Catalog, thread: str, holder: str) -> None:
    """What a worker does with a job that it took: it drives the thread, and the job is done."""
    catalog.leases.acquire(thread, holder)
    catalog.runs.update(thread, status="running")
    (job,) = [each for each in running(catalog) if each.payload["thread_id"] == thread]
    catalog.queue.finish(job.id, None, holder=holder)


def test_whoever_is_silent_for_too_long_is_dead_and_learns_it(catalog: Catalog, die: Die) -> None:
    catalog.workers.join("one")
    first = catalog.workers.holder
    assert catalog.workers.alive(dedicated=True) == [first] and catalog.workers.renew()
    die(first)
    assert catalog.workers.alive() == [] and not catalog.workers.renew()
    catalog.workers.join()
    assert catalog.workers.holder != first
    assert catalog.workers.alive() == [catalog.workers.holder]
    assert catalog.workers.alive(dedicated=True) == []
    catalog.workers.leave()
    assert catalog.workers.alive() == []


def test_what_happens_to_a_thread_happens_where_it_is_driven_and_in_order(catalog: Catalog) -> None:
    research(catalog, "t")
    research(catalog, "t", job="stop")
    assert taken(catalog, "one") == ("start", "t")
    assert taken(catalog, "two") is None, "the job before is under way elsewhere"
    driven(catalog, "t", "one")
    assert taken(catalog, "two") is None, "the thread is driven elsewhere"
    assert taken(catalog, "one", most=0) == ("stop", "t"), "though it has no room"


def test_whoever_has_least_under_way_comes_first_and_nobody_has_too_much(catalog: Catalog) -> None:
    for thread in ("a1", "a2", "a3"):
        research(catalog, thread)
    assert taken(catalog, "one") == ("start", "a1")
    driven(catalog, "a1", "one")
    research(catalog, "b1", BEN)
    assert taken(catalog, "two", most=0) is None
    assert taken(catalog, "two") == ("start", "b1")
    assert taken(catalog, "two", per_person=2) == ("start", "a2")
    assert taken(catalog, "two", per_person=2) is None
    assert taken(catalog, "two") == ("start", "a3")


def test_pieces_give_way_to_other_jobs_and_leave_room_for_one(catalog: Catalog) -> None:
    catalog.queue.submit_all(ANNA, "piece", [{"grid": "g"}] * 5)
    assert taken(catalog, "one", per_person=0) == ("piece", None), "no limit of a person"
    research(catalog, "a1")
    research(catalog, "b1", BEN)
    assert taken(catalog, "one") == ("start", "b1"), "who has less under way comes first"
    assert taken(catalog, "one", at_work=8) == ("start", "a1"), "a piece waits longer than a run"
    assert taken(catalog, "one", at_work=8) is None, "room is left for another run"
    assert taken(catalog, "one", most=1) == ("piece", None), "though not where there is one"


def test_a_new_run_goes_to_the_worker_with_the_least_at_work(catalog: Catalog) -> None:
    catalog.workers.join("idle")
    research(catalog, "t")
    assert taken(catalog, "busy", at_work=1) is None, "the other has nothing to do"
    assert taken(catalog, catalog.workers.holder) == ("start", "t")
    research(catalog, "u")
    assert taken(catalog, "busy", at_work=1) == ("start", "u"), "both have one"


@pytest.mark.timeout(60)  # else the others wait for ever
def test_who_falls_asleep_in_a_transaction_holds_up_nobody(
    catalog: Catalog, url: str, die: Die, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "IDLE_TIMEOUT_S", 1)
    asleep = Database(url)
    catalog.workers.join("dead")
    dead = catalog.workers.holder
    research(catalog, "t")
    taken(catalog, dead)
    driven(catalog, "t", dead)
    with pytest.raises(StoresBusy), asleep.write() as session:
        require_lease(session, "t", 1)
        die(dead)
        assert catalog.workers.reap_dead_workers("resume") == 1
        require_lease(session, "t", 1)
    asleep.close()


def test_of_a_dead_worker_jobs_are_queued_again_and_threads_go_on(
    catalog: Catalog, die: Die
) -> None:
    catalog.workers.join("dead")
    dead = catalog.workers.holder
    for thread in ("driven", "begun", "waiting"):
        research(catalog, thread)
        assert taken(catalog, dead) == ("start", thread)
        if thread != "begun":
            driven(catalog, thread, dead)
    catalog.runs.update("waiting", status="waiting")
    assert catalog.workers.reap_dead_workers("resume") == 0
    (begun,) = running(catalog)
    die(dead)
    assert catalog.workers.reap_dead_workers("resume") == 2
    assert catalog.workers.reap_dead_workers("resume") == 0
    assert catalog.runs.get(ANNA, "driven").status == "running", "it is to be taken over"
    assert taken(catalog, "two") == ("start", "begun")
    catalog.queue.finish(begun.id, "late", holder=dead)
    assert catalog.queue.get(begun.id).status == "running", "it is another's now"
    assert taken(catalog, "two") == ("resume", "driven")
    assert taken(catalog, "two") is None
