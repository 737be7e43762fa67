"""Whether retrieved text holds a passage: pure functions of spans.

A place is a stretch of a document, end exclusive. A passage is *covered* when at least half of
its characters lie in the retrieved places together, so a passage that a chunk border divides
counts once enough of it was returned.
"""

from collections.abc import Sequence
from typing import NamedTuple

COVERED = 0.5
"""Share of a passage's characters that must have been retrieved."""


class Place(NamedTuple):
    document: str
    start: int
    end: int


def within(places: Sequence[Place], budget: int) -> list[Place]:
    """The first ``budget`` characters of the places in their order; the last may be cut.

    Characters that several places share count as often as they are returned.
    """
    kept: list[Place] = []
    for place in places:
        length = min(place.end - place.start, budget)
        if length <= 0:
            break
        kept.append(place._replace(end=place.start + length))
        budget -= length
    return kept


def covered_share(passage: Place, places: Sequence[Place]) -> float:
    """Share (0-1) of the passage's characters that lie in at least one of the places."""
    found: set[int] = set()
    for place in places:
        if place.document == passage.document:
            found.update(
                range(max(place.start, passage.start), min(place.end, passage.end)),
            )
    return len(found) / (passage.end - passage.start)


def is_covered(gold: Sequence[Place], places: Sequence[Place]) -> bool:
    """Whether one of the passages that answer is covered."""
    return any(covered_share(passage, places) >= COVERED for passage in gold)


def reciprocal_rank(gold: Sequence[Place], places: Sequence[Place]) -> float:
    """1 / rank of the first place that shares a character with a gold passage, 0 if none does."""
    for rank, place in enumerate(places, start=1):
        if any(covered_share(passage, [place]) > 0 for passage in gold):
            return 1 / rank
    return 0.0
