"""Runs beside their state: titles, forks, costs, deletion."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from services.catalog import Catalog
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import EventKey, ModelCalled, PhaseFinished, RunStarted, Warned
from tests.support.catalogs import log_event


@pytest.fixture
def thread(catalog: Catalog, anna: Principal) -> str:
    catalog.runs.create("t1", anna, "Welche Grenzwerte?", ["law"], {"k": 10})
    return "t1"


@contextmanager
def statements(catalog: Catalog) -> Iterator[list[str]]:
    """What is sent to the database meanwhile."""
    seen: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.lstrip().upper().startswith("SELECT"):
            seen.append(statement)

    engine = catalog.runs._database.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", note)


def tell(catalog: Catalog, thread: str, checkpoint: str, told: object) -> None:
    key = EventKey(thread_id=thread, checkpoint=checkpoint, n=0)
    log_event(catalog, key, told)  # type: ignore[arg-type]


def called(prompt: int, completion: int) -> ModelCalled:
    return ModelCalled(
        task="plan",
        model_calls=1,
        prompt_tokens=prompt,
        completion_tokens=completion,
        seconds=1.0,
        fallback=None,
    )


def test_a_title_is_one_line_and_can_be_taken_away(
    catalog: Catalog, anna: Principal, ben: Principal, thread: str
) -> None:
    assert catalog.runs.get(anna, thread).title is None
    catalog.runs.rename(anna, thread, " Grenz-\n werte ")
    assert catalog.runs.get(anna, thread).title == "Grenz- werte"
    with pytest.raises(NotFound):
        catalog.runs.rename(ben, thread, "meins")
    with pytest.raises(InvalidInput, match="201"):
        catalog.runs.rename(anna, thread, "x" * 201)
    catalog.runs.rename(anna, thread, " ")
    assert catalog.runs.get(anna, thread).title is None


def test_a_fork_remembers_where_it_comes_from(
    catalog: Catalog, anna: Principal, thread: str
) -> None:
    catalog.runs.rename(anna, thread, "Grenzwerte")
    source = catalog.runs.get(anna, thread)
    fork = catalog.runs.fork(source, "t2", "c7", anna)
    assert (fork.parent_thread, fork.parent_checkpoint) == (thread, "c7")
    assert (fork.title, fork.question, fork.options) == ("Grenzwerte", source.question, {"k": 10})
    with pytest.raises(InvalidInput, match="already"):
        catalog.runs.fork(source, "t2", "c7", anna)


def test_events_of_some_checkpoints_are_copied_in_their_order(
    catalog: Catalog, anna: Principal, thread: str
) -> None:
    for checkpoint in ("b", "a", "c"):
        tell(catalog, thread, checkpoint, Warned(message=checkpoint))
    catalog.events.copy(thread, "t2", ["a", "b"])
    copied = catalog.events.since("t2", 0)
    assert [record.key.checkpoint for record in copied] == ["b", "a"]
    assert [record.at for record in copied] == [r.at for r in catalog.events.since(thread, 0)[:2]]
    assert len(catalog.events.since(thread, 0)) == 3


def test_costs_sum_up_tokens_and_count_parallel_work_once(
    catalog: Catalog, anna: Principal, ben: Principal, admin: Principal, thread: str
) -> None:
    catalog.runs.create("t2", ben, "?", [], {})
    tell(catalog, thread, "a", called(100, 20))
    tell(catalog, thread, "b", called(3, 4))
    tell(catalog, "t2", "a", called(1, 1))
    for checkpoint in ("a1", "a2"):
        tell(catalog, thread, checkpoint, PhaseFinished(phase="extract", seconds=60.0))
    tell(catalog, "command:1", "a", called(9, 9))
    with statements(catalog) as seen:
        costs = catalog.runs.costs(anna)
    assert len(seen) == 1
    assert set(costs) == {thread} and costs[thread].tokens == 127
    assert costs[thread].seconds == pytest.approx(60.0, abs=5.0)
    times = catalog.runs.phase_times(thread)
    assert times.wall["extract"] == pytest.approx(60.0, abs=5.0) and times.work["extract"] == 120
    assert set(catalog.runs.costs(admin)) == {thread, "t2"}
    assert catalog.runs.costs(admin, thread, "t3") == costs
    assert catalog.runs.costs(anna, "t2") == {}


def test_a_list_of_runs_reads_no_report(catalog: Catalog, anna: Principal, thread: str) -> None:
    catalog.runs.update(thread, report={"answer": "85 Dezibel"})
    with statements(catalog) as seen:
        assert len(catalog.runs.list(anna)) == 1
    assert len(seen) == 1 and "report" not in seen[0]
    assert catalog.runs.report(anna, thread) == {"answer": "85 Dezibel"}


def test_a_deleted_run_leaves_nothing(catalog: Catalog, anna: Principal, thread: str) -> None:
    catalog.runs.create("t2", anna, "?", [], {})
    started = RunStarted(question="?", model="none", collections=())
    for name in (thread, "t2"):
        tell(catalog, name, "start", started)
        catalog.answers.put(name, "i1", {"value": "ja"}, anna)
        catalog.drafts.put(name, "i2", {"rows": []}, anna)
        catalog.leases.release(name, catalog.leases.acquire(name, "p"))
    catalog.runs.delete(thread)
    with pytest.raises(NotFound):
        catalog.runs.get(anna, thread)
    assert catalog.events.since(thread, 0) == [] and catalog.answers.get(thread, "i1") is None
    assert catalog.leases.acquire(thread, "p") == 1, "the lease was kept"
    assert catalog.drafts.get(thread, "i2", anna) is None
    assert catalog.runs.get(anna, "t2") and catalog.answers.get("t2", "i1")
    assert catalog.drafts.get("t2", "i2", anna) is not None
    assert len(catalog.events.since("t2", 0)) == 1


def test_a_mark_changes_with_all_that_is_new_of_a_thread_and_no_other(
    catalog: Catalog, anna: Principal, thread: str
) -> None:
    catalog.runs.create("t2", anna, "?", [], {})
    seen = [catalog.runs.marks([thread, "t2", "no thread"])]
    assert seen[0].keys() == {thread, "t2"}
    for change in (
        lambda: tell(catalog, thread, "c1", called(1, 1)),
        lambda: tell(catalog, thread, "c1", called(2, 2)),  # in the place of the one before
        lambda: catalog.leases.acquire(thread, "p"),
        lambda: catalog.runs.update(thread, status="running"),
        lambda: catalog.leases.release(thread, 1),
    ):
        change()
        seen.append(catalog.runs.marks([thread, "t2"]))
    own = [each[thread] for each in seen]
    assert all(before != after for before, after in itertools.pairwise(own))
    assert len({each["t2"] for each in seen}) == 1
