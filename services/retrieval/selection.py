"""Which of the chunks that a search found are kept, and in which order: pure functions."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from services.retrieval.scoring import blend
from services.types import SearchOptions

T = TypeVar("T")


@dataclass(frozen=True)
class Candidate:
    """A chunk that was found. ``relevance`` and ``freshness`` lie in 0-1."""

    chunk_id: str
    document_id: str
    score: float
    relevance: float
    freshness: float


def select(candidates: Sequence[Candidate], options: SearchOptions) -> list[tuple[str, float]]:
    """The chunks that the options keep with their scores, best first.

    Without a freshness weight the order and the scores stay. With one, both follow the blend of
    relevance and freshness: fused scores only compare the chunks of one search with each other,
    and so cannot be weighed against an age. The cap on a document comes last, so that the best
    of each document stay.
    """
    near = [each for each in candidates if each.relevance >= options.min_relevance]
    scores = {each.chunk_id: each.score for each in near}
    if weight := options.freshness_weight:
        scores = {each.chunk_id: blend(each.relevance, each.freshness, weight) for each in near}
        near.sort(key=lambda each: (-scores[each.chunk_id], each.chunk_id))
    kept = capped(near, lambda each: each.document_id, options.max_chunks_per_document)
    return [(each.chunk_id, scores[each.chunk_id]) for each in kept]


def capped(items: Iterable[T], key: Callable[[T], Hashable], most: int) -> Iterator[T]:
    """The items in their order, of each key the first ``most``; all when ``most`` is 0."""
    seen: Counter[Hashable] = Counter()
    for item in items:
        seen[key(item)] += 1
        if most == 0 or seen[key(item)] <= most:
            yield item
