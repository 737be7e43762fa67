"""What every vector index must do. Subclass and provide the fixture ``index``."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from services.domain.errors import EmbeddingMismatch
from services.retrieval.embedders import Vectors
from services.retrieval.indexes import VectorIndex


def unit(*numbers: float) -> Vectors:
    vector = np.array(numbers, dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))


EAST, NORTH, NORTH_EAST = unit(1, 0, 0), unit(0, 1, 0), unit(1, 1, 0)


class VectorIndexContract:
    @pytest.fixture
    def index(self) -> VectorIndex:
        raise NotImplementedError

    def test_search_ranks_by_cosine_similarity(self, index: VectorIndex) -> None:
        index.upsert("a", ["east", "north", "ne"], np.stack([EAST, NORTH, NORTH_EAST]))
        ranking = index.search("a", EAST, 3)
        assert [identifier for identifier, _ in ranking] == ["east", "ne", "north"]
        assert [score for _, score in ranking] == pytest.approx([1.0, 0.5**0.5, 0.0], abs=1e-3)

    def test_the_length_of_a_vector_does_not_matter(self, index: VectorIndex) -> None:
        index.upsert("a", ["far", "ne"], np.stack([EAST * 9, NORTH_EAST]))
        assert index.search("a", EAST, 1) == [("far", pytest.approx(1.0, abs=1e-3))]

    def test_k_limits_and_may_exceed_the_count(self, index: VectorIndex) -> None:
        index.upsert("a", ["east", "north"], np.stack([EAST, NORTH]))
        assert len(index.search("a", EAST, 1)) == 1
        assert len(index.search("a", EAST, 50)) == 2
        assert index.search("a", EAST, 0) == []

    def test_upsert_replaces(self, index: VectorIndex) -> None:
        index.upsert("a", ["x"], EAST[None])
        index.upsert("a", ["x"], NORTH[None])
        assert index.count("a") == 1
        assert index.search("a", NORTH, 1)[0][1] == pytest.approx(1.0, abs=1e-3)

    def test_an_id_twice_in_one_call_counts_once_by_its_last_vector(
        self, index: VectorIndex
    ) -> None:
        index.upsert("a", ["x", "x"], np.stack([EAST, NORTH]))
        assert index.count("a") == 1
        assert index.search("a", NORTH, 1)[0][1] == pytest.approx(1.0, abs=1e-3)

    def test_what_is_rewritten_finds_the_same(self, index: VectorIndex) -> None:
        for name in ("a", "b"):
            index.upsert(name, ["east", "north", "ne"], np.stack([EAST, NORTH, NORTH_EAST]))
        index.delete("a", ["ne"])
        for name in ("a", "nowhere", "a"):
            index.rewrite(name)
        assert index.search("a", NORTH, 1) == [("north", pytest.approx(1.0, abs=1e-3))]
        assert [sorted(index.ids(name)) for name in ("a", "b")] == [
            ["east", "north"],
            ["east", "ne", "north"],
        ]
        index.upsert("a", ["ne"], NORTH_EAST[None])
        assert index.count("a") == 3
        index.delete("a", ["east", "north", "ne"])
        index.rewrite("a")
        assert index.search("a", EAST, 1) == []

    def test_vectors_come_back(self, index: VectorIndex) -> None:
        index.upsert("a", ["east", "north"], np.stack([EAST, NORTH]))
        stored = index.vectors("a", ["north", "unknown"])
        assert stored.keys() == {"north"}
        assert stored["north"] == pytest.approx(NORTH)
        assert index.vectors("a", []) == {}

    def test_collections_do_not_see_each_other(self, index: VectorIndex) -> None:
        index.upsert("a", ["x"], EAST[None])
        index.upsert("b", ["y"], EAST[None])
        assert [i for i, _ in index.search("a", EAST, 9)] == ["x"]
        assert index.ids("b") == ["y"]
        index.drop("a")
        assert index.count("a") == 0
        assert index.count("b") == 1

    def test_delete_forgets_and_ignores_unknown_ids(self, index: VectorIndex) -> None:
        index.upsert("a", ["east", "north"], np.stack([EAST, NORTH]))
        index.delete("a", ["east", "unknown"])
        assert index.ids("a") == ["north"]
        assert [i for i, _ in index.search("a", EAST, 9)] == ["north"]
        index.delete("a", [])
        assert index.count("a") == 1

    def test_a_missing_collection_is_empty(self, index: VectorIndex) -> None:
        assert index.search("none", EAST, 5) == []
        assert index.vectors("none", ["x"]) == {}
        assert index.ids("none") == []
        assert index.count("none") == 0
        index.delete("none", ["x"])
        index.drop("none")

    def test_a_dropped_collection_can_be_filled_again(self, index: VectorIndex) -> None:
        index.upsert("a", ["x"], EAST[None])
        index.drop("a")
        assert index.search("a", EAST, 5) == []
        index.upsert("a", ["y"], unit(1, 2, 3, 4)[None])
        assert index.ids("a") == ["y"]

    def test_another_dimension_is_a_mismatch(self, index: VectorIndex) -> None:
        index.upsert("a", ["x"], EAST[None])
        with pytest.raises(EmbeddingMismatch):
            index.upsert("a", ["y"], unit(1, 2)[None])
        with pytest.raises(EmbeddingMismatch):
            index.search("a", unit(1, 2), 1)

    def test_ids_and_vectors_must_pair(self, index: VectorIndex) -> None:
        with pytest.raises(ValueError):
            index.upsert("a", ["x", "y"], EAST[None])

    def test_threads_may_write_and_search_at_once(self, index: VectorIndex) -> None:
        def write(writer: int) -> None:
            for n in range(5):
                index.upsert("a", [f"{writer}-{n}"], unit(1, writer, n)[None])
                index.search("a", EAST, 3)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(4)))
        assert index.count("a") == 20
