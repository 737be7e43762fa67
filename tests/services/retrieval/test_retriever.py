"""The retriever over in-memory parts that pass the contracts of the real ones."""

import threading
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from services.domain import Hit, Passage, Scope, SearchMode, SearchOptions
from services.domain.errors import EmbeddingMismatch, InvalidInput
from services.retrieval.indexes import LexicalDocument
from services.retrieval.retriever import LABEL_EVIDENCE, Retriever
from tests.support.fakes_retrieval import DictVectorIndex, HashEmbedder, WordIndex

LAW = {
    "limit": ("§ 78", "the dose limit of exposed workers is 20 millisievert a year"),
    "minors": ("§ 78", "the dose limit of workers under 18 is 1 millisievert"),
    "radon": ("§ 124", "the reference value of radon in rooms is 300 becquerel"),
    "fine": ("§ 194", "whoever breaks the rules pays a fine"),
    "register": ("§ 170", "the register keeps data of exposed workers"),
}
SCOPE = Scope(user="local", collections=("law",))


def chunk(chunk_id: str, section: str, text: str, document: str = "law.pdf") -> Passage:
    return Passage(
        chunk_id=chunk_id, document_id=f"id of {document}", text_id="t", document=document,
        title="Law", page=1, section=section, heading_path=(section,), start=0, end=len(text),
        text=text,
    )  # fmt: skip


class World:
    """Everything a retriever stands on, filled by ``add``; a law unless it is to be ``empty``."""

    def __init__(self, named: Sequence[tuple[str, str]] = (), *, empty: bool = False) -> None:
        self.stored: dict[str, dict[str, Passage]] = {}
        self.fingerprints: dict[str, str] = {}
        self.embedder = HashEmbedder(dimension=4096)
        self.vectors, self.lexical = DictVectorIndex(), WordIndex()
        chunks = SimpleNamespace(get=self._get, of_section=self._of_section)
        collections = SimpleNamespace(fingerprint=self.fingerprints.get)
        catalog: Any = SimpleNamespace(chunks=chunks, collections=collections)
        self.retriever = Retriever(
            catalog,
            self.embedder,
            self.vectors,  # type: ignore[arg-type]
            self.lexical,  # type: ignore[arg-type]
            resolve_labels=lambda query, scope: named if "§" in query else (),
        )
        if not empty:
            self.add("law", (chunk(name, *location) for name, location in LAW.items()))

    def add(self, collection: str, chunks: Iterable[Passage]) -> None:
        added = list(chunks)
        self.stored.setdefault(collection, {}).update(
            {passage.chunk_id: passage for passage in added}
        )
        vectors = self.embedder.embed_passages([passage.text for passage in added])
        self.vectors.upsert(collection, [passage.chunk_id for passage in added], vectors)
        plain = {"language": "en", "title": "", "heading": ""}
        documents = [
            LexicalDocument(
                chunk_id=passage.chunk_id, text=passage.text, label=passage.section, **plain
            )
            for passage in added
        ]
        self.lexical.upsert(collection, documents)

    def search(
        self, query: str, *collections: str, k: int = 10, mode: SearchMode = "hybrid"
    ) -> list[Hit]:
        scope = Scope(user="local", collections=collections or ("law",))
        return self.retriever.search(query, scope=scope, k=k, mode=mode)

    def relevance(self, query: str, text: str) -> float:
        cosine = self.embedder.embed_query(query) @ self.embedder.embed_passages([text])[0]
        return self.embedder.calibration.relevance(float(cosine))

    def _visible(self, scope: Scope) -> dict[str, Passage]:
        visible = (self.stored.get(collection, {}) for collection in scope.collections)
        return {name: passage for passages in visible for name, passage in passages.items()}

    def _get(self, chunk_ids: Sequence[str], *, scope: Scope) -> dict[str, Passage]:
        visible = self._visible(scope)
        return {name: visible[name] for name in chunk_ids if name in visible}

    def _of_section(self, document_id: str, label: str, *, scope: Scope) -> list[Passage]:
        section = (document_id, label)
        return [p for p in self._visible(scope).values() if (p.document_id, p.section) == section]


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.chunk_id for hit in hits]


def test_every_mode_finds_the_passage_with_its_calibrated_relevance() -> None:
    world, query = World(), "dose limit of workers under 18"
    for mode in ("hybrid", "vector", "keyword"):
        hits = world.search(query, mode=mode)
        assert ids(hits)[:2] == ["minors", "limit"] and hits[0].text == LAW["minors"][1]
        assert hits[0].relevance == pytest.approx(world.relevance(query, hits[0].text), abs=1e-5)
        assert ids(world.search(query, k=2, mode=mode)) == ["minors", "limit"]
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_explain_names_the_strategies_that_found_a_hit() -> None:
    hits = {hit.chunk_id: hit for hit in World().search("becquerel")}
    assert hits["radon"].explain.keys() == {"vector", "keyword"}
    assert hits["radon"].explain["keyword"].rank == 1
    assert hits["fine"].explain.keys() == {"vector"}


def test_a_keyword_hit_beyond_the_vector_depth_has_its_true_relevance() -> None:
    world, filler = World(empty=True), [f"word{n}" for n in range(200)]
    near = [chunk(f"near{n:03}", "", " ".join(["radon", *filler[:n]])) for n in range(120)]
    rare = chunk("rare", "", " ".join(["zebra", *filler]))
    world.add("law", [*near, rare])
    (hit,) = (hit for hit in world.search("radon zebra") if hit.chunk_id == "rare")
    assert hit.explain.keys() == {"keyword"}
    assert hit.relevance == pytest.approx(world.relevance("radon zebra", rare.text), abs=1e-5)


