"""Runs, leases, events, commands, answers and the embedding cache."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy.event import listen

from services.catalog import Catalog, StaleLease
from services.catalog.queue import MOST_DEATHS
from services.domain import errors
from services.domain.errors import AlreadyAnswered, Broken, InvalidInput, NotFound, StoresBusy
from services.domain.events import EventKey, PhaseStarted, PlanItem, Waiting, Warned
from services.domain.notices import Notice
from tests.services.catalog.conftest import ADMIN, ANNA, BEN, queries
from tests.support.catalogs import log_event, new_catalog

WAITING = Waiting(interrupt_id="i1", interrupt="plan", items=(PlanItem(id=1, task="Suche"),))


@pytest.fixture
def thread(catalog: Catalog) -> str:
    catalog.runs.create("t1", ANNA, "Welche Grenzwerte?", ["law"], {"k": 10, "clarify": True})
    return "t1"


def key(n: int, thread: str = "t1", checkpoint: str = "c1") -> EventKey:
    return EventKey(thread_id=thread, checkpoint=checkpoint, n=n)


def test_a_run_keeps_what_was_asked(catalog: Catalog, thread: str) -> None:
    run = catalog.runs.get(ANNA, thread)
    assert (run.owner, run.question, run.collections) == ("anna", "Welche Grenzwerte?", ("law",))
    assert run.options == {"k": 10, "clarify": True}
    assert (run.phase, run.pending, run.error) == (None, None, None)
    assert catalog.runs.report(ANNA, thread) is None
    with pytest.raises(InvalidInput, match="already"):
        catalog.runs.create(thread, ANNA, "again", [], {})


def test_a_run_is_its_owners(catalog: Catalog, thread: str) -> None:
    assert catalog.runs.get(ADMIN, thread) == catalog.runs.get(ANNA, thread)
    assert [run.thread_id for run in catalog.runs.list(ADMIN)] == [thread]
    assert catalog.runs.list(BEN) == []
    for guess in (thread, "t", "t%", "T1", ""):
        with pytest.raises(NotFound):
            catalog.runs.get(BEN, guess)
        with pytest.raises(NotFound):
            catalog.runs.report(BEN, guess)


def test_runs_are_listed_newest_first(catalog: Catalog) -> None:
    for thread in ("b", "a", "c"):
        catalog.runs.create(thread, ANNA, "?", [], {})
    assert [run.thread_id for run in catalog.runs.list(ANNA)] == ["c", "a", "b"]


def test_an_update_changes_only_what_is_given(catalog: Catalog, thread: str) -> None:
    catalog.runs.update(thread, status="waiting", phase="plan", pending=WAITING)
    waiting = catalog.runs.get(ANNA, thread)
    assert (waiting.status, waiting.phase, waiting.pending) == ("waiting", "plan", WAITING)
    catalog.runs.update(thread, phase="extract")
    assert catalog.runs.get(ANNA, thread).pending == WAITING
    catalog.runs.update(
        thread, status="failed", error=Notice.of("no model {name}", name="m"), pending=None
    )
    failed = catalog.runs.get(ANNA, thread)
    assert (failed.status, str(failed.error), failed.pending) == ("failed", "no model m", None)
    catalog.runs.update(thread, status="done", report={"answer": "20 mSv"})
    done = catalog.runs.get(ANNA, thread)
    assert (done.status, done.error, done.phase) == ("done", None, "extract")
    assert catalog.runs.report(ANNA, thread) == {"answer": "20 mSv"}
    assert done.updated_at > done.created_at
    with pytest.raises(NotFound):
        catalog.runs.update("unknown", status="done")


def test_a_run_that_nobody_works_on_is_interrupted(catalog: Catalog, thread: str) -> None:
    epoch = catalog.leases.acquire(thread, "me")
    catalog.runs.update(thread, status="running")
    assert catalog.runs.get(ANNA, thread).status == "running"
    assert [run.status for run in catalog.runs.list(ANNA)] == ["running"]
    assert catalog.runs.active(ANNA) == catalog.runs.list(ANNA)
    assert catalog.runs.active(BEN) == []
    catalog.leases.release(thread, epoch)
    assert catalog.runs.get(ANNA, thread).status == "interrupted"
    assert [run.status for run in catalog.runs.list(ANNA)] == ["interrupted"]
    assert catalog.runs.active(ANNA) == []
    catalog.runs.update(thread, status="waiting")
    assert catalog.runs.get(ANNA, thread).status == "waiting"


def may_write(catalog: Catalog, thread: str, epoch: int) -> bool:
    try:
        log_event(catalog, key(1, thread), PhaseStarted(phase="validate"), epoch)
    except StaleLease:
        return False
    return True


def test_a_lease_has_one_holder_and_a_growing_epoch(catalog: Catalog) -> None:
    first = catalog.leases.acquire("t1", "a")
    assert may_write(catalog, "t1", first)
    with pytest.raises(StoresBusy, match="Another process"):
        catalog.leases.acquire("t1", "b")
    again = catalog.leases.acquire("t1", "a")
    assert again > first
    assert not may_write(catalog, "t1", first)
    catalog.leases.release("t1", first)
    assert may_write(catalog, "t1", again)
    catalog.leases.release("t1", again)
    assert not may_write(catalog, "t1", again)
    assert catalog.leases.acquire("t1", "b") > again
    assert not may_write(catalog, "unknown", 1)


def test_a_new_owner_frees_the_leases_of_the_dead(catalog: Catalog) -> None:
    dead = {thread: catalog.leases.acquire(thread, thread) for thread in ("1", "2")}
    catalog.leases.release_all()
    for thread, epoch in dead.items():
        assert catalog.leases.holder(thread) is None and not may_write(catalog, thread, epoch)
        assert catalog.leases.acquire(thread, "1") > epoch


def test_of_many_that_want_a_lease_one_gets_it(catalog: Catalog) -> None:
    def want(holder: int) -> int | None:
        try:
            return catalog.leases.acquire("t1", str(holder))
        except StoresBusy:
            return None

    with ThreadPoolExecutor(8) as pool:
        assert len([epoch for epoch in pool.map(want, range(8)) if epoch]) == 1


def test_events_are_read_in_order(catalog: Catalog) -> None:
    seqs = [log_event(catalog, key(n), PhaseStarted(phase="plan")) for n in range(3)]
    assert seqs == sorted(set(seqs))
    records = catalog.events.since("t1", 0)
    assert [record.seq for record in records] == seqs
    assert [record.key for record in records] == [key(n) for n in range(3)]
    assert records[0].event == PhaseStarted(phase="plan")
    assert catalog.events.since("t1", seqs[1]) == records[2:]
    assert catalog.events.since("t1", 0, limit=1) == records[:1]
    assert catalog.events.last("t1") == records[-1]
    assert catalog.events.since("t2", 0) == []
    assert catalog.events.last("t2") is None


def test_a_redone_step_replaces_what_it_said_under_a_new_seq(catalog: Catalog) -> None:
    log_event(catalog, key(0), Warned(message="first"))
    last = log_event(catalog, key(1), Warned(message="second"))
    redone = log_event(catalog, key(1), Warned(message="redone"))
    assert redone > last
    assert [record.event for record in catalog.events.since("t1", 0)] == [
        Warned(message="first"),
        Warned(message="redone"),
    ]
    log_event(catalog, key(1, checkpoint="c2"), Warned(message="other step"))
    assert len(catalog.events.since("t1", 0)) == 3


def test_a_stale_holder_can_append_nothing(catalog: Catalog) -> None:
    old = catalog.leases.acquire("t1", "old")
    log_event(catalog, key(0), Warned(message="mine"), old)
    catalog.leases.release_all()
    with pytest.raises(StaleLease):
        log_event(catalog, key(1), Warned(message="late"), old)
    new = catalog.leases.acquire("t1", "new")
    with pytest.raises(StaleLease):
        log_event(catalog, key(0), Warned(message="overwritten"), old)
    log_event(catalog, key(1), Warned(message="new"), new)
    messages = [record.event for record in catalog.events.since("t1", 0)]
    assert messages == [Warned(message="mine"), Warned(message="new")]
    assert issubclass(StaleLease, Broken)


def test_no_event_is_lost_among_threads(catalog: Catalog) -> None:
    epochs = {str(n): catalog.leases.acquire(str(n), "me") for n in range(4)}

    def say(thread: str) -> None:
        for n in range(15):
            log_event(catalog, key(n, thread), Warned(message="…"), epochs[thread])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(say, epochs))
    for thread in epochs:
        numbers = [record.key.n for record in catalog.events.since(thread, 0)]
        assert numbers == list(range(15))


def test_commands_are_claimed_in_order_and_once(catalog: Catalog) -> None:
    submitted = [catalog.queue.submit(BEN, "ask", {"n": n}) for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        claimed = list(pool.map(lambda _: catalog.queue.claim(), range(8)))
    taken = [command for command in claimed if command is not None]
    assert sorted(command.id for command in taken) == submitted
    assert catalog.queue.claim() is None
    first = catalog.queue.get(submitted[0])
    assert (first.status, first.principal, first.kind, first.payload) == (
        "running",
        BEN,
        "ask",
        {"n": 0},
    )


def test_an_empty_queue_is_not_looked_at_again_before_something_was_written(tmp_path: Path) -> None:
    file = tmp_path / "catalog.sqlite3"
    with new_catalog(file) as owner, Catalog.open(f"sqlite:///{file}") as other:
        assert not owner.queue.unchanged(), "nobody has looked yet"
        assert owner.queue.claim() is None
        sent: list[str] = []
        listen(owner._database.engine, "before_cursor_execute", lambda *call: sent.append(call[2]))
        assert [owner.queue.claim() for _ in range(5)] == [None] * 5
        assert owner.queue.unchanged()
        assert sent == []
        for catalog in (other, owner):
            submitted = catalog.queue.submit(BEN, "ask", {})
            assert not owner.queue.unchanged()
            claimed = owner.queue.claim()
            assert claimed is not None and claimed.id == submitted


def test_a_command_ends_done_or_failed(catalog: Catalog) -> None:
    good, bad = (catalog.queue.submit(ADMIN, "search", {}) for _ in range(2))
    catalog.queue.claim()
    catalog.queue.claim()
    catalog.queue.finish(good, {"hits": []})
    catalog.queue.finish(bad, None, NotFound("no such collection"))
    done, failed = catalog.queue.get(good), catalog.queue.get(bad)
    assert (done.status, done.result, done.error) == ("done", {"hits": []}, None)
    assert (failed.status, str(failed.error), failed.error_type) == (
        "failed",
        "no such collection",
        "NotFound",
    )
    assert done.principal == ADMIN
    with pytest.raises(NotFound):
        catalog.queue.get(99)


def test_what_is_to_be_done_is_told_to_who_ordered_it(catalog: Catalog) -> None:
    ended, running, queued = (catalog.queue.submit(BEN, "ingest", {}) for _ in range(3))
    catalog.queue.submit(BEN, "name_model", {})
    catalog.queue.claim()
    catalog.queue.claim()
    catalog.queue.finish(ended, {})
    found = catalog.queue.unfinished(BEN, ("ingest", "remove"))
    assert [(each.id, each.status) for each in found] == [(queued, "queued"), (running, "running")]
    assert catalog.queue.unfinished(ADMIN, ("ingest",)) == []


def test_a_new_owner_takes_up_running_commands(catalog: Catalog) -> None:
    first = catalog.queue.submit(BEN, "ingest", {})
    catalog.queue.submit(BEN, "ingest", {})
    catalog.queue.claim()
    catalog.queue.requeue_running()
    again = catalog.queue.claim()
    assert again is not None and again.id == first


def test_what_nobody_waits_for_is_given_up_unless_it_has_begun(catalog: Catalog) -> None:
    begun, claimed, queued = (catalog.queue.submit(BEN, "remove", {}, "me") for _ in range(3))
    for _ in (begun, claimed):
        catalog.queue.claim()
    catalog.queue.begin(begun)
    gone = errors.Interrupted("gone")
    given_up = [catalog.queue.give_up(each, gone, begun=False) for each in (begun, claimed, queued)]
    assert given_up == [False, True, True] and catalog.queue.claim() is None
    with pytest.raises(errors.Interrupted):
        catalog.queue.begin(claimed)
    catalog.queue.finish(claimed, {})
    assert catalog.queue.get(claimed).error_type == "Interrupted"
    catalog.queue.put(begun, {"found": 1})
    assert catalog.queue.get(begun).payload == {"found": 1, "waiter": "me"}
    assert catalog.queue.get(begun).waiter == "me"


def test_what_an_orderly_end_broke_off_counts_as_begun(catalog: Catalog) -> None:
    begun, claimed = (catalog.queue.submit(BEN, "ingest", {}, "me") for _ in range(2))
    for _ in (begun, claimed):
        catalog.queue.claim()
    catalog.queue.begin(begun)
    for each in (begun, claimed):
        catalog.queue.requeue(each, holder="another")
        assert catalog.queue.get(each).status == "running"
        catalog.queue.requeue(each)
        assert catalog.queue.get(each).status == "queued"
    gone = errors.Interrupted("gone")
    given_up = [catalog.queue.give_up(each, gone, begun=False) for each in (begun, claimed)]
    assert given_up == [False, True]


def test_what_an_owner_left_is_claimed_last_or_never(catalog: Catalog) -> None:
    left, new = (catalog.queue.submit(BEN, "ingest", {}) for _ in range(2))
    for expected in (new, left):
        assert (claimed := catalog.queue.claim(last=[left])) and claimed.id == expected
    catalog.queue.requeue(left)
    assert catalog.queue.claim(never=[left]) is None


def test_a_command_that_its_processes_die_of_is_not_begun_for_ever(catalog: Catalog) -> None:
    deadly = catalog.queue.submit(BEN, "ingest", {})
    for died in range(MOST_DEATHS):
        catalog.queue.requeue_running()
        catalog.queue.claim()
        assert (catalog.queue.get(deadly).error is None) is (died == 0)
        catalog.queue.begin(deadly)
    with pytest.raises(errors.AskPerson, match="crashed 3 times") as given_up:
        catalog.queue.begin(deadly)
    catalog.queue.finish(deadly, None, given_up.value)
    catalog.queue.requeue(deadly)
    with pytest.raises(errors.Interrupted):
        catalog.queue.begin(deadly)
    ended = catalog.queue.get(deadly)
    assert (ended.status, ended.error) == ("failed", given_up.value.notice)


def test_a_command_that_is_let_go_or_done_did_not_kill(catalog: Catalog) -> None:
    number = catalog.queue.submit(BEN, "ingest", {})
    for _ in range(MOST_DEATHS + 1):
        catalog.queue.claim()
        catalog.queue.begin(number)
        catalog.queue.requeue(number)
        assert catalog.queue.get(number).status == "queued"
    catalog.queue.claim()
    catalog.queue.begin(number)
    catalog.queue.finish(number, {})
    assert catalog.queue.get(number).error is None


def test_of_many_answers_one_counts(catalog: Catalog) -> None:
    def answer(n: int) -> bool:
        try:
            catalog.answers.put("t1", "i1", {"n": n}, ANNA)
        except AlreadyAnswered:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        accepted = list(pool.map(answer, range(8)))
    assert accepted.count(True) == 1
    assert catalog.answers.get("t1", "i1") == {"n": accepted.index(True)}
    assert catalog.answers.get("t1", "i2") is None
    catalog.answers.put("t2", "i1", {"n": 0}, ANNA)


def test_of_many_tokens_of_one_name_there_is_one(catalog: Catalog) -> None:
    def create(_: int) -> bool:
        try:
            catalog.tokens.create(ANNA, "script", "read", None)
        except InvalidInput:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(create, range(8))).count(True) == 1
    assert [token.name for token in catalog.tokens.list(ANNA)] == ["script"]


def test_a_draft_may_come_from_many_windows_at_once(catalog: Catalog) -> None:
    def put(n: int) -> None:
        catalog.drafts.put("t1", f"i{n // 8}", {"n": n}, ANNA)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(200)))
    for question in range(25):
        kept = catalog.drafts.get("t1", f"i{question}", ANNA)
        assert kept in [{"n": 8 * question + n} for n in range(8)]


def test_a_draft_is_a_persons_and_the_last_one_counts(catalog: Catalog) -> None:
    assert catalog.drafts.get("t1", "i1", ANNA) is None
    for n in (1, 2):
        catalog.drafts.put("t1", "i1", {"n": n}, ANNA)
    catalog.drafts.put("t1", "i2", {"n": 3}, ANNA)
    assert catalog.drafts.get("t1", "i1", ANNA) == {"n": 2}
    assert catalog.drafts.get("t1", "i1", BEN) is None
    catalog.drafts.forget("t1", "i1")
    assert catalog.drafts.get("t1", "i1", ANNA) is None
    assert catalog.drafts.get("t1", "i2", ANNA) == {"n": 3}


def test_the_embedding_cache_keeps_vectors_by_model(catalog: Catalog) -> None:
    vectors = {f"h{n}": bytes([n % 256]) * 8 for n in range(1200)}
    catalog.embeddings.put("e5", vectors)
    catalog.embeddings.put("e5", {"h1": b"other", "h2000": b"new"})
    assert catalog.embeddings.get("e5", [*vectors, "unknown"]) == vectors
    assert catalog.embeddings.get("e5", ["h2000"]) == {"h2000": b"new"}
    assert catalog.embeddings.get("minilm", ["h1"]) == {}


def test_one_look_tells_how_a_run_is_and_what_is_new(catalog: Catalog, thread: str) -> None:
    catalog.runs.create("t2", ANNA, "Anderes", ["c"], {})
    for n in (1, 2, 3):
        for each in ("t1", "t2"):
            log_event(catalog, key(n, each), Warned(message=f"{each}-{n}"))
    catalog.runs.update(thread, report={"answer": "x" * 1000})
    run, records = catalog.runs.poll(ANNA, thread, after=0)
    assert run == catalog.runs.get(ANNA, thread)
    assert records == catalog.events.since(thread, 0)
    assert catalog.runs.poll(ANNA, thread, after=records[1].seq)[1] == records[2:]
    assert catalog.runs.poll(ANNA, thread, after=records[2].seq) == (run, [])
    with pytest.raises(NotFound):
        catalog.runs.poll(BEN, thread, after=0)


def test_a_look_is_one_query(catalog: Catalog, thread: str) -> None:
    log_event(catalog, key(1), Warned(message="x"))
    with queries(catalog) as sent:
        catalog.runs.poll(ANNA, thread, after=0)
    assert len(sent) == 1 and "report" not in sent[0]
