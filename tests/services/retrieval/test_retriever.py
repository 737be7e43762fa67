"""The retriever over in-memory parts that pass the contracts of the real ones."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from services.domain import Hit, Passage, Scope, SearchMode
from services.domain.errors import EmbeddingMismatch, InvalidInput
from services.retrieval.embedders import Vectors
from services.retrieval.lexical import LexicalDocument
from services.retrieval.retriever import LABEL_EVIDENCE, ResolveLabels, Retriever
from tests.support.fakes_retrieval import DictVectorIndex, HashEmbedder, WordIndex

LAW: Mapping[str, tuple[str, str]] = {
    "limit": ("§ 78", "the dose limit of exposed workers is 20 millisievert a year"),
    "minors": ("§ 78", "the dose limit of workers under 18 is 1 millisievert"),
    "radon": ("§ 124", "the reference value of radon in rooms is 300 becquerel"),
    "fine": ("§ 194", "whoever breaks the rules pays a fine"),
    "register": ("§ 170", "the register keeps data of exposed workers"),
}


def chunk(chunk_id: str, section: str, text: str, document: str = "law.pdf") -> Passage:
    return Passage(
        chunk_id=chunk_id,
        document_id=f"id of {document}",
        text_id="t",
        document=document,
        title="Law",
        page=1,
        section=section,
        heading_path=(section,),
        start=0,
        end=len(text),
        text=text,
    )


@dataclass
class MemoryChunks:
    stored: dict[str, dict[str, Passage]] = field(default_factory=dict)
    asked: int = 0

    def get(self, chunk_ids: Sequence[str], *, scope: Scope) -> dict[str, Passage]:
        self.asked += len(chunk_ids)
        visible = self._visible(scope)
        return {i: visible[i] for i in chunk_ids if i in visible}

    def of_section(self, document_id: str, label: str, *, scope: Scope) -> list[Passage]:
        return [
            each
            for each in self._visible(scope).values()
            if each.document_id == document_id and each.section == label
        ]

    def _visible(self, scope: Scope) -> dict[str, Passage]:
        found: dict[str, Passage] = {}
        for collection in scope.collections:
            found |= self.stored.get(collection, {})
        return found


@dataclass
class MemoryCollections:
    fingerprints: dict[str, str] = field(default_factory=dict)

    def fingerprint(self, collection_id: str) -> str | None:
        return self.fingerprints.get(collection_id)


@dataclass
class MemoryCatalog:
    chunks: MemoryChunks = field(default_factory=MemoryChunks)
    collections: MemoryCollections = field(default_factory=MemoryCollections)


class World:
    """Everything a retriever stands on, filled by ``add``."""

    def __init__(self, resolve_labels: ResolveLabels | None = None) -> None:
        self.catalog = MemoryCatalog()
        self.embedder = HashEmbedder(dimension=4096)
        self.vectors = DictVectorIndex()
        self.lexical = WordIndex()
        self.retriever = Retriever(
            self.catalog, self.embedder, self.vectors, self.lexical, resolve_labels=resolve_labels
        )

    def add(self, collection: str, *chunks: Passage) -> None:
        self.catalog.chunks.stored.setdefault(collection, {}).update(
            {each.chunk_id: each for each in chunks}
        )
        vectors = self.embedder.embed_passages([each.text for each in chunks])
        self.vectors.upsert(collection, [each.chunk_id for each in chunks], vectors)
        self.lexical.upsert(
            collection,
            [
                LexicalDocument(
                    chunk_id=each.chunk_id, language="en", title="", heading="",
                    text=each.text, label=each.section,
                )
                for each in chunks
            ],
        )  # fmt: skip

    def search(
        self, query: str, *collections: str, k: int = 10, mode: SearchMode = "hybrid"
    ) -> list[Hit]:
        scope = Scope(user="local", collections=collections or ("law",))
        return self.retriever.search(query, scope=scope, k=k, mode=mode)


def law(resolve_labels: ResolveLabels | None = None) -> World:
    world = World(resolve_labels)
    world.add("law", *(chunk(i, section, text) for i, (section, text) in LAW.items()))
    return world


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.chunk_id for hit in hits]


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_every_mode_finds_the_passage(mode: SearchMode) -> None:
    hits = law().search("dose limit of workers under 18", mode=mode)
    assert ids(hits)[:2] == ["minors", "limit"]
    assert hits[0].text == LAW["minors"][1]


def test_hits_are_ordered_by_score_and_limited_by_k() -> None:
    hits = law().search("dose limit of exposed workers", k=3)
    assert len(hits) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_explain_names_the_strategies_that_found_a_hit() -> None:
    hits = {hit.chunk_id: hit for hit in law().search("becquerel")}
    assert hits["radon"].explain.keys() == {"vector", "keyword"}
    assert hits["radon"].explain["keyword"].rank == 1
    assert hits["fine"].explain.keys() == {"vector"}
    assert law().search("becquerel", mode="keyword")[0].explain.keys() == {"keyword"}


def test_relevance_is_the_calibrated_cosine_in_every_mode() -> None:
    world = law()
    query = "reference value of radon"
    cosine = world.embedder.embed_query(query) @ world.embedder.embed_passages([LAW["radon"][1]])[0]
    expected = world.embedder.calibration.relevance(float(cosine))
    for mode in ("hybrid", "vector", "keyword"):
        top = world.search(query, mode=mode)[0]
        assert (top.chunk_id, top.relevance) == ("radon", pytest.approx(expected, abs=1e-5))


def test_a_keyword_hit_beyond_the_vector_depth_has_its_true_relevance() -> None:
    world = World()
    filler = [f"word{n}" for n in range(200)]
    near = [chunk(f"near{n:03}", "", " ".join(["radon", *filler[:n]])) for n in range(120)]
    rare = chunk("rare", "", " ".join(["zebra", *filler]))
    world.add("law", *near, rare)
    hit = next(hit for hit in world.search("radon zebra") if hit.chunk_id == "rare")
    assert hit.explain.keys() == {"keyword"}
    query, passage = (
        world.embedder.embed_query("radon zebra"),
        world.vectors.vectors("law", ["rare"]),
    )
    expected = world.embedder.calibration.relevance(float(query @ passage["rare"]))
    assert hit.relevance == pytest.approx(expected, abs=1e-5)


def test_chunks_outside_the_scope_vanish_and_others_fill_their_places() -> None:
    world = law()
    foreign = [chunk(f"foreign{n}", "§ 1", LAW["limit"][1]) for n in range(20)]
    world.add("law", *foreign)
    for each in foreign:
        del world.catalog.chunks.stored["law"][each.chunk_id]
    assert sorted(ids(world.search("dose limit of exposed workers", k=3))) == [
        "limit", "minors", "register",
    ]  # fmt: skip


def test_only_the_scope_is_searched() -> None:
    world = law()
    world.add("other", chunk("elsewhere", "§ 1", LAW["radon"][1], "other.pdf"))
    assert "elsewhere" not in ids(world.search("radon in rooms", "law"))
    assert ids(world.search("radon in rooms", "other")) == ["elsewhere"]
    both = world.search("radon in rooms", "law", "other")
    assert set(ids(both)[:2]) == {"radon", "elsewhere"}
    assert both[0].relevance == both[1].relevance
    empty = Scope(user="local", collections=())
    assert world.retriever.search("radon", scope=empty) == []


def test_a_chunk_in_two_collections_is_one_hit() -> None:
    world = law()
    world.add("copy", chunk("radon", *LAW["radon"]))
    assert ids(world.search("radon in rooms", "law", "copy")).count("radon") == 1


def test_a_named_section_comes_first_with_raised_relevance() -> None:
    def resolve(query: str, scope: Scope) -> list[tuple[str, str]]:
        return [("id of law.pdf", "§ 194")] if "194" in query else []

    world = law(resolve)
    query = "dose limit of workers and § 194 of the law"
    hits = world.search(query)
    assert hits[0].chunk_id == "fine"
    assert hits[0].explain["label"].rank == 1
    plain = next(hit for hit in law().search(query) if hit.chunk_id == "fine")
    assert hits[0].relevance == pytest.approx(1 - (1 - plain.relevance) * (1 - LABEL_EVIDENCE))
    assert "label" not in world.search("dose limit")[0].explain
    assert "label" not in world.search(query, mode="vector")[0].explain


def test_a_long_named_section_takes_at_most_half_of_the_places() -> None:
    def resolve(query: str, scope: Scope) -> list[tuple[str, str]]:
        return [("id of law.pdf", "Annex")]

    world = law(resolve)
    world.add("law", *(chunk(f"annex{n}", "Annex", f"table row {n}") for n in range(30)))
    hits = world.search("dose limit of exposed workers", k=6)
    assert [hit.section == "Annex" for hit in hits] == [True] * 3 + [False] * 3


def test_a_label_outside_the_scope_finds_nothing() -> None:
    def resolve(query: str, scope: Scope) -> list[tuple[str, str]]:
        return [("id of secret.pdf", "§ 1")]

    world = law(resolve)
    world.add("secret", chunk("hidden", "§ 1", "hidden text", "secret.pdf"))
    assert "hidden" not in ids(world.search("§ 1 of the secret law"))


def test_relevances_of_given_chunks() -> None:
    world = law()
    scope = Scope(user="local", collections=("law",))
    found = world.retriever.relevances("radon in rooms", ["fine", "radon", "gone"], scope=scope)
    assert list(found) == ["fine", "radon", "gone"]
    assert found["radon"] > 0.5 > found["fine"] > found["gone"] == 0.0
    assert world.retriever.relevances("radon", [], scope=scope) == {}


def test_a_query_is_embedded_once() -> None:
    world = law()
    for _ in range(3):
        world.search("dose  limit")
        world.search(" dose limit ", mode="keyword")
    assert world.embedder.queries == ["dose limit"]


def test_the_cache_of_queries_is_bounded() -> None:
    world = law()
    for n in range(300):
        world.search(f"query {n}", k=1)
    world.search("query 299", k=1)
    assert len(world.embedder.queries) == 300
    world.search("query 0", k=1)
    assert len(world.embedder.queries) == 301


def test_vector_and_keyword_search_run_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=10)

    class SlowVectors(DictVectorIndex):
        def search(self, collection_id: str, vector: Vectors, k: int) -> list[tuple[str, float]]:
            meeting.wait()
            return super().search(collection_id, vector, k)

    class Words(WordIndex):
        def search(
            self, collection_id: str, query: str, k: int, only: Sequence[str] | None = None
        ) -> list[tuple[str, float]]:
            meeting.wait()
            return super().search(collection_id, query, k, only)

    retriever = Retriever(MemoryCatalog(), HashEmbedder(), SlowVectors(), Words())
    assert retriever.search("x", scope=Scope(user="local", collections=("law",))) == []


def test_a_collection_of_another_model_is_refused() -> None:
    world = law()
    world.catalog.collections.fingerprints["law"] = world.embedder.fingerprint
    assert world.search("radon")
    world.catalog.collections.fingerprints["law"] = "another/384/none/v1"
    with pytest.raises(EmbeddingMismatch, match="another/384"):
        world.search("radon")


@pytest.mark.parametrize("query", ["", "  \n "])
def test_a_blank_query_is_refused(query: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        law().search(query)


def test_k_below_one_is_refused() -> None:
    with pytest.raises(InvalidInput, match="k is 0"):
        law().search("radon", k=0)


@pytest.mark.parametrize("query", ['(a: "`', "§§ ( [", "\ud800", "radon " * 3000])
def test_any_other_text_is_a_query(query: str) -> None:
    assert len(law().search(query)) == len(LAW)


def test_each_strategy_tells_what_it_finds_by_itself() -> None:
    world, scope = law(), Scope(user="local", collections=("law",))
    found = world.retriever.rankings("radon reference value", scope=scope)
    assert set(found) == {"vector", "keyword", "label"}
    assert found["vector"][0][0] == "radon" == found["keyword"][0][0]
    assert found["vector"] == sorted(found["vector"], key=lambda each: (-each[1], each[0]))
    assert world.catalog.chunks.asked == 0
    with pytest.raises(InvalidInput, match="empty"):
        world.retriever.rankings("  ", scope=scope)
