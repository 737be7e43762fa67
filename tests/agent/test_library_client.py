"""Collections and documents through the client: works of the owner, ordered here or elsewhere."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from agent.engine.changes import Checked, CheckIndexes, Ingest, RemoveDocument, RestoreCollection
from agent.engine.engine import Engine, connect_to
from agent.engine.events import PAUSE_S, ProgressLog
from agent.engine.jobs import SearchJob
from services.catalog import Catalog
from services.catalog.queue import MOST_DEATHS
from services.catalog.values import log_thread
from services.domain import IngestReport, Principal, SearchRequest
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import DocumentProgress, Event, IngestProgress, TokenUpdate
from services.library.archive.export import RestoreReport
from services.ownership import OwnerLock
from services.retrieval.embedders import Progress, Vectors
from tests.support.catalogs import new_catalog
from tests.support.desk import make_services, open_desk
from tests.support.fakes_retrieval import HashEmbedder
from tests.support.waiting import until

WAIT_S = 20.0


class HeldEmbedder(HashEmbedder):
    """Waits within an ingestion, of texts with certain words if any, until it may go on."""

    def __init__(self, words: str = "") -> None:
        super().__init__()
        self.begun, self.go_on, self._words = threading.Event(), threading.Event(), words

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        if any(self._words in text for text in texts):
            self.begun.set()
            assert self.go_on.wait(WAIT_S)
        return super().embed_passages(texts, on_progress)


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Engine, Engine]]:
    """The owner of a home, and the client of another process."""
    home = tmp_path / "home"
    with open_desk(home) as owner, connect_to(make_services(home), Principal()) as other:
        yield owner, other


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("§ 1 Zweck\n\nDie Datei handelt von Lärm.\n")
    return path


def close_while_held(
    client: Engine, embedder: HeldEmbedder, meanwhile: Callable[[], bool] = lambda: True
) -> None:
    closing = threading.Thread(target=client.close)
    closing.start()
    closing.join(0.3)
    assert closing.is_alive() and meanwhile(), "it embeds still"
    embedder.go_on.set()
    closing.join(WAIT_S)


def statuses(client: Engine) -> list[str]:
    return [job.status for job in client.library.ingestions()]


def done(client: Engine, number: int) -> None:
    until(lambda: not client.job(number).open)


def test_what_another_process_searched_is_not_kept_in_the_queue(
    both: tuple[Engine, Engine],
) -> None:
    owner, other = both
    assert other.library.find(SearchRequest(query="Grenzwert")).hits
    assert owner._catalog.queue.of(owner.principal, [SearchJob.kind], most=9) == []


def test_another_process_has_the_owner_remove_check_and_delete(both: tuple[Engine, Engine]) -> None:
    owner, other = both
    place = other.library.collection("laerm").collection_id
    (state,) = other.library.check("laerm").collections
    assert state.healthy and state.chunks > 0
    events: list[Event] = []
    owner._services.vectors.drop(place)
    assert not other.library.check().collections[0].healthy
    assert other.library.check(repair=True, on_event=events.append).collections[0].healthy
    assert any(isinstance(event, DocumentProgress) for event in events)
    assert other.library.remove_document("laerm", "LaermG.txt").document == "LaermG.txt"
    assert owner.library.documents("laerm") == [] and owner._services.vectors.count(place) == 0
    assert other.library.delete_collection("laerm").name == "laerm"
    assert owner.library.collections() == [] and not other.owner


def test_errors_of_the_owner_reach_the_other_process(both: tuple[Engine, Engine]) -> None:
    owner, ben = both[0], both[1].acting_as(Principal(user="ben"))
    owner.library.change_collection("laerm", visibility="public")
    with pytest.raises(InvalidInput, match="belongs to local"):
        ben.library.remove_document("laerm", "LaermG.txt")
    owner.library.change_collection("laerm", visibility="private")
    with pytest.raises(NotFound, match="none yet"):
        ben.library.remove_document("laerm", "LaermG.txt")


def test_shelves_say_what_somebody_may_do(both: tuple[Engine, Engine]) -> None:
    owner, _ = both
    here = owner.library.change_collection("laerm", visibility="unlisted").collection_id
    ben = owner.acting_as(Principal(user="ben"))
    assert ben.library.shelves() == []
    shelf = ben.library.shelf(here)
    assert (shelf.own, shelf.subscribed, shelf.changeable) == (False, False, False)
    ben.library.subscribe(here)
    assert [each.subscribed for each in ben.library.shelves()] == [True]
    mine = owner.library.shelf("laerm")
    assert (mine.own, mine.subscribed, mine.changeable) == (True, False, True)
    admin = owner.acting_as(Principal(user="root", role="admin"))
    assert [(each.own, each.changeable) for each in admin.library.shelves()] == [(False, True)]


def test_a_work_is_followed_by_whoever_ordered_it_and_its_outcome_kept(
    both: tuple[Engine, Engine], tmp_path: Path, file: Path
) -> None:
    (owner, other), events = both, list[Event]()
    bad = tmp_path / "leer.txt"
    bad.write_bytes(b"")
    number = other.submit(Ingest(paths=(str(bad),), collection="laerm"))
    done(other, number)
    work, told = other.poll_job(number)
    assert isinstance(work.result, IngestReport)
    assert "is empty" in str(work.result.files[0].error)
    assert told and other.poll_job(number, told[-1].seq)[1] == []
    assert owner.jobs()[0].number == number
    other.library.ingest([file], "neu", on_event=events.append)
    last = [event for event in events if isinstance(event, IngestProgress)][-1]
    assert (last.documents_done, last.documents_total, last.chunks) == (1, 1, 1)
    assert [job.collection for job in other.library.ingestions()] == ["neu", "laerm", "laerm"]
    ben = owner.acting_as(Principal(user="ben"))
    assert ben.jobs() == ben.library.ingestions() == []
    with pytest.raises(NotFound):
        ben.poll_job(number)


def test_no_thread_of_a_person_is_that_of_anothers_work(both: tuple[Engine, Engine]) -> None:
    owner, _ = both
    ben = owner.acting_as(Principal(user="ben"))
    owner.library.change_collection("laerm", visibility="public")
    number = owner.jobs()[0].number
    _, told = owner.poll_job(number)
    thread = told[0].key.thread_id
    for begin in (ben.threads.start, ben.answers.ask):
        with pytest.raises(InvalidInput, match="contains a colon"):
            begin("Was gilt?", thread_id=thread)
    asked = ben.answers.ask("Was gilt?", thread_id=f"ingest-{number}")
    heard = ben.threads.events(asked.thread_id)
    assert all(each.key.thread_id == asked.thread_id for each in heard)
    assert not [each for each in heard if each.event in told]
    assert owner.poll_job(number)[1] == told


def test_every_kind_of_work_says_what_came_of_it(
    both: tuple[Engine, Engine], tmp_path: Path
) -> None:
    owner, _ = both
    checked = owner.submit(CheckIndexes(collection="laerm", repair=False))
    done(owner, checked)
    health = owner.job(checked).result
    assert isinstance(health, Checked) and health.collections[0].healthy
    owner.library.export_collection("laerm", tmp_path / "a.zip")
    restored = owner.submit(RestoreCollection(file=str(tmp_path / "a.zip"), name="Kopie"))
    done(owner, restored)
    report = owner.job(restored).result
    assert isinstance(report, RestoreReport) and report.documents == 1
    removed = owner.submit(RemoveDocument(collection="laerm", document="nichts"))
    done(owner, removed)
    work = owner.job(removed)
    assert work.status == "failed" and "no document 'nichts'" in str(work.error)


def test_a_collection_deleted_during_its_ingestion_leaves_nothing(
    tmp_path: Path, file: Path
) -> None:
    embedder, errors = HeldEmbedder(), []
    services = make_services(tmp_path / "home").replaced(embedder=lambda: embedder)
    with connect_to(services, Principal()) as client:

        def ingest() -> None:
            try:
                client.library.ingest([file], "neu")
            except NotFound as error:
                errors.append(str(error))

        ingestion = threading.Thread(target=ingest)
        ingestion.start()
        assert embedder.begun.wait(WAIT_S)
        place = client.library.collection("neu").collection_id
        deletion = threading.Thread(target=client.library.delete_collection, args=["neu"])
        deletion.start()
        deletion.join(0.3)
        assert deletion.is_alive() and client.library.collections() == []
        embedder.go_on.set()
        ingestion.join(WAIT_S)
        deletion.join(WAIT_S)
        assert len(errors) == 1 and services.catalog.deletions.pending() == []
        assert services.vectors.count(place) == services.lexical.count(place) == 0


def test_what_a_killed_process_left_is_reported_and_taken_up(
    tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    services = make_services(tmp_path / "home")
    catalog, principal = services.catalog, Principal()
    catalog.ingestions.begin("local", catalog.collections.ensure(principal, "laws"), 12)
    job = Ingest(paths=(str(file),), collection="laws")
    catalog.queue.submit(principal, "ingest", job.model_dump(mode="json"))
    assert catalog.queue.claim() is not None
    with connect_to(services, principal) as client, caplog.at_level(logging.WARNING):
        assert statuses(client) == ["interrupted"]
        client.settings.model_state()
        assert "ingestion into 'laws' was interrupted after 0 of 12 files" in caplog.text
        until(lambda: statuses(client) == ["done", "interrupted"])
        assert [info.document for info in client.library.documents("laws")] == ["a.txt"]


def test_a_restoration_that_was_killed_is_finished_by_the_same_command(
    tmp_path: Path, file: Path
) -> None:
    admin, archive = Principal(role="admin"), tmp_path / "laws.zip"
    with connect_to(make_services(tmp_path / "home"), admin) as client:
        client.library.ingest([file], "laws")
        client.library.export_collection("laws", archive)
    services, job = make_services(tmp_path / "home"), RestoreCollection(file=str(archive), name="b")
    services.catalog.queue.submit(admin, job.kind, job.model_dump(mode="json"))
    assert services.catalog.queue.claim() is not None
    with connect_to(services, admin) as client:
        assert client.library.restore_collection(archive, "b").collection.name == "b"
        assert not client.open_jobs()


def test_the_end_of_the_owner_stops_its_ingestion_and_the_next_takes_it_up(
    tmp_path: Path, file: Path
) -> None:
    home, embedder = tmp_path / "home", HeldEmbedder()
    client = connect_to(make_services(home).replaced(embedder=lambda: embedder), Principal())
    client.submit(Ingest(paths=(str(file),), collection="laws"))
    assert embedder.begun.wait(WAIT_S)
    close_while_held(client, embedder, lambda: not OwnerLock(home).acquire())
    assert statuses(client) == ["interrupted"]
    assert client.library.documents() == []
    client.close()
    with connect_to(make_services(home), Principal()) as after:
        after.settings.model_state()
        until(lambda: statuses(after) == ["done", "interrupted"])
        assert [info.document for info in after.library.documents("laws")] == ["a.txt"]


def test_a_work_that_its_processes_died_of_fails_and_what_waited_for_it_is_done(
    tmp_path: Path, file: Path
) -> None:
    services, works = make_services(tmp_path / "home"), [Ingest(paths=(str(file),), collection="c")]
    queue = services.catalog.queue
    deadly, waits = (
        queue.submit(Principal(), each.kind, each.model_dump(mode="json")) for each in 2 * works
    )
    for _ in range(MOST_DEATHS):
        assert queue.claim() and queue.claim()
        queue.begin(deadly)
        queue.requeue_running()
    with connect_to(services, Principal()) as client:
        client.work()
        done(client, waits)
        assert [client.job(each).status for each in (deadly, waits)] == ["failed", "done"]
        assert "more memory" in str(client.job(deadly).error)


def test_a_work_is_suspected_while_it_is_done_and_not_while_it_waits_or_after_an_orderly_end(
    tmp_path: Path, file: Path
) -> None:
    embedder = HeldEmbedder()
    services = make_services(tmp_path / "home").replaced(embedder=lambda: embedder)
    with connect_to(services, Principal()) as client:
        queue = client._catalog.queue
        first, waits = (client.submit(Ingest(paths=(str(file),), collection="c")) for _ in "ab")
        assert embedder.begun.wait(WAIT_S)
        until(lambda: queue.get(waits).status == "running")
        assert queue.get(first).error and not queue.get(waits).error
        assert client.job(first).error is None, "it has not failed"
        close_while_held(client, embedder)
    with Catalog.open(services.settings.catalog_url) as catalog:
        left = [catalog.queue.get(each) for each in (first, waits)]
        assert [each.status for each in left] == ["queued"] * 2
        assert left[0].error and left[0].error.fields["times"] == 0 and not left[1].error


def test_files_of_works_that_are_not_done_are_known_whoever_ordered_them(tmp_path: Path) -> None:
    with connect_to(make_services(tmp_path / "home"), Principal()) as client:
        queue, ben = client._catalog.queue, Principal(user="ben")
        for job in (
            Ingest(paths=("a", "b"), collection="c"),
            RestoreCollection(file="z", name="n"),
        ):
            number = queue.submit(ben, job.kind, job.model_dump(mode="json"))
        assert client.awaited_files() == {"a", "b", "z"}
        queue.finish(number, None, NotFound("gone"))
        assert client.awaited_files() == {"a", "b"}


def test_progress_that_comes_fast_is_written_together_and_nothing_is_lost(tmp_path: Path) -> None:
    now = [0.0]

    def seen() -> list[tuple[str, int]]:
        records = catalog.events.since(log_thread(7), 0)
        return [(r.event.document, r.event.done) for r in records]  # type: ignore[union-attr]

    with new_catalog(tmp_path / "catalog.sqlite3") as catalog:
        with ProgressLog(catalog.events, 7, stopping=lambda: False, clock=lambda: now[0]) as log:
            log.record(DocumentProgress(document="a", stage="embed", done=1))
            assert seen() == [("a", 1)]
            log.record(DocumentProgress(document="a", stage="embed", done=2))
            log.record(DocumentProgress(document="b", stage="unchanged"))
            log.record(DocumentProgress(document="a", stage="embed", done=3))
            assert seen() == [("a", 1)]
            now[0] += PAUSE_S
            log.record(DocumentProgress(document="c", stage="unchanged"))
            assert seen() == [("b", 0), ("a", 3), ("c", 0)]
            log.record(DocumentProgress(document="d", stage="failed", error="why"))
            log.record(TokenUpdate(part="answer", text="…"))
        assert seen()[-1] == ("d", 0)
