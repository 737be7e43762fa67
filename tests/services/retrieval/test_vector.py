import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from services.domain.errors import AskPerson, Broken
from services.retrieval.embedders import Vectors
from services.retrieval.indexes import VectorIndex
from services.retrieval.postgres import PostgresVectors
from services.retrieval.vector import DATABASE, ChromaIndex, Seal
from tests.contracts.vector_index_contract import EAST, VectorIndexContract
from tests.support.fakes_retrieval import DictVectorIndex
from tests.support.postgres import needs_postgres, plans


class TestDictVectorIndex(VectorIndexContract):
    @pytest.fixture
    def index(self) -> VectorIndex:
        return DictVectorIndex()


class TestChroma(VectorIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> VectorIndex:
        return ChromaIndex(tmp_path / "vectors")


@needs_postgres
class TestPostgres(VectorIndexContract):
    @pytest.fixture
    def index(self, cleared: str) -> Iterator[VectorIndex]:
        with closing(PostgresVectors(cleared)) as index:
            yield index

    def test_a_search_goes_by_the_graph_of_long_vectors_too(self, cleared: str) -> None:
        index = PostgresVectors(f"{cleared}&options=-c%20enable_seqscan%3Doff")
        index.upsert("a", ["x", "y"], np.eye(2, 3000, dtype=np.float32))
        towards = np.eye(1, 3000, dtype=np.float32)[0]
        plan = plans(index._database.engine, lambda: index.search("a", towards, 1))
        assert "Order By: ((vector)::halfvec(3000) <=>" in plan
        index.close()


def test_vectors_outlive_the_process_and_opening_is_lazy(tmp_path: Path) -> None:
    first, second = ChromaIndex(tmp_path / "v"), ChromaIndex(tmp_path / "v")
    assert not (tmp_path / "v").exists()
    for index in (first, second, first):  # a closed one opens again
        if index is first:
            index.upsert("a", ["x"], EAST[None])
        assert index.search("a", EAST, 1) == [("x", pytest.approx(1.0, abs=1e-3))]
        index.close()


def test_more_vectors_than_chroma_takes_in_one_call(tmp_path: Path) -> None:
    index = ChromaIndex(tmp_path)
    ids = [f"id{n}" for n in range(5600)]
    vectors = np.random.default_rng(7).normal(size=(5600, 8)).astype(np.float32)
    index.upsert("a", ids, vectors)
    assert index.count("a") == 5600 and index.vectors("a", ids).keys() == set(ids)
    index.delete("a", ids)
    assert index.count("a") == 0


def test_a_dropped_collection_leaves_no_vectors_on_the_disk(tmp_path: Path) -> None:
    index = ChromaIndex(tmp_path)
    for name in ("a", "b"):
        index.upsert(name, ["x"], EAST[None])
    index.drop("a")
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 1
    assert index.ids("b") == ["x"]
    index.close()
    again = ChromaIndex(tmp_path)
    again.drop("b")
    again.drop("b")
    assert [path.name for path in tmp_path.iterdir()] == ["chroma.sqlite3"]
    again.close()


def test_a_graph_without_vectors_keeps_nothing_of_the_memory_it_was_written_from(
    tmp_path: Path,
) -> None:
    index = ChromaIndex(tmp_path)
    index.upsert("a", ["x"], EAST[None])
    (graph,) = tmp_path.rglob("data_level0.bin")
    graph.write_bytes(b"what the memory had")
    index.drop("b")
    assert not graph.read_bytes()
    many = np.random.default_rng(7).normal(size=(1200, EAST.size)).astype(np.float32)
    index.upsert("a", [f"id{n}" for n in range(1200)], many)
    index.close()
    again = ChromaIndex(tmp_path)
    assert again.search("a", EAST, 1)[0][0] == "x" and again.count("a") == 1201
    again.close()


@pytest.mark.parametrize("count", [20, 1200], ids=["in the log", "in a graph"])
def test_a_rewritten_collection_keeps_no_deleted_vector(tmp_path: Path, count: int) -> None:
    index = ChromaIndex(tmp_path)
    vectors = np.random.default_rng(7).normal(size=(count, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = [f"id{n}" for n in range(count)]
    index.upsert("a", ids, vectors)
    seen = index.vectors("a", ids)

    def stored(name: str) -> bool:
        vector = seen[name].tobytes()
        return any(vector in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())

    index.delete("a", ["id3"])
    assert stored("id3"), "until it is rewritten"
    index.upsert("a.copy", ["id3"], vectors[3:4])  # left by a call that was killed
    index.rewrite("a")
    assert not stored("id3") and stored("id4")
    index.close()
    index.verify("a")
    assert index.count("a") == count - 1 and index.count("a.copy") == 0
    assert index.search("a", vectors[4], 1)[0][0] == "id4"
    index.close()


class LateReader(ChromaIndex):
    """Searches at first in what was there before."""

    former: tuple[Any, ...] = ()

    def _collection(self, *arguments: Any, **options: Any) -> Any:
        former, self.former = self.former, ()
        return former[0] if former else super()._collection(*arguments, **options)


def test_a_search_that_meets_a_rewriting_or_a_deletion_goes_on(tmp_path: Path) -> None:
    index = LateReader(tmp_path)
    index.upsert("a", ["east"], EAST[None])
    former = index._collection("a")
    index.rewrite("a")
    index.former = (former,)
    assert index.search("a", EAST, 1) == [("east", pytest.approx(1.0, abs=1e-3))]
    former = index._collection("a")
    index.drop("a")
    index.former = (former,)
    assert index.search("a", EAST, 1) == []
    index.close()


def test_a_seal_from_before_a_killed_change_does_not_come_back(tmp_path: Path) -> None:
    seal, last = Seal(tmp_path, "last"), tmp_path / "last"
    with seal.lifted():
        last.write_text("sealed")
    with pytest.raises(KeyboardInterrupt), seal.lifted():
        last.write_text("changed before the kill")
        raise KeyboardInterrupt
    with seal.lifted():
        pass
    assert seal.broken() is None
    with seal.lifted():
        last.write_text("sealed again")
    last.write_text("damaged")
    assert seal.broken() == "last"


def test_a_kill_while_a_copy_takes_the_place_of_a_collection_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chromadb.api.models.Collection import Collection

    index = ChromaIndex(tmp_path)
    index.upsert("a", ["east"], EAST[None])
    with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
        killed.setattr(Collection, "modify", Mock(side_effect=KeyboardInterrupt))
        index.rewrite("a")
    index.close()
    again = ChromaIndex(tmp_path)
    assert again.ids("a") == ["east"] and again.ids("a.copy") == []
    again.rewrite("a")
    assert again.ids("a") == ["east"]
    again.drop("a")
    again.close()
    assert ChromaIndex(tmp_path).ids("a") == []


def recall(index: VectorIndex, vectors: Vectors, queries: Sequence[Vectors], k: int) -> float:
    """Share of the exact nearest ``k`` that the index finds among 100."""
    shares = []
    for query in queries:
        exact = {str(n) for n in np.argsort(-(vectors @ query))[:k]}
        shares.append(len(exact & {name for name, _ in index.search("a", query, 100)[:k]}) / k)
    return float(np.mean(shares))


def test_a_collection_of_an_older_version_is_searched_as_thoroughly(tmp_path: Path) -> None:
    """Recall of a graph that was made with Chroma's defaults, on clustered vectors."""
    rng = np.random.default_rng(7)
    centres = np.repeat(rng.normal(size=(300, 64)), 20, axis=0)
    vectors = (centres + 0.3 * rng.normal(size=centres.shape)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = [str(n) for n in range(len(vectors))]
    from chromadb import PersistentClient
    from chromadb.config import Settings

    client = PersistentClient(str(tmp_path / "old"), settings=Settings(anonymized_telemetry=False))
    made = client.create_collection(
        "rh-a", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    for start in range(0, len(ids), 5000):
        made.upsert(ids=ids[start : start + 5000], embeddings=vectors[start : start + 5000])
    client.close()
    index = ChromaIndex(tmp_path / "old")
    assert recall(index, vectors, rng.normal(size=(30, 64)).astype(np.float32), 50) >= 0.97
    index.close()


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Vectors]:
    """An index whose graph is in files, but for the last six hundred vectors; to be copied."""
    folder = tmp_path_factory.mktemp("grown")
    vectors = np.random.default_rng(7).normal(size=(1640, 8)).astype(np.float32)
    index = ChromaIndex(folder)
    for start in range(0, len(vectors), 40):
        names = [str(n) for n in range(start, start + 40)]
        index.upsert("a", names, vectors[start : start + 40])
    index.close()
    return folder, vectors


def test_many_readers_at_once_leave_a_graph_and_its_log_as_they_are(
    tmp_path: Path, grown: tuple[Path, Vectors]
) -> None:
    """Each that asks first would replay the log, and all together fill a thousand."""
    (source, vectors), folder = grown, tmp_path / "v"
    index = ChromaIndex(shutil.copytree(source, folder))
    before = graph(folder)
    with ThreadPoolExecutor(8) as pool:
        nearest = list(pool.map(lambda n: index.search("a", vectors[n], 1)[0][0], range(8)))
    index.close()
    assert nearest == [str(n) for n in range(8)]
    assert graph(folder) == before and "index_metadata.pickle" in before


@pytest.mark.parametrize("damage", ["emptied", "halved", "flipped", "gone"])
@pytest.mark.parametrize(
    "name", ["data_level0.bin", "header.bin", "index_metadata.pickle", "length.bin"]
)
def test_a_damaged_graph_is_named_and_set_aside(
    tmp_path: Path, grown: tuple[Path, Vectors], name: str, damage: str
) -> None:
    """Chroma would load it, and end the process."""
    source, vectors = grown
    shutil.copytree(source, tmp_path / "v")
    (file,) = tmp_path.rglob(name)
    data = file.read_bytes()
    middle = len(data) // 2
    flipped = data[:middle] + bytes([data[middle] ^ 8]) + data[middle + 1 :]
    file.write_bytes({"emptied": b"", "halved": data[:middle]}.get(damage, flipped))
    if damage == "gone":
        file.unlink()
    index = ChromaIndex(tmp_path / "v")
    for use in (index.ids, index.verify):
        with pytest.raises(Broken, match=r"damaged.*doctor --repair"):
            use("a")
    index.set_aside()
    index.upsert("a", ["x"], vectors[:1])
    assert index.search("a", vectors[0], 1)[0][0] == "x"
    index.close()


def test_a_damaged_database_is_named_whatever_asks_and_however_often(
    tmp_path: Path, grown: tuple[Path, Vectors]
) -> None:
    """Chroma would give its half-open database to whatever asks next."""
    index = ChromaIndex(shutil.copytree(grown[0], tmp_path / "v"))
    (tmp_path / "v" / DATABASE).write_text("damaged")
    for use in (index.ids, index.count, index.ids):
        with pytest.raises(Broken, match=r"damaged.*doctor --repair"):
            use("a")
    index.close()


def test_a_full_disk_is_read_over_a_copy_and_takes_nothing(
    tmp_path: Path, grown: tuple[Path, Vectors], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, vectors = grown
    index = ChromaIndex(shutil.copytree(source, tmp_path / "v"))
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    room = shutil.disk_usage(tmp_path)._replace(free=0)
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda _: room)
        assert index.search("a", vectors[5], 1)[0][0] == "5"
        for change in (partial(index.upsert, "a", ["x"], vectors[:1]), partial(index.drop, "a")):
            with pytest.raises(AskPerson, match="Free some space"):
                change()
        assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == before
    index.delete("a", ["5"])
    index.close()
    assert "5" not in index.ids("a")
    index.close()


def graph(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mtime_ns for file in folder.glob("*/*")}