def test_only_the_scope_is_searched_and_a_chunk_is_one_hit() -> None:
    world = World()
    world.add("other", [chunk("elsewhere", "§ 1", LAW["radon"][1], "other.pdf")])
    world.add("copy", [chunk("radon", *LAW["radon"])])
    assert "elsewhere" not in ids(world.search("radon in rooms", "law"))
    assert ids(world.search("radon in rooms", "other")) == ["elsewhere"]
    hits = world.search("radon in rooms", "law", "other", "copy")
    assert set(ids(hits)[:2]) == {"radon", "elsewhere"} and ids(hits).count("radon") == 1
    assert hits[0].relevance == hits[1].relevance
    nowhere = Scope(user="local", collections=())
    assert world.retriever.search("radon", scope=nowhere) == []


def test_chunks_that_are_gone_give_their_places_to_others() -> None:
    world = World()
    gone = [chunk(f"gone{n}", "§ 1", LAW["limit"][1]) for n in range(20)]
    world.add("law", gone)
    for passage in gone:
        del world.stored["law"][passage.chunk_id]
    hits = ids(world.search("dose limit of exposed workers", k=3))
    assert sorted(hits) == ["limit", "minors", "register"]


def test_a_named_section_comes_first_with_raised_relevance() -> None:
    world, query = World([("id of law.pdf", "§ 194")]), "dose limit of workers and § 194 of the law"
    (plain,) = (hit for hit in World().search(query) if hit.chunk_id == "fine")
    first = world.search(query)[0]
    assert first.chunk_id == "fine" and first.explain["label"].rank == 1
    assert first.relevance == pytest.approx(1 - (1 - plain.relevance) * (1 - LABEL_EVIDENCE))
    for other in (world.search("dose limit"), world.search(query, mode="vector")):
        assert "label" not in other[0].explain


def test_a_passage_with_all_words_of_the_query_is_never_too_far_away() -> None:
    world, scope = World(), Scope(user="local", collections=("law",))
    world.add("law", [chunk("far", "§ 9", "Zebras stand in the yard. " + LAW["limit"][1])])

    def search_ids(query: str, mode: SearchMode = "hybrid") -> list[str]:
        most = SearchOptions(min_relevance=1.0)
        return ids(world.retriever.search(query, scope=scope, mode=mode, options=most))

    assert search_ids("zebra yard") == ["far"]
    assert search_ids("zebra yard quagga") == search_ids("zebra yard", mode="vector") == []


def test_a_named_section_takes_half_of_the_places_at_most_and_none_outside_the_scope() -> None:
    world = World([("id of law.pdf", "Annex"), ("id of secret.pdf", "§ 1")])
    world.add("law", (chunk(f"annex{n}", "Annex", f"table row {n}") for n in range(30)))
    world.add("secret", [chunk("hidden", "§ 1", "hidden text", "secret.pdf")])
    hits = world.search("§ dose limit of exposed workers", k=6)
    assert [hit.section == "Annex" for hit in hits] == [True] * 3 + [False] * 3
    assert "hidden" not in ids(world.search("§ 1 of the secret law", k=100))


def test_relevances_of_given_chunks() -> None:
    relevances = World().retriever.relevances
    relevance = relevances("radon in rooms", ["fine", "radon", "gone"], scope=SCOPE)
    assert list(relevance) == ["fine", "radon", "gone"]
    assert relevance["radon"] > 0.5 > relevance["fine"] > relevance["gone"] == 0.0
    assert relevances("radon", [], scope=SCOPE) == {}


def test_a_query_is_embedded_once_and_the_last_ones_are_kept() -> None:
    world = World()
    for query in ("dose  limit", " dose limit ", "dose limit"):
        world.search(query)
    assert world.embedder.queries == ["dose limit"]
    for n in range(300):
        world.search(f"query {n}", k=1)
    world.search("query 299", k=1)
    assert len(world.embedder.queries) == 301
    world.search("query 0", k=1)
    assert len(world.embedder.queries) == 302


def test_vector_and_keyword_search_run_at_the_same_time() -> None:
    world, meeting = World(), threading.Barrier(2, timeout=60)

    def met(search: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: (meeting.wait(), search(*arguments))[1]

    world.vectors.search = met(world.vectors.search)  # type: ignore[method-assign]
    world.lexical.search = met(world.lexical.search)  # type: ignore[method-assign]
    assert ids(world.search("radon"))[0] == "radon"


def test_what_cannot_be_searched_is_refused() -> None:
    world = World()
    world.fingerprints["law"] = world.embedder.fingerprint
    assert world.search("radon")
    for query, k, message in (("", 1, "empty"), ("  \n ", 1, "empty"), ("radon", 0, "k is 0")):
        with pytest.raises(InvalidInput, match=message):
            world.search(query, k=k)
    world.fingerprints["law"] = "another/384/none/v1"
    with pytest.raises(EmbeddingMismatch, match="another/384"):
        world.search("radon")


@pytest.mark.parametrize("query", ['(a: "`', "§§ ( [", "\ud800", "radon " * 3000])
def test_any_other_text_is_a_query(query: str) -> None:
    assert len(World().search(query)) == len(LAW)
