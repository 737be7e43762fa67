"""Runs beside their state: titles, forks, costs, deletion."""

import itertools

import pytest

from services.catalog import Catalog
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import EventKey, ModelCalled, PhaseFinished, RunStarted, Warned
from tests.services.catalog.conftest import ADMIN, ANNA, BEN, queries
from tests.support.catalogs import log_event


@pytest.fixture
def thread(catalog: Catalog) -> str:
    catalog.runs.create("t1", ANNA, "Welche Grenzwerte?", ["law"], {"k": 10})
    return "t1"


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


def test_a_title_is_one_line_and_can_be_taken_away(catalog: Catalog, thread: str) -> None:
    assert catalog.runs.get(ANNA, thread).title is None
    catalog.runs.rename(ANNA, thread, " Grenz-\n werte ")
    assert catalog.runs.get(ANNA, thread).title == "Grenz- werte"
    with pytest.raises(NotFound):
        catalog.runs.rename(BEN, thread, "meins")
    with pytest.raises(InvalidInput, match="201"):
        catalog.runs.rename(ANNA, thread, "x" * 201)
    catalog.runs.rename(ANNA, thread, " ")
    assert catalog.runs.get(ANNA, thread).title is None


def test_a_fork_remembers_where_it_comes_from(catalog: Catalog, thread: str) -> None:
    catalog.runs.rename(ANNA, thread, "Grenzwerte")
    source = catalog.runs.get(ANNA, thread)
    fork = catalog.runs.fork(source, "t2", "c7", ANNA)
    assert (fork.parent_thread, fork.parent_checkpoint) == (thread, "c7")
    assert (fork.title, fork.question, fork.options) == ("Grenzwerte", source.question, {"k": 10})
    with pytest.raises(InvalidInput, match="already"):
        catalog.runs.fork(source, "t2", "c7", ANNA)


def test_events_of_some_checkpoints_are_copied_in_their_order(
    catalog: Catalog, thread: str
) -> None:
    for checkpoint in ("b", "a", "c"):
        tell(catalog, thread, checkpoint, Warned(message=checkpoint))
    catalog.events.copy(thread, "t2", ["a", "b"])
    copied = catalog.events.since("t2", 0)
    assert [record.key.checkpoint for record in copied] == ["b", "a"]
    assert [record.at for record in copied] == [r.at for r in catalog.events.since(thread, 0)[:2]]
    assert len(catalog.events.since(thread, 0)) == 3


def test_costs_sum_up_tokens_and_count_parallel_work_once(catalog: Catalog, thread: str) -> None:
    catalog.runs.create("t2", BEN, "?", [], {})
    tell(catalog, thread, "a", called(100, 20))
    tell(catalog, thread, "b", called(3, 4))
    tell(catalog, "t2", "a", called(1, 1))
    for checkpoint in ("a1", "a2"):
        tell(catalog, thread, checkpoint, PhaseFinished(phase="extract", seconds=60.0))
    tell(catalog, "command:1", "a", called(9, 9))
    with queries(catalog) as seen:
        costs = catalog.runs.costs(ANNA)
    assert len(seen) == 1
    assert set(costs) == {thread} and costs[thread].tokens == 127
    assert costs[thread].seconds == pytest.approx(60.0, abs=5.0)
    times = catalog.runs.phase_times(thread)
    assert times.wall["extract"] == pytest.approx(60.0, abs=5.0) and times.work["extract"] == 120
    assert set(catalog.runs.costs(ADMIN)) == {thread, "t2"}
    assert catalog.runs.costs(ADMIN, thread, "t3") == costs
    assert catalog.runs.costs(ANNA, "t2") == {}


def test_a_list_of_runs_reads_no_report(catalog: Catalog, thread: str) -> None:
    catalog.runs.update(thread, report={"answer": "85 Dezibel"})
    with queries(catalog) as seen:
        assert len(catalog.runs.list(ANNA)) == 1
    assert len(seen) == 1 and "report" not in seen[0]
    assert catalog.runs.report(ANNA, thread) == {"answer": "85 Dezibel"}


def test_a_deleted_run_leaves_nothing(catalog: Catalog, thread: str) -> None:
    catalog.runs.create("t2", ANNA, "?", [], {})
    started = RunStarted(question="?", model="none", collections=())
    for name in (thread, "t2"):
        tell(catalog, name, "start", started)
        catalog.answers.put(name, "i1", {"value": "ja"}, ANNA)
        catalog.drafts.put(name, "i2", {"rows": []}, ANNA)
        catalog.leases.release(name, catalog.leases.acquire(name, "p"))
    catalog.runs.delete(thread)
    with pytest.raises(NotFound):
        catalog.runs.get(ANNA, thread)
    assert catalog.events.since(thread, 0) == [] and catalog.answers.get(thread, "i1") is None
    assert catalog.leases.acquire(thread, "p") == 1, "the lease was kept"
    assert catalog.drafts.get(thread, "i2", ANNA) is None
    assert catalog.runs.get(ANNA, "t2") and catalog.answers.get("t2", "i1")
    assert catalog.drafts.get("t2", "i2", ANNA) is not None
    assert len(catalog.events.since("t2", 0)) == 1


def test_a_mark_changes_with_all_that_is_new_of_a_thread_and_no_other(
    catalog: Catalog, thread: str
) -> None:
    catalog.runs.create("t2", ANNA, "?", [], {})
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
