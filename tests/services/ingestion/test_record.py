"""What an ingestion tells and records of itself."""

from itertools import count
from pathlib import Path

import pytest

from services.domain import FileOutcome, Principal
from services.domain.errors import EmbeddingMismatch, Interrupted
from services.domain.events import DocumentProgress, Event, IngestProgress
from services.ingestion import job
from services.ingestion.files import FileCandidate
from services.ingestion.job import SMALL, JobRecord
from tests.support.documents import law, store
from tests.support.ingestion import Bench, CountingEmbedder, Killed

LAW = "§ 1 Zweck\nSchutz des Menschen.\n\n§ 2 Grenzwert\n20 Millisievert.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files: two laws and one that cannot be read."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(f"{LAW}{name}")
    (folder / "bad.txt").write_text("%broken")
    return folder


def jobs(bench: Bench) -> list[tuple[str, int, int, int, int]]:
    return [
        (job.status, job.files_total, job.files_done, job.files_failed, job.chunks)
        for job in bench.catalog.ingestions.list(Principal())
    ]


def test_an_ingestion_is_recorded_with_its_outcome(bench: Bench, folder: Path) -> None:
    bench.ingest(folder)
    assert jobs(bench) == [("done", 3, 2, 1, 4)]
    (job,) = bench.catalog.ingestions.list(Principal())
    assert job.collection == "law" and job.ended_at is not None and job.error is None
    assert job.seconds.keys() == {"parse", "embed", "index"} and job.seconds["embed"] > 0
    bench.ingest(folder)
    assert jobs(bench)[0] == ("done", 3, 2, 1, 0), "what was there already is not counted anew"


def test_it_failed_if_nothing_could_be_read_or_an_error_ended_it(
    bench: Bench, folder: Path
) -> None:
    bench.ingest(folder / "bad.txt")
    assert jobs(bench) == [("failed", 1, 0, 1, 0)]
    bench.ingest(folder / "a.txt")
    bench.embedder = CountingEmbedder(dimension=64)
    with pytest.raises(EmbeddingMismatch):
        bench.ingest(folder)
    assert jobs(bench)[0] == ("failed", 3, 0, 0, 0)
    assert "embedding model" in str(bench.catalog.ingestions.list(Principal())[0].error)


def test_a_killed_one_stays_running_until_the_next_start(bench: Bench, folder: Path) -> None:
    bench.embedder = CountingEmbedder(dies_after=0)
    with pytest.raises(Killed):
        bench.ingest(folder)
    assert jobs(bench)[0][0] == "running"
    (found,) = bench.catalog.ingestions.interrupt_running()
    assert (found.status, found.ended_at) == ("interrupted", None)


def test_a_stopped_ingestion_is_interrupted(bench: Bench, folder: Path) -> None:
    sections = (f"§ {n} Titel\nSatz {n}.\n" for n in range(SMALL + 1))
    (folder / "a.txt").write_text("".join(sections))  # too long to wait for the next

    class Stopping(list[Event]):
        def append(self, event: Event) -> None:
            super().append(event)
            if isinstance(event, DocumentProgress) and event.document == "b.txt":
                raise Interrupted("it ends")

    bench.events = Stopping()
    with pytest.raises(Interrupted):
        bench.ingest(folder)
    assert jobs(bench) == [("interrupted", 3, 1, 0, SMALL + 1)]


def outcome(document_id: str | None, chunks: int) -> FileOutcome:
    status = "failed" if document_id is None else "added"
    return FileOutcome(
        path="x", document="x", document_id=document_id, status=status, chunks=chunks
    )


def test_rate_and_remaining_time_go_by_bytes_and_chunks(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of 100 and one of 300 bytes; a second goes by at every look at the clock."""
    files = []
    for name, size in (("a", 100), ("b", 300)):
        (tmp_path / name).write_bytes(b"x" * size)
        files.append(FileCandidate(tmp_path / name))
    told: list[Event] = []
    clock = count(0.0, 1.0)
    collection = bench.catalog.collections.ensure(Principal(), "law")
    document = store(bench.catalog, collection.collection_id, law("Eins", "Zwei"))
    monkeypatch.setattr(job, "monotonic", lambda: next(clock))
    record = JobRecord(bench.catalog, "local", collection, files, told.append)
    with record:
        record.begin_file(files[0])
        record.on_event(DocumentProgress(document="a", stage="embed", done=5, total=10))
        record.end_file(files[0], outcome(document, 10))
    progress = [event for event in told if isinstance(event, IngestProgress)]
    half, whole, _ = progress
    assert (half.share, half.chunks, half.pages, half.documents_done) == (0.125, 5, 0, 0)
    assert half.eta_s == 2 * 7 and half.chunks_per_s == 2.5
    assert (whole.share, whole.chunks, whole.pages, whole.documents_done) == (0.25, 10, 2, 1)
    assert whole.eta_s == 4 * 3
