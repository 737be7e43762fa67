"""Several workers of one home: work is shared, and what one leaves goes on in another."""

import signal
from functools import partial

from agent.engine.engine import Engine
from services.domain import Principal
from tests.support import postgres
from tests.support.crew import HOLD, Crew, Start
from tests.support.desk import QUESTION, until_ended
from tests.support.research import STRAIGHT, report_of
from tests.support.waiting import until

pytestmark = postgres.needs_postgres
TAKEN_OVER_S = 60.0


def endings(engine: Engine, thread: str) -> int:
    return sum(each.event.kind == "run_finished" for each in engine.threads.events(thread))


def statuses(engine: Engine, threads: list[str]) -> list[str]:
    return [engine.threads.run(each).status for each in threads]


def driver_of(crew: Crew, thread: str) -> str:
    """The name of the worker that drives a thread."""
    until(lambda: crew.services.catalog.leases.holder(thread) is not None, seconds=60)
    return str(crew.services.catalog.leases.holder(thread)).split("-")[0]


def test_what_a_killed_worker_drove_ends_once_in_another(start: Start) -> None:
    with start("one", "two", seconds=0.3) as crew:
        thread = crew.engine.threads.start(QUESTION, options=STRAIGHT)
        crew.kill(driver_of(crew, thread))
        until(lambda: crew.services.catalog.leases.holder(thread) is None, seconds=TAKEN_OVER_S)
        assert until_ended(crew.engine, thread) == "done"
        assert "70 Dezibel" in report_of(crew.engine, thread)["answer"]
        assert endings(crew.engine, thread) == 1


def test_a_worker_that_is_told_to_end_hands_over_and_one_that_slept_writes_no_more(
    start: Start,
) -> None:
    with start("one", "two", seconds=0.3) as crew:
        thread = crew.engine.threads.start(QUESTION, options=STRAIGHT)
        crew.end(driver_of(crew, thread))
        assert until_ended(crew.engine, thread) == "done"

        crew.start("three")
        thread = crew.engine.threads.start(QUESTION, options=STRAIGHT)
        sleeper = driver_of(crew, thread)
        crew.signal(sleeper, signal.SIGSTOP)
        assert until_ended(crew.engine, thread) == "done"
        before = crew.engine.threads.events(thread)
        crew.signal(sleeper, signal.SIGCONT)
        until(partial(crew.known, sleeper), seconds=TAKEN_OVER_S)
        assert crew.engine.threads.events(thread) == before
        assert crew.engine.threads.run(thread).status == "done"


def test_who_drives_a_thread_is_who_stops_it_and_nobody_takes_all(start: Start) -> None:
    with start("one", "two") as crew:
        hold = crew.services.settings.home / HOLD
        hold.touch()
        others = crew.engine.acting_as(Principal(user="ben"))
        crew.engine.library.change_collection("laerm", visibility="public")
        threads = [crew.engine.threads.start(QUESTION, options=STRAIGHT) for _ in range(5)]
        until(lambda: statuses(crew.engine, threads).count("running") == 4, seconds=60)
        late = others.threads.start(QUESTION, options=STRAIGHT)
        assert driver_of(crew, late), "the fifth of one person waits, the first of another does not"
        assert statuses(crew.engine, threads) == ["running"] * 4 + ["queued"]
        crew.engine.threads.pause(threads[0])
        hold.unlink()
        assert crew.engine.threads.run(threads[0]).status == "paused"
        for each in [*threads[1:], late]:
            assert until_ended(crew.engine.acting_as(Principal(role="admin")), each) == "done"
