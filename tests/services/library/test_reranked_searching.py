"""Searches whose hits a reranker orders: candidates, places, profiles, cache and failures."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from services.build import Services
from services.domain import Passage, Principal, Reranking, SearchMode, SearchRequest, SearchResult
from services.domain.errors import ModelUnavailable, NoModel, RabbitholeError
from tests.support.desk import make_services

ANNA, LOCAL = Principal(user="anna"), Principal()
QUERY = "Grenzwert der Dosis"


class LastFirst:
    """Turns the order around; remembers what it was given, or fails."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.fail_with: RabbitholeError | None = None

    async def score(self, query: str, passages: Sequence[Passage]) -> list[float]:
        if self.fail_with is not None:
            raise self.fail_with
        self.asked.append([passage.document for passage in passages])
        return [number / len(passages) for number in range(1, len(passages) + 1)]


class Desk:
    """Services with two collections of eight chunks each, and rerankers that can be watched."""

    def __init__(self, folder: Path) -> None:
        self.llm, self.encoder = LastFirst(), LastFirst()
        rerankers = {"llm": self.llm, "cross-encoder": self.encoder}
        made = make_services(folder / "home")
        self.services: Services = made.replaced(rerankers=lambda: rerankers)
        for name, first in (("laws", 1), ("news", 21)):
            sections = (
                f"## § {n} Dosis\n\nDer Grenzwert der Dosis im Jahr {n} beträgt {n}.\n\n"
                for n in range(first, first + 8)
            )
            (folder / f"{name}.md").write_text(f"# {name}\n\n{''.join(sections)}")
            self.services.library.ingest(ANNA, [folder / f"{name}.md"], name, language="de")

    def set(self, key: str, value: Any, profile: str | None = None) -> None:
        self.services.configuration.set(ANNA if profile else LOCAL, key, value, profile)

    async def find(self, **fields: Any) -> SearchResult:
        request = SearchRequest.model_validate({"query": QUERY, **fields})
        return await self.services.library.find(ANNA, request)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.services.close()


def ids(result: SearchResult) -> list[str]:
    return [hit.chunk_id for hit in result.hits]


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
async def test_three_candidates_a_hit_are_looked_at(desk: Desk, mode: SearchMode) -> None:
    plain = await desk.find(k=6, mode=mode)
    assert len(plain.hits) == 6 and "rerank" not in plain.hits[0].explain
    desk.set("reranking", "llm")
    found = await desk.find(k=2, mode=mode)
    assert len(desk.llm.asked[0]) == 6
    assert ids(found) == ids(plain)[:3:-1]
    ranks = [(hit.explain["rerank"].rank, hit.explain["rerank"].score) for hit in found.hits]
    assert ranks == [(1, 1.0), (2, pytest.approx(5 / 6))]
    assert all(hit.explain.keys() & {"vector", "keyword"} for hit in found.hits)
    assert found.warnings == () and not found.from_cache
    assert desk.encoder.asked == []


async def test_a_collection_of_a_profile_has_its_own_reranking(desk: Desk) -> None:
    desk.set("minRelevanceScore", 0, "mixed")
    plain = await desk.find(profile="mixed", k=6)
    desk.set("collections", "laws=cross-encoder, news", "mixed")
    found = await desk.find(profile="mixed", k=6)
    assert desk.llm.asked == [] and set(desk.encoder.asked[0]) == {"laws.md"}
    places = [hit.document for hit in found.hits]
    # News keep their places; within theirs, laws are turned around.
    assert set(places) == {"laws.md", "news.md"} and places == [h.document for h in plain.hits]
    news = [hit.chunk_id for hit in plain.hits if hit.document == "news.md"]
    assert [hit.chunk_id for hit in found.hits if hit.document == "news.md"] == news
    assert all(("rerank" in hit.explain) == (hit.document == "laws.md") for hit in found.hits)


async def test_each_reranker_orders_its_own_collections(desk: Desk) -> None:
    desk.set("reranking", "llm", "both")
    desk.set("collections", "laws=cross-encoder, news", "both")
    desk.set("minRelevanceScore", 0, "both")
    found = await desk.find(profile="both", k=6)
    assert set(desk.encoder.asked[0]) == {"laws.md"} and set(desk.llm.asked[0]) == {"news.md"}
    assert all("rerank" in hit.explain for hit in found.hits)
    await desk.find(profile="both", collections=["news"])
    assert len(desk.encoder.asked) == 1 and len(desk.llm.asked) == 2
    desk.set("reranking", "none")
    desk.services.configuration.lock(LOCAL, "reranking")
    await desk.find(profile="both")
    assert len(desk.encoder.asked) == 1 and len(desk.llm.asked) == 2


async def test_the_cache_tells_rerankings_apart(desk: Desk) -> None:
    for reranking in ("none", "llm", "cross-encoder"):
        desk.set("reranking", reranking)
        first, again = await desk.find(k=2), await desk.find(k=2)
        assert (first.from_cache, again.from_cache) == (False, True)
        assert again.hits == first.hits
    assert len(desk.llm.asked) == len(desk.encoder.asked) == 1


async def test_a_failure_keeps_the_order_says_so_and_is_tried_again(desk: Desk) -> None:
    plain = await desk.find(k=4)
    desk.set("reranking", "llm")
    desk.llm.fail_with = ModelUnavailable("nobody answers; start it")
    for _ in range(2):
        failed = await desk.find(k=4)
        assert failed.hits == plain.hits and not failed.from_cache
        assert len(failed.warnings) == 1 and "nobody answers; start it" in str(failed.warnings[0])
    desk.llm.fail_with = None
    assert (await desk.find(k=4)).warnings == ()
    desk.llm.fail_with = NoModel("name one in RABBITHOLE_CROSS_ENCODER")
    with pytest.raises(NoModel, match="RABBITHOLE_CROSS_ENCODER"):
        await desk.find()


def test_choices_all_have_a_reranker(tmp_path: Path) -> None:
    choices = set(Reranking.__args__) - {"none"}  # type: ignore[attr-defined]
    assert make_services(tmp_path).rerankers.keys() == choices
