"""A search through the library: options, filters, cache and configuration over a real catalog."""

import asyncio
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from services.build import Services
from services.domain import (
    Hit,
    MetadataChanges,
    Principal,
    SearchFilter,
    SearchOptions,
    SearchRequest,
    SearchResult,
)
from services.library.archive.export import UNFINISHED
from services.models.base import estimate_tokens
from services.retrieval import retriever
from services.retrieval.retriever import Retriever
from tests.support.desk import make_services
from tests.support.library_parts import search

ANNA, BEN, LOCAL = Principal(user="anna"), Principal(user="ben"), Principal()
PLAIN = SearchOptions()
PARAGRAPH = "Der Grenzwert der Dosis beträgt {} Millisievert, sagt die Behörde im Jahr {}.\n\n"


def text(*numbers: int) -> str:
    return "".join(f"## § {n} Dosis\n\n{PARAGRAPH.format(n, n)}" for n in numbers)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    services = make_services(tmp_path / "home")
    for name, numbers in {"long.md": range(1, 9), "short.md": range(20, 22)}.items():
        (tmp_path / name).write_text(f"# {name} Grenzwerte\n\n{text(*numbers)}")
        services.library.ingest(ANNA, [tmp_path / name], "laws", language="de")
    yield services
    services.close()


def find(services: Services, query: str = "Grenzwert der Dosis", **fields: Any) -> SearchResult:
    request = SearchRequest.model_validate({"query": query, **fields})
    return asyncio.run(services.library.find(ANNA, request))


def retrieve(services: Services, options: SearchOptions = PLAIN, **more: Any) -> list[Hit]:
    scope = services.library.scope(ANNA, None)
    query = more.pop("query", "Grenzwert der Dosis")
    return services.retriever.search(query, scope=scope, options=options, **more)


def retriever_of(services: Services) -> Retriever:
    return Retriever(services.catalog, services.embedder, services.vectors, services.lexical)


def names(hits: Any) -> list[str]:
    return [hit.document for hit in hits]


def test_a_filter_leaves_exactly_what_it_allows(services: Services) -> None:
    changes = MetadataChanges(date="2000-01-01", tags=("kurz",), author="Behörde")
    services.library.edit_document(ANNA, "laws", "short.md", changes)
    everything = retrieve(services, k=100)
    for fields, documents, sections in (
        ({"documents": ("short.md",)}, {"short.md"}, None),
        ({"sections": ("§ 3", "§ 20")}, None, {"§ 3", "§ 20"}),
        ({"documents": ("long.md",), "sections": ("§ 20",)}, {"long.md"}, {"§ 20"}),
        ({"tags": ("Kurz", "x")}, {"short.md"}, None),
        ({"tags": ("kurz",), "sections": ("§ 21",)}, {"short.md"}, {"§ 21"}),
        ({"authors": ("behörde",), "categories": ("x",)}, set(), None),
        ({"until": date(2000, 1, 1)}, {"short.md"}, None),
        ({"since": date(2000, 1, 2)}, set(), None),
    ):
        only = SearchFilter.model_validate(fields)
        allowed = {
            hit.chunk_id
            for hit in everything
            if (documents is None or hit.document in documents)
            and (sections is None or hit.section in sections)
        }
        found = retrieve(services, k=100, only=only)
        assert {hit.chunk_id for hit in found} == allowed
        relevance = {hit.chunk_id: hit.relevance for hit in everything}
        assert all(hit.relevance == pytest.approx(relevance[hit.chunk_id]) for hit in found)


