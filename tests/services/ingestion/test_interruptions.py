"""An ingestion that is killed anywhere is finished by ingesting again.

The process dies at the n-th boundary: before or after a transaction of the catalog, before or
after a write to an index, at an event. Every n is tried until one ingestion survives; by day, every
fourth.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import numpy as np
import pytest
from sqlalchemy.orm import Session

from services.catalog import Catalog
from services.catalog.database import Database
from services.domain import Chunking
from services.domain.events import Event
from services.retrieval.indexes import LexicalDocument
from tests.support.catalogs import new_catalog
from tests.support.fakes_retrieval import DictVectorIndex, WordIndex
from tests.support.ingestion import Bench, Killed

FIXED = Chunking(strategy="fixed", size=200, overlap=20)


@dataclass
class Fuse:
    """Kills at the ``left``-th boundary; None never does."""

    left: int | None = None
    turn: Lock = field(default_factory=Lock)  # both indexes are written at once

    def boundary(self) -> None:
        with self.turn:
            if self.left is not None:
                self.left -= 1
                if self.left < 0:
                    self.left = None
                    raise Killed


class DyingDatabase(Database):
    """Dies before a transaction is committed, or after."""

    def __init__(self, url: str, fuse: Fuse) -> None:
        super().__init__(url)
        self._fuse = fuse

    @contextmanager
    def write(self, *, journal: bool = False) -> Iterator[Session]:
        with super().write(journal=journal) as session:
            yield session
            self._fuse.boundary()
        self._fuse.boundary()


class DyingVectors(DictVectorIndex):
    def __init__(self, fuse: Fuse) -> None:
        super().__init__()
        self._fuse = fuse

    def upsert(self, collection: str, ids: Sequence[str], vectors: np.ndarray) -> None:
        half = len(ids) // 2
        super().upsert(collection, ids[:half], vectors[:half])
        self._fuse.boundary()
        super().upsert(collection, ids[half:], vectors[half:])
        self._fuse.boundary()

    def delete(self, collection: str, ids: Sequence[str]) -> None:
        super().delete(collection, ids)
        self._fuse.boundary()


class DyingWords(WordIndex):
    def __init__(self, fuse: Fuse) -> None:
        super().__init__()
        self._fuse = fuse

    def upsert(self, collection: str, documents: Sequence[LexicalDocument]) -> None:
        super().upsert(collection, documents)
        self._fuse.boundary()

    def delete(self, collection: str, ids: Sequence[str]) -> None:
        super().delete(collection, ids)
        self._fuse.boundary()


class DyingEvents(list[Event]):
    def __init__(self, fuse: Fuse) -> None:
        super().__init__()
        self._fuse = fuse

    def append(self, event: Event) -> None:
        super().append(event)
        self._fuse.boundary()


@dataclass
class Trial:
    """One ingestion of a file of its own into collections of its own."""

    bench: Bench
    file: Path
    n: int

    def names(self) -> tuple[str, str]:
        return f"law {self.n}", f"other {self.n}"

    def write(self, adjective: str) -> None:
        satz = f"{adjective} Satz {self.n}. " * 25
        self.file.write_text("".join(f"§ {n} Titel\n{satz}\n\n" for n in range(1, 3)))

    def ingest(self, chunking: Chunking | None = None, *, other: bool = False) -> str:
        name = self.names()[other]
        (outcome,) = self.bench.ingest(self.file, collection=name, chunking=chunking).files
        return outcome.status

    def is_killed(self) -> bool:
        try:
            self.ingest(FIXED)
        except Killed:
            return True
        return False


@pytest.fixture
def fuse() -> Fuse:
    return Fuse()


@pytest.fixture
def bench(tmp_path: Path, fuse: Fuse) -> Iterator[Bench]:
    new_catalog(tmp_path / "catalog.sqlite3").close()
    database = DyingDatabase(f"sqlite:///{tmp_path / 'catalog.sqlite3'}", fuse)
    with Catalog(database) as catalog:
        bench = Bench(catalog, tmp_path, vectors=DyingVectors(fuse), lexical=DyingWords(fuse))
        bench.events = DyingEvents(fuse)
        yield bench


def nothing_before(trial: Trial) -> None:
    """The file is new."""


def another_chunking_before(trial: Trial) -> None:
    trial.ingest()


def an_older_version_before(trial: Trial) -> None:
    trial.write("Alter")
    trial.ingest()
    trial.write("Neuer")


def an_older_parser_before(trial: Trial) -> None:
    trial.bench.parser.version = f"{trial.n}, old"
    trial.ingest(FIXED)
    trial.ingest(other=True)
    trial.bench.parser.version = f"{trial.n}, new"


SITUATIONS = [
    nothing_before,
    another_chunking_before,
    an_older_version_before,
    an_older_parser_before,
]


def trials(bench: Bench, fuse: Fuse, prepare: Callable[[Trial], None]) -> Iterator[Trial]:
    """Ingestions that were killed at the first, the second, … boundary, and one that was not."""
    killed, n = True, 0
    stride = 1 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 4
    while killed:
        trial = Trial(bench, bench.home / f"gesetz {n}.txt", n)
        trial.write("Neuer")
        prepare(trial)
        fuse.left = n
        killed = trial.is_killed()
        fuse.left = None
        yield trial
        n += stride
    assert n > 10


BY_DAY = nothing_before, another_chunking_before
"""Situations that are tried by day, too; the others take much longer."""


@pytest.mark.parametrize(
    "prepare", [s if s in BY_DAY else pytest.param(s, marks=pytest.mark.slow) for s in SITUATIONS]
)
def test_ingesting_again_finishes_wherever_it_was_killed(
    bench: Bench, fuse: Fuse, prepare: Callable[[Trial], None]
) -> None:
    for trial in trials(bench, fuse, prepare):
        is_whole(trial)
        trial.ingest(FIXED)
        is_finished(trial, FIXED)
        assert trial.ingest(FIXED) == "unchanged"


@pytest.mark.slow
@pytest.mark.parametrize("prepare", [nothing_before, another_chunking_before])
def test_ingesting_with_the_old_settings_after_a_kill_leaves_nothing_behind(
    bench: Bench, fuse: Fuse, prepare: Callable[[Trial], None]
) -> None:
    for trial in trials(bench, fuse, prepare):
        trial.ingest()
        is_finished(trial, Chunking())


def a_twin_cut_so_already(trial: Trial) -> None:
    """Another document of the same text has the chunks that the file is about to get."""
    trial.ingest()
    trial.bench.ingest(twin_of(trial), collection=trial.names()[0], chunking=FIXED)


def twin_of(trial: Trial) -> Path:
    twin = trial.file.with_name(f"twin {trial.n}.txt")
    twin.write_text(trial.file.read_text() + "\f")
    return twin


@pytest.mark.slow
def test_a_twin_keeps_its_chunks_wherever_the_other_was_killed(bench: Bench, fuse: Fuse) -> None:
    other = bench.home / "other.txt"
    other.write_text("§ 1 Titel\nEin Satz zu etwas anderem.\n")
    for trial in trials(bench, fuse, a_twin_cut_so_already):
        collection = bench.collection(trial.names()[0])
        bench.ingest(other, collection=trial.names()[0])  # clears leftovers
        held = set(bench.vectors.ids(collection)) & set(bench.lexical.ids(collection))
        assert set(bench.catalog.chunks.ids(collection)) <= held
        trial.ingest(FIXED)
        assert bench.agrees(trial.names()[0])


def is_whole(trial: Trial) -> None:
    """Whoever reads after the kill finds one version of the file or none, and it whole."""
    catalog, name = trial.bench.catalog, trial.names()[0]
    collection = trial.bench.collection(name)
    listed = catalog.documents.list(trial.bench.scope(name))
    ids = catalog.chunks.ids(collection)
    assert len(listed) <= 1
    assert sum(info.chunks for info in listed) == len(ids)
    indexed = set(trial.bench.vectors.ids(collection)) & set(trial.bench.lexical.ids(collection))
    assert set(ids) <= indexed


def is_finished(trial: Trial, chunking: Chunking) -> None:
    catalog, name = trial.bench.catalog, trial.names()[0]
    (document,) = catalog.documents.list(trial.bench.scope(name))
    assert catalog.documents.text(document.document_id) == trial.file.read_text()
    member = catalog.documents.member(trial.bench.collection(name), document.document_id)
    assert member is not None and member.chunking == chunking.key
    assert len(catalog.chunks.ids(trial.bench.collection(name))) == document.chunks > 1
    assert catalog.chunks.collections_with_leftovers() == []
    for each in trial.names():
        assert trial.bench.agrees(each)
        assert catalog.documents.unfinished(trial.bench.collection(each)) == []
