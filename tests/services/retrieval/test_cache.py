"""The rules of the search cache, each by itself."""

import threading
import time
from typing import Any

import pytest

from services.domain import Hit, Scope, SearchOptions
from services.library.caches import SearchCache, SearchKey, normalise_query


def key(query: str = "radon", **changes: Any) -> SearchKey:
    fields: dict[str, Any] = {
        "query": normalise_query(query),
        "k": 10,
        "mode": "hybrid",
        "options": SearchOptions(),
        "scope": Scope(user="anna", collections=("a", "b")),
        "versions": (1, 2),
    }
    return SearchKey(**(fields | changes))


def hits_of(name: str = "chunk") -> tuple[Hit, ...]:
    hit = Hit(
        chunk_id=name, document_id="d", text_id="t", document="a.txt", title="A", page=None,
        section="", heading_path=(), start=0, end=1, text="x", score=1, relevance=1, explain={},
    )  # fmt: skip
    return (hit,)


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
def test_another_question_is_a_miss(changes: dict[str, Any]) -> None:
    cache = SearchCache()
    cache.put(key("Radon?"), hits_of())
    assert cache.get(key(**changes)) is None
    assert cache.get(key(" radon ")) == hits_of()


def test_results_expire_however_often_they_are_used() -> None:
    assert (SearchCache.capacity, SearchCache.lifetime_s) == (50, 300.0)
    now = 0.0
    cache = SearchCache(clock=lambda: now)
    cache.put(key(), hits_of())
    now = SearchCache.lifetime_s - 0.1
    assert cache.get(key()) is not None
    now = SearchCache.lifetime_s
    assert cache.get(key()) is None and cache.statistics().size == 0


def test_the_least_recently_used_gives_way() -> None:
    cache = SearchCache()
    for n in range(SearchCache.capacity):
        cache.put(key(f"q{n}"), hits_of())
    assert cache.get(key("q0")) is not None
    cache.put(key("another"), hits_of())
    assert cache.get(key("q1")) is None and cache.get(key("q0")) is not None
    statistics = cache.statistics()
    assert (statistics.size, statistics.hits, statistics.misses) == (SearchCache.capacity, 2, 1)
    assert statistics.hit_rate == pytest.approx(2 / 3)
    cache.clear()
    assert (cache.statistics().size, cache.get(key("q0"))) == (0, None)


def test_many_threads_may_use_it() -> None:
    class FewResults(SearchCache):
        capacity = 5

    cache = FewResults()

    def work(number: int) -> None:
        for n in range(300):
            name = f"q{(n + number) % 9}"
            if (hits := cache.get(key(name))) is not None:
                assert hits == hits_of(name)
            cache.put(key(name), hits_of(name))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statistics = cache.statistics()
    assert statistics.size == 5 and statistics.hits + statistics.misses == 1800


def test_a_hit_takes_less_than_a_millisecond() -> None:
    cache, fastest = SearchCache(), []
    cache.put(key("x" * 4000), hits_of() * 100)
    for _ in range(20):
        started = time.thread_time()
        assert cache.get(key("X" * 4000)) is not None
        fastest.append(time.thread_time() - started)
    assert min(fastest) < 0.001
