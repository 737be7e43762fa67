"""The rules of the search cache, each by itself."""

import threading
import time

import pytest

from services.domain import Hit, Scope, SearchOptions
from services.retrieval.cache import CAPACITY, LIFETIME_S, SearchCache, SearchKey


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock) -> SearchCache:
    return SearchCache(clock=clock)


def key(query: str = "radon", **changes: object) -> SearchKey:
    fields: dict[str, object] = {
        "query": query,
        "k": 10,
        "mode": "hybrid",
        "options": SearchOptions(),
        "scope": Scope(user="anna", collections=("a", "b")),
        "versions": (1, 2),
    }
    return SearchKey(**(fields | changes))  # type: ignore[arg-type]


def found(name: str = "chunk") -> tuple[Hit, ...]:
    hit = Hit(
        chunk_id=name, document_id="d", text_id="t", document="a.txt", title="A", page=None,
        section="", heading_path=(), start=0, end=1, text="x", score=1, relevance=1, explain={},
    )  # fmt: skip
    return (hit,)


def test_the_sizes_are_those_of_the_design() -> None:
    assert (CAPACITY, LIFETIME_S) == (50, 300.0)


def test_a_result_is_found_under_its_normal_key(cache: SearchCache) -> None:
    cache.put(key("Radon?").normal(), found())
    assert cache.get(key(" radon ").normal()) == found()


@pytest.mark.parametrize(
    "changes",
    [
        {"query": "no radon"},
        {"k": 5},
        {"mode": "vector"},
        {"options": SearchOptions(min_relevance=0.3)},
        {"scope": Scope(user="ben", collections=("a", "b"))},
        {"scope": Scope(user="anna", collections=("a",)), "versions": (1,)},
        {"versions": (1, 3)},
        {"reranking": ("llm", "none")},
    ],
)
def test_another_question_is_a_miss(cache: SearchCache, changes: dict[str, object]) -> None:
    cache.put(key(), found())
    assert cache.get(key(**changes)) is None
    assert cache.get(key()) is not None


def test_results_expire(cache: SearchCache, clock: Clock) -> None:
    cache.put(key(), found())
    clock.now = LIFETIME_S - 0.1
    assert cache.get(key()) is not None
    clock.now = LIFETIME_S
    assert cache.get(key()) is None
    assert cache.statistics().size == 0


def test_a_look_does_not_prolong_a_life(cache: SearchCache, clock: Clock) -> None:
    cache.put(key(), found())
    clock.now = 200.0
    cache.get(key())
    clock.now = 400.0
    assert cache.get(key()) is None


def test_the_least_recently_used_gives_way(cache: SearchCache) -> None:
    for n in range(CAPACITY):
        cache.put(key(f"q{n}"), found())
    cache.get(key("q0"))
    cache.put(key("another"), found())
    assert cache.get(key("q1")) is None
    assert cache.get(key("q0")) is not None
    assert cache.statistics().size == CAPACITY


def test_statistics_count_looks(cache: SearchCache) -> None:
    assert cache.statistics().hit_rate == 0.0
    cache.get(key())
    cache.put(key(), found())
    for _ in range(3):
        cache.get(key())
    statistics = cache.statistics()
    assert (statistics.size, statistics.hits, statistics.misses) == (1, 3, 1)
    assert statistics.hit_rate == 0.75
    cache.clear()
    assert (cache.statistics().size, cache.get(key())) == (0, None)


def test_many_threads_may_use_it() -> None:
    cache = SearchCache(capacity=5)

    def work(number: int) -> None:
        for n in range(300):
            name = f"q{(n + number) % 9}"
            if (hits := cache.get(key(name))) is not None:
                assert hits == found(name)
            cache.put(key(name), found(name))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statistics = cache.statistics()
    assert statistics.size == 5 and statistics.hits + statistics.misses == 1800


def test_a_hit_takes_less_than_a_millisecond(cache: SearchCache) -> None:
    cache.put(key("x" * 4000).normal(), found() * 100)
    fastest = []
    for _ in range(20):
        started = time.perf_counter()
        assert cache.get(key("X" * 4000).normal()) is not None
        fastest.append(time.perf_counter() - started)
    assert min(fastest) < 0.001


def test_a_request_is_resolved_once_for_each_version_of_the_catalog(cache: SearchCache) -> None:
    resolved: list[SearchKey] = []

    def resolve() -> SearchKey:
        resolved.append(key())
        return resolved[-1]

    for version in (1, 1, 2, None, None):
        cache.resolved("asked", version, resolve)
    assert len(resolved) == 4
    cache.resolved("asked differently", 2, resolve)
    assert len(resolved) == 5
