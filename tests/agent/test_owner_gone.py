"""Who waits for a job of an owner that goes away, and jobs that nobody waits for any more."""

import _thread
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agent.engine.changes import Ingest, RemoveDocument
from agent.engine.connection import Connection
from agent.engine.engine import Engine, connect_to
from agent.engine.jobs import BuildGraph, Job
from services.domain import Principal
from services.domain.errors import Interrupted
from services.ownership import OwnerLock, Presence
from tests.agent.test_library_client import HeldEmbedder
from tests.support.desk import LAW, make_services, open_desk
from tests.support.fakes_retrieval import DictVectorIndex
from tests.support.scripted_model import ScriptedModel
from tests.support.waiting import until

WAIT_S = 60.0
REMOVE = RemoveDocument(collection="laerm", document="LaermG.txt")
WORKS: dict[str, Callable[[Engine, Path], Any]] = {
    "ingest": lambda engine, file: engine.library.ingest([file], "neu"),
    "remove": lambda engine, _: engine.library.remove_document("laerm", "LaermG.txt"),
    "delete": lambda engine, _: engine.library.delete_collection("laerm"),
    "check": lambda engine, _: engine.library.check(),
    "repair": lambda engine, _: engine.library.check(repair=True),
    "graph": lambda engine, _: engine.graph.build("laerm"),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a law in a collection, and no owner."""
    open_desk(tmp_path / "home").close()
    return tmp_path / "home"


@pytest.fixture
def other(home: Path) -> Iterator[Engine]:
    """A process that is not the owner, as long as somebody else is."""
    with connect_to(make_services(home), Principal()) as engine:
        yield engine


@pytest.fixture
def owner(home: Path) -> Iterator[OwnerLock]:
    """An owner that does nothing; it is killed when the lock is released."""
    lock = OwnerLock(home)
    assert lock.acquire()
    yield lock
    lock.release()


def newest(engine: Engine) -> Any:
    return engine._catalog.queue.open_jobs()[0]


def left(engine: Engine, job: Job[Any], waiter: str | None, *, begun: bool) -> int:
    """A job that an owner claimed, and maybe began, before it was killed."""
    queue = engine._catalog.queue
    number = queue.submit(Principal(), job.kind, job.model_dump(mode="json"), waiter)
    assert queue.claim() is not None
    if begun:
        queue.begin(number)
    return number


@pytest.mark.parametrize("work", WORKS)
def test_who_waits_behind_an_ingestion_takes_over_when_its_owner_ends(
    work: str, home: Path, other: Engine
) -> None:
    (file := home / "StaubG.txt").write_text(LAW.replace("Lärm", "Staub"))
    embedder = HeldEmbedder()
    services = make_services(home).replaced(embedder=lambda: embedder)
    with connect_to(services, Principal()) as first, ThreadPoolExecutor(2) as pool:
        ingestion = first.submit(Ingest(paths=(str(file),), collection="langsam"))
        assert embedder.begun.wait(WAIT_S)
        waiting = pool.submit(WORKS[work], other, file)
        until(lambda: (newest(other).id, newest(other).status) > (ingestion, "queued"))
        ending = pool.submit(first.close)
        until(lambda: first._connection._runner is None or first._connection._runner._stopping)
        embedder.go_on.set()
        ending.result(WAIT_S)
        waiting.result(WAIT_S)
        assert other.owner
    until(lambda: not other._catalog.queue.open_jobs())


@pytest.mark.parametrize("begun", [False, True])
def test_who_waits_takes_over_when_the_owner_is_killed(
    begun: bool, other: Engine, owner: OwnerLock
) -> None:
    queue = other._catalog.queue
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(other.library.remove_document, "laerm", "LaermG.txt")
        until(lambda: bool(queue.open_jobs()))
        number = newest(other).id
        assert queue.claim() is not None
        if begun:
            queue.begin(number)
        owner.release()
        assert waiting.result(WAIT_S).document == "LaermG.txt"
    assert other.owner and other.library.documents("laerm") == []


def test_who_follows_a_job_takes_over_too(home: Path, other: Engine, owner: OwnerLock) -> None:
    number = other.submit(Ingest(paths=(str(home / "LaermG.txt"),), collection="neu"))
    assert other.poll_job(number)[0].status == "queued" and not other.owner
    owner.release()
    until(lambda: not other.poll_job(number)[0].open)
    assert other.job(number).status == "done"


def interrupted(
    engine: Engine, work: Callable[[], Any], first: Callable[[], Any] = lambda: None
) -> str:
    """What Ctrl+C says of a work that is waited for, once something else has been done."""
    waited_for = threading.Event()
    outcome = engine._connection.outcome

    def told(*arguments: Any) -> Any:
        waited_for.set()
        return outcome(*arguments)

    def stop() -> None:
        assert waited_for.wait(WAIT_S)
        first()
        _thread.interrupt_main()

    engine._connection.outcome = told  # type: ignore[method-assign]

    stopping = threading.Thread(target=stop)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever ran here before
    stopping.start()
    with pytest.raises(KeyboardInterrupt) as stopped:
        work()
    stopping.join(WAIT_S)
    signal.signal(signal.SIGINT, before)
    engine._connection.outcome = outcome  # type: ignore[method-assign]
    return str(stopped.value)


def test_ctrl_c_cancels_what_has_not_begun_and_says_what_becomes_of_the_rest(
    other: Engine, owner: OwnerLock
) -> None:
    queue = other._catalog.queue

    def remove() -> None:
        other.library.remove_document("laerm", "LaermG.txt")

    def begin() -> None:
        assert queue.claim() is not None
        queue.begin(newest(other).id)

    said = interrupted(other, remove)
    assert said == "stopped before it began; nothing was changed." and not queue.open_jobs()
    assert f"process {os.getpid()} finishes" in interrupted(other, remove, begin)
    assert newest(other).status == "running"
    queue.finish(newest(other).id, {})


@pytest.mark.parametrize("begun", [False, True])
def test_the_next_owner_finishes_what_a_dead_process_had_begun_and_begins_nothing_else_of_it(
    begun: bool, other: Engine
) -> None:
    number = left(other, REMOVE, "dead", begun=begun)
    other.settings.search_cache()
    until(lambda: not other._catalog.queue.is_open(number))
    ended = other._catalog.queue.get(number)
    assert ended.status == ("done" if begun else "failed")
    assert len(other.library.documents("laerm")) == 1 - begun


def test_who_waits_in_a_process_that_goes_down_is_told_so(other: Engine, owner: OwnerLock) -> None:
    queue = make_services(other._services.settings.home).catalog.queue
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(other.library.remove_document, "laerm", "LaermG.txt")
        until(lambda: bool(queue.open_jobs()))
        other.close()
        with pytest.raises(Interrupted):
            waiting.result(WAIT_S)
    assert not queue.open_jobs() and not other.owner


def test_facts_are_read_on_for_who_still_waits_for_them(home: Path) -> None:
    model, presence = (
        ScriptedModel([("graph_facts", {"entities": [], "relations": []})]),
        Presence(home),
    )
    with connect_to(make_services(home, model), Principal()) as engine:
        facts = BuildGraph(collection="laerm", facts=True)
        number = left(engine, facts, presence.show(), begun=True)
        engine.settings.search_cache()
        until(lambda: not engine._catalog.queue.is_open(number))
        assert engine._catalog.queue.get(number).status == "done"
    presence.hide()


def test_who_only_looks_does_what_is_waited_for_and_leaves_the_rest(home: Path) -> None:
    presence, services = Presence(home), make_services(home)
    with Engine(Connection(services, take_up="never"), Principal()) as engine:
        ingest = Ingest(paths=(str(home / "LaermG.txt"),), collection="neu")
        waited = left(engine, ingest, presence.show(), begun=False)
        forgotten = left(engine, ingest, None, begun=True)
        engine.settings.search_cache()
        until(lambda: not engine._catalog.queue.is_open(waited))
        assert engine._catalog.queue.get(waited).status == "done"
        assert newest(engine).id == forgotten and newest(engine).status == "queued"
        assert engine.library.check().collections and newest(engine).status == "queued"
    presence.hide()


class HeldIndex(DictVectorIndex):
    """Waits in a deletion until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = threading.Event(), threading.Event()

    def delete(self, collection: str, chunk_ids: Sequence[str]) -> None:
        self.begun.set()
        assert self.go_on.wait(WAIT_S)
        super().delete(collection, chunk_ids)


def test_a_change_that_ends_whole_while_its_owner_ends_is_done(home: Path) -> None:
    index = HeldIndex()
    services = make_services(home, vectors=lambda: index)
    with connect_to(services, Principal()) as engine, ThreadPoolExecutor(1) as pool:
        number = engine.submit(REMOVE)
        assert index.begun.wait(WAIT_S)
        runner = engine._connection._runner
        ending = pool.submit(engine.close)
        until(lambda: runner is not None and runner._stopping)
        index.go_on.set()
        ending.result(WAIT_S)
        assert services.catalog.queue.get(number).status == "done"
