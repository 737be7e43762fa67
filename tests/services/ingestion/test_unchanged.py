"""Ingesting again what is there: nothing is read but the files, and nothing is missed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from services.catalog import Catalog
from services.catalog.database import Database
from services.domain import Chunking
from tests.support.catalogs import new_catalog
from tests.support.ingestion import Bench


class CountingDatabase(Database):
    """Counts sessions."""

    sessions = 0

    @contextmanager
    def read(self, *, once: bool = False) -> Iterator[Session]:
        self.sessions += 1
        with super().read(once=once) as session:
            yield session

    @contextmanager
    def write(self, *, journal: bool = False) -> Iterator[Session]:
        self.sessions += 1
        with super().write(journal=journal) as session:
            yield session


@pytest.fixture
def database(tmp_path: Path) -> CountingDatabase:
    new_catalog(tmp_path / "catalog.sqlite3").close()
    return CountingDatabase(f"sqlite:///{tmp_path / 'catalog.sqlite3'}")


@pytest.fixture
def bench(database: CountingDatabase, tmp_path: Path) -> Iterator[Bench]:
    with Catalog(database) as catalog:
        yield Bench(catalog, tmp_path)


def write(folder: Path, count: int) -> Path:
    folder.mkdir(exist_ok=True)
    for n in range(count):
        (folder / f"{n}.txt").write_text(f"§ 1 Titel\nDer Satz {n} steht hier.\n")
    return folder


def test_unchanged_files_cost_no_query(
    bench: Bench, database: CountingDatabase, tmp_path: Path
) -> None:
    used = []
    for count in (2, 12):
        folder = write(tmp_path / "folder", count)
        bench.ingest(folder)
        database.sessions = 0
        report = bench.ingest(folder)
        used.append(database.sessions)
        assert [(file.status, file.chunks) for file in report.files] == [("unchanged", 1)] * count
    assert used[0] == used[1]


def test_a_change_among_unchanged_files_is_seen(bench: Bench, tmp_path: Path) -> None:
    folder = write(tmp_path / "folder", 3)
    bench.ingest(folder)
    (folder / "1.txt").write_text("§ 1 Titel\nEin anderer Satz.\n")
    assert bench.statuses(folder) == ["unchanged", "updated", "unchanged"]
    bench.parser.version = "newer"
    assert bench.statuses(folder) == ["updated"] * 3
    assert bench.statuses(folder, chunking=Chunking(size=400)) == ["updated"] * 3


def test_a_name_borne_twice_is_looked_at_closely(bench: Bench, tmp_path: Path) -> None:
    """The old version is still a member, since another file of its name lay elsewhere."""
    first, second = write(tmp_path / "first", 1), tmp_path / "second"
    second.mkdir()
    (second / "0.txt").write_text("§ 1 Titel\nDer andere Satz.\n")
    assert bench.statuses(first, second) == ["added", "added"]
    assert bench.statuses(first, second) == ["unchanged", "unchanged"]
    moved = (second / "0.txt").replace(first / "0.txt")
    assert bench.statuses(moved) == ["updated"]
    assert len(bench.names("law")) == 1


def test_an_unchanged_file_replaces_no_missing_one(bench: Bench, tmp_path: Path) -> None:
    first, second = write(tmp_path / "first", 1), tmp_path / "second"
    second.mkdir()
    (second / "0.txt").write_text("§ 1 Titel\nDer andere Satz.\n")
    bench.ingest(first, second)
    (second / "0.txt").unlink()
    report = bench.ingest(first, second)
    assert [file.status for file in report.files] == ["unchanged", "failed"]
    assert [file.document for file in report.removed_from_disk] == ["0.txt"]
    assert bench.names("law") == ["0.txt", "0.txt"] and bench.agrees()
