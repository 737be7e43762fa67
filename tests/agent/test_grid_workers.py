"""Several workers read one grid: each row once, whoever dies, and nobody else waits for it."""

from collections import Counter
from functools import partial

import pytest

from agent.engine.engine import Engine
from agent.engine.grids import columns_of
from services.domain import Principal
from tests.support import postgres
from tests.support.crew import ANSWERED, Crew, Start
from tests.support.desk import until_ended
from tests.support.grid_model import PERIODS, grid_rules, write_contracts
from tests.support.waiting import until

pytestmark = postgres.needs_postgres
CONTRACTS = 24
COLUMNS = columns_of([(question, "number") for question in list(PERIODS)[:2]])
TAKEN_OVER_S = 60.0


def created(at_work: Crew) -> str:
    folder = at_work.services.settings.home / "contracts"
    if not folder.exists():
        write_contracts(folder, CONTRACTS)
        at_work.engine.library.ingest([folder], "contracts")
    return at_work.engine.grids.create("Fristen", COLUMNS, collections=["contracts"])


def answered(at_work: Crew, task: str) -> list[list[str]]:
    """Process and request of each answer of the model to a task."""
    lines = (at_work.services.settings.home / ANSWERED).read_text("utf-8").splitlines()
    return [[process, request] for process, name, request in map(str.split, lines) if name == task]


def states(engine: Engine, grid: str) -> Counter[str | None]:
    return Counter(cell.state for cell in engine.grids.table(grid).cells)


def test_all_workers_read_a_grid_and_each_row_once(start: Start) -> None:
    with start("one", "two", script=grid_rules, seconds=0.05) as at_work:
        grid = created(at_work)
        at_work.engine.grids.run(grid)
        assert until_ended(at_work.engine, grid) == "done"
        calls = answered(at_work, "fill_in")
        assert len({process for process, _ in calls}) == 2
        assert len(calls) == len({request for _, request in calls}) == CONTRACTS
        counts = [
            e.event.cells_read
            for e in at_work.engine.threads.events(grid)
            if e.event.kind == "row_read"
        ]
        assert counts == list(range(2, 2 * CONTRACTS + 1, 2))
        assert states(at_work.engine, grid)[None] == 0
        report = at_work.services.catalog.runs.report(Principal(), grid)
        assert report is not None
        assert report["usage"]["calls"] == len(calls) + len(answered(at_work, "verify"))


@pytest.mark.slow
@pytest.mark.parametrize("dies", ["driver", "other"])
def test_what_a_killed_worker_read_is_read_by_another(start: Start, dies: str) -> None:
    with start("one", "two", script=grid_rules, seconds=0.2) as at_work:
        grid, leases = created(at_work), at_work.services.catalog.leases
        at_work.engine.grids.run(grid)
        until(lambda: leases.holder(grid) is not None, seconds=TAKEN_OVER_S)
        driver = str(leases.holder(grid)).split("-")[0]
        until(lambda: at_work.services.catalog.grids.counts(grid)[0] > 4, seconds=TAKEN_OVER_S)
        at_work.kill(driver if dies == "driver" else {"one": "two", "two": "one"}[driver])
        ended = partial(lambda: at_work.engine.threads.run(grid).status == "done")
        until(ended, seconds=2 * TAKEN_OVER_S)
        assert states(at_work.engine, grid)[None] == 0
        calls = Counter(request for _, request in answered(at_work, "fill_in"))
        in_flight = 2 * 2  # rows of the pieces that a worker had under way
        assert len(calls) == CONTRACTS and calls.total() <= CONTRACTS + in_flight


def test_a_question_of_another_does_not_wait_for_a_grid_and_a_pause_ends_all(start: Start) -> None:
    with start("one", "two", script=grid_rules, seconds=0.3, person_runs=1) as at_work:
        grid = created(at_work)
        at_work.engine.library.change_collection("contracts", visibility="public")
        at_work.engine.grids.run(grid)
        until(lambda: at_work.services.catalog.grids.counts(grid)[0] > 0, seconds=TAKEN_OVER_S)
        other = at_work.engine.acting_as(Principal(user="ben"))
        theirs = other.grids.create("Ben", COLUMNS[:1], documents=["vertrag-00001.md"])
        other.grids.run(theirs)
        assert until_ended(other, theirs) == "done"
        assert at_work.engine.threads.run(grid).status == "running"
        at_work.engine.grids.stop(grid)
        assert at_work.engine.threads.run(grid).status == "paused"
        until(lambda: not at_work.services.catalog.queue.open_jobs(), seconds=TAKEN_OVER_S)
