"""Small files are indexed together, and nobody can tell but by the clock."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from services.domain import IngestReport, ParsedDocument
from services.domain.errors import InvalidGeneration
from services.domain.events import DocumentProgress
from services.ingestion import job
from services.ingestion.job import MOST_CHUNKS, SMALL
from services.retrieval.embedders import Progress, Vectors
from tests.support.catalogs import new_catalog
from tests.support.fakes_retrieval import DictVectorIndex
from tests.support.ingestion import Bench, CountingEmbedder, HeadingParser, Killed


class CountingIndex(DictVectorIndex):
    """Remembers how many vectors each write brought, and refuses them while the disk is full."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[int] = []
        self.full = False

    def upsert(self, collection_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        self.writes.append(len(ids))
        super().upsert(collection_id, ids, vectors)


class OneByOne(CountingEmbedder):
    """Tells every passage that it has embedded."""

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        for done in range(1, len(texts) + 1):
            if on_progress is not None:
                on_progress(done)
        return super().embed_passages(texts)


@pytest.fixture(autouse=True)
def _slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, no group ends by the clock."""
    monkeypatch.setattr(job, "LONGEST_S", 600.0)


@pytest.fixture
def index() -> CountingIndex:
    return CountingIndex()


@pytest.fixture
def bench(tmp_path: Path, index: CountingIndex) -> Iterator[Bench]:
    with new_catalog(tmp_path / "home" / "catalog.sqlite3") as catalog:
        yield Bench(catalog, tmp_path / "home", vectors=index)


def write(folder: Path, files: int, sections: int = 1) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(files):
        text = "".join(f"§ {n} Titel\nSatz {n} der Datei {number}.\n" for n in range(sections))
        (folder / f"{number:03}.txt").write_text(text)


def statuses(report: IngestReport) -> list[str]:
    return [file.status for file in report.files]


def test_many_small_files_make_few_writes(
    bench: Bench, index: CountingIndex, tmp_path: Path
) -> None:
    files = 2 * MOST_CHUNKS + 1
    write(tmp_path / "in", files)
    report = bench.ingest(tmp_path / "in")
    assert statuses(report) == ["added"] * files and report.chunks == files
    assert [Path(file.path).name for file in report.files] == [f"{n:03}.txt" for n in range(files)]
    assert index.writes == [MOST_CHUNKS, MOST_CHUNKS, 1]
    told = dict.fromkeys(bench.stages("000.txt"))
    assert list(told) == ["parse", "chunk", "embed", "index", "done"]
    assert len(bench.catalog.documents.list(bench.scope())) == files


def test_the_progress_of_every_file_in_a_group_is_reported(bench: Bench, tmp_path: Path) -> None:
    write(tmp_path / "in", 3, sections=2)
    bench.embedder = OneByOne()
    bench.ingest(tmp_path / "in")
    told = [event for event in bench.events if isinstance(event, DocumentProgress)]
    embedded = [(each.document[:3], each.done) for each in told if each.stage == "embed"]
    assert embedded[:3] == [("000", 0), ("001", 0), ("002", 0)], "cut, and waiting for the group"
    assert {each.total for each in told if each.stage == "embed"} == {2}
    latest: dict[str, int] = {}
    for document, done in embedded[3:]:
        assert all(latest[before] == 2 for before in latest if before < document)
        assert done >= latest.get(document, 0)
        latest[document] = done
    assert latest == {"000": 2, "001": 2, "002": 2}


def test_a_long_file_does_not_wait(bench: Bench, index: CountingIndex, tmp_path: Path) -> None:
    write(tmp_path / "in", 2, sections=SMALL + 1)
    bench.ingest(tmp_path / "in")
    assert index.writes == [SMALL + 1] * 2


def test_waiting_documents_of_a_killed_ingestion_are_indexed_by_the_next(
    bench: Bench, index: CountingIndex, tmp_path: Path
) -> None:
    write(tmp_path / "in", 5)
    bench.embedder = CountingEmbedder(dies_after=0)
    with pytest.raises(Killed):
        bench.ingest(tmp_path / "in")
    assert bench.catalog.documents.list(bench.scope()) == []
    bench.embedder = CountingEmbedder()
    assert bench.statuses(tmp_path / "in") == ["added"] * 5
    assert sum(index.writes) == 5


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (
            ZeroDivisionError("division by zero"),
            "an error in Rabbithole (ZeroDivisionError: division by zero); please report it",
        ),
        (InvalidGeneration("the model embeds no such text"), "the model embeds no such text"),
    ],
)
def test_an_error_of_one_file_fails_only_that_file(
    bench: Bench, tmp_path: Path, error: Exception, why: str
) -> None:
    class Fragile(CountingEmbedder):
        def embed_passages(
            self, texts: Sequence[str], on_progress: Progress | None = None
        ) -> Vectors:
            if any("Datei 1" in text for text in texts):
                raise error
            return super().embed_passages(texts, on_progress)

    write(tmp_path / "in", 3)
    write(tmp_path / "long", 2, sections=SMALL + 1)
    bench.embedder = Fragile()
    report = bench.ingest(tmp_path / "in", tmp_path / "long")
    assert statuses(report) == ["added", "failed", "added", "added", "failed"]
    failed = {file.document: str(file.error) for file in report.files if file.error}
    assert failed == {"001.txt": why}


def test_a_newer_file_of_the_same_name_replaces_one_that_still_waits(
    bench: Bench, tmp_path: Path
) -> None:
    """The first is moved away while another is read, so the third takes its place."""
    write(tmp_path / "in", 1)
    old, middle = tmp_path / "in" / "000.txt", tmp_path / "middle.txt"
    new = tmp_path / "later" / "000.txt"
    new.parent.mkdir()
    new.write_text("§ 1 Titel\nNeuer Satz.\n")
    middle.write_text("§ 1 Titel\nEtwas anderes.\n")

    class Moving(HeadingParser):
        def __call__(self, path: Path, **options: Any) -> ParsedDocument:
            if path == middle:
                old.unlink()
            return super().__call__(path, **options)

    bench.parser = Moving()
    assert bench.statuses(old, middle, new) == ["added", "added", "updated"]
    names = sorted(each.document for each in bench.catalog.documents.list(bench.scope()))
    assert names == ["000.txt", "middle.txt"]