def test_a_broad_filter_sifts_and_finds_however_much_else_fits_better(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope, query = services.library.scope(ANNA, None), "Grenzwert der Dosis"
    for name in ("long.md", "short.md"):
        only = SearchFilter(documents=(name,))
        exact = retrieve(services, k=100, only=only)
        with monkeypatch.context() as broad:
            broad.setattr(retriever, "EXACT_CHUNKS", 1)
            sifted = retriever_of(services).search(query, scope=scope, k=100, only=only)
        assert {hit.chunk_id: hit.score for hit in sifted} == {
            hit.chunk_id: pytest.approx(hit.score) for hit in exact
        }
    place, ids = scope.collections[0], [f"other {n}" for n in range(1100)]
    services.vectors.upsert(place, ids, np.stack([services.embedder.embed_query(query)] * 1100))
    monkeypatch.setattr(retriever, "EXACT_CHUNKS", 1)
    crowded = retriever_of(services)
    assert set(names(crowded.search(query, scope=scope, mode="vector", only=only))) == {"short.md"}


def test_the_same_search_again_comes_from_the_cache_and_another_is_done(services: Services) -> None:
    first, again = find(services, "Grenzwert der Dosis"), find(services, " grenzwert  der DOSIS? ")
    assert (first.from_cache, again.from_cache) == (False, True)
    assert again.hits == first.hits
    assert (again.cache.hits, again.cache.misses, again.cache.size) == (1, 1, 1)
    request = SearchRequest(query="Grenzwert der Dosis", context=True)
    others = asyncio.run(services.library.find(BEN, request))
    assert (others.hits, others.from_cache, others.context) == ((), False, "")
    assert search(services.library, ANNA, "Grenzwert der Dosis") == list(first.hits)
    only = {"documents": ["short.md"]}
    for fields in ({"only": only}, {"cached": False}):
        assert not any(find(services, **fields).from_cache for _ in range(2))
    assert names(find(services, only=only).hits) == ["short.md"] * 2
    for fields in ({"k": 2}, {"mode": "vector"}, {"query": "Grenzwert"}, {"collections": ["laws"]}):
        assert find(services, **fields).from_cache == ("collections" in fields)


def test_what_is_shown_as_the_least_relevance_is_what_acts(services: Services) -> None:
    query = "Bananenkuchen mit Schokolade"
    bounded = find(services, query, k=50)
    assert bounded.min_relevance == 0.05 and all(hit.relevance >= 0.05 for hit in bounded.hits)
    services.configuration.set(LOCAL, "minRelevanceScore", 1)
    nothing = find(services, query)
    assert (nothing.hits, nothing.min_relevance, len(nothing.below)) == ((), 1.0, 3)
    assert not find(services, query).from_cache
    services.configuration.set(LOCAL, "minRelevanceScore", 0)
    everything = find(services, query, k=50)
    assert everything.hits[:3] == nothing.below and not everything.below
    assert len(everything.hits) > len(bounded.hits)


def test_what_changes_in_a_collection_counts_at_once(services: Services, tmp_path: Path) -> None:
    before = find(services, "Neutronen")
    (tmp_path / "new.md").write_text("# Neu\n\n## § 1 Neutronen\n\nNeutronen sind neutral.")
    services.library.ingest(ANNA, [tmp_path / "new.md"], "laws", language="de")
    after = find(services, "Neutronen")
    assert not after.from_cache and "new.md" in names(after.hits)
    assert "new.md" not in names(before.hits)
    place = services.library.scope(ANNA, ["laws"]).collections[0]
    document = next(hit.document_id for hit in after.hits if hit.document == "new.md")
    services.catalog.documents.remove(place, document)
    gone = find(services, "Neutronen")
    assert not gone.from_cache and "new.md" not in names(gone.hits)
    services.library.edit_document(ANNA, "laws", "short.md", MetadataChanges(date="2020-01-01"))
    assert not find(services, "Neutronen").from_cache


def test_content_that_changes_during_a_search_is_not_kept_as_new(services: Services) -> None:
    """What a search found before a change must not answer after it."""
    place = services.library.scope(ANNA, ["laws"]).collections[0]

    class Interrupted(Retriever):
        def search(self, *arguments: Any, **fields: Any) -> list[Hit]:
            hits = super().search(*arguments, **fields)
            services.catalog.collections.bump(place)
            return hits

    interrupted = services.replaced(
        retriever=lambda: Interrupted(
            services.catalog, services.embedder, services.vectors, services.lexical
        )
    )
    find(interrupted)
    assert not find(interrupted).from_cache


def test_a_profile_decides_and_a_change_counts_at_once(services: Services) -> None:
    configuration = services.configuration
    configuration.set(ANNA, "minRelevanceScore", 0, "brief")
    assert len(find(services, profile="brief").hits) == 3
    configuration.set(ANNA, "maxDocs", 4, "brief")
    configuration.set(ANNA, "maxChunksPerDocument", 1, "brief")
    found = find(services, profile="brief")
    assert not found.from_cache and sorted(names(found.hits)) == ["long.md", "short.md"]
    configuration.set(LOCAL, "maxChunksPerDocument", 0)
    configuration.lock(LOCAL, "maxChunksPerDocument")
    assert len(find(services, profile="brief").hits) == 4
    assert len(find(services).hits) == 10


def test_context_is_the_hits_among_their_neighbours_within_max_tokens(services: Services) -> None:
    whole = find(services, k=2, context=True)
    assert whole.context is not None and find(services, k=2).context is None
    first = whole.hits[0]
    assert whole.context.startswith("=== 1: ") and first.section in whole.context.splitlines()[0]
    assert all(hit.text in whole.context for hit in whole.hits)
    services.configuration.set(LOCAL, "maxTokens", 100)
    less = find(services, k=10, context=True)
    assert less.from_cache is False and less.context is not None
    assert (
        0
        < estimate_tokens(less.context)
        <= 100
        < sum(estimate_tokens(hit.text) for hit in less.hits)
    )
    again = find(services, k=10, context=True)
    assert again.from_cache and again.context == less.context


@pytest.mark.parametrize("index", ["vectors", "lexical"])
def test_until_an_index_is_whole_every_search_says_so(services: Services, index: str) -> None:
    (laws,) = services.library.collections(ANNA)
    assert find(services).warnings == ()
    chunk = services.catalog.chunks.ids(laws.collection_id)[0]
    getattr(services, index).delete(laws.collection_id, [chunk])
    for _ in range(2):  # also one that is answered from memory
        (warning,) = find(services).warnings
        assert "laws" in str(warning) and "doctor --repair --admin" in str(warning)
    services.library.repair(ANNA)
    assert find(services).warnings == ()


def test_a_search_in_a_collection_that_is_being_restored_says_so(services: Services) -> None:
    services.catalog.collections.change(ANNA, "laws", new_name=f"laws{UNFINISHED}")
    assert "incomplete" in str(find(services).warnings[0])
