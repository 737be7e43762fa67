"""The graph's share, 0-1, in the results for a question, and how passages of both are merged.

The type of the question sets the weight, and low confidence in the search raises it. Below
``SKIP_BELOW`` the graph is not walked (docs/decisions/0017). Weights are rounded to nine digits, so
that a value on a border stays on it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from services.language.query.values import Classification, QueryType, Understanding
from services.retrieval.scoring import reciprocal_rank

SKIP_BELOW: Final = 0.15
LOW_CONFIDENCE: Final = 0.3
MAX_SHIFT: Final = 0.3
SURE: Final = 0.7
"""Confidence in a type above which a factual question needs no graph."""
EVEN: Final = 0.5
_DIGITS: Final = 9

GRAPH_WEIGHTS: Final[Mapping[QueryType, float]] = {
    "factual": 0.3,
    "relational": 0.8,
    "comparative": 0.7,
    "exploratory": 0.9,
    "procedural": 0.2,
    "analytical": 0.5,
    "unknown": 0.4,
}
GRAPH_SHARE: Final = 0.2
RELATING: Final[frozenset[QueryType]] = frozenset({"relational", "comparative", "exploratory"})


def has_room(understanding: Understanding, k: int) -> bool:
    """Return whether ``k`` passages may include some of the graph; few only to relate things."""
    relates = understanding.classification.type in RELATING or len(understanding.subquestions) > 1
    return relates or max_referenced_passages(k) > 0


def graph_weight(classification: Classification) -> float:
    if classification.type == "factual" and classification.confidence > SURE:
        return 0.0
    if classification.type == "relational" and not classification.entities:
        return EVEN
    return GRAPH_WEIGHTS[classification.type]


def confidence_shift(confidence: float) -> float:
    """Return the weight, 0-0.3, that a retriever loses for a low confidence (0-1)."""
    shift = MAX_SHIFT * (1 - confidence / LOW_CONFIDENCE)
    return round(min(MAX_SHIFT, max(0.0, shift)), _DIGITS)


def adjust_weight(
    weight: float, *, vector_confidence: float, graph_confidence: float | None = None
) -> float:
    """Return the weight adjusted to the confidence (0-1) in both; None if nothing was walked."""
    graph_shift = 0.0
    if graph_confidence is not None:
        if max(vector_confidence, graph_confidence) < LOW_CONFIDENCE:
            return EVEN
        graph_shift = confidence_shift(graph_confidence)
    shift = confidence_shift(vector_confidence) - graph_shift
    return round(min(1.0, max(0.0, weight + shift)), _DIGITS)


def max_graph_passages(weight: float, k: int) -> int:
    """Return how many of ``k`` passages may come from the graph; at least one with a weight."""
    if weight <= 0:
        return 0
    share = int(round(k * weight, _DIGITS) + 0.5)
    return min(k, max(1, share), max(1, round(GRAPH_SHARE * k)))


def merge_graph(
    hits: Sequence[str],
    graph_ids: Sequence[str],
    section_of: Mapping[str, str],
    *,
    limit: int,
    weight: float,
) -> list[str]:
    """Return as many passages as ``hits``, up to ``limit`` of them new ones of different sections.

    They replace further passages of a section that already has a better one, then the last hits.
    """
    known_ids = set(hits)
    first = {section_of[name]: name for name in reversed(graph_ids) if name not in known_ids}
    new = [name for name in graph_ids if first.get(section_of[name]) == name][:limit]
    remaining = _make_room(hits, section_of, len(new))
    chosen = {*remaining, *new}
    rankings = {
        "vector": [(name, 0.0) for name in remaining],
        "graph": [(name, 0.0) for name in graph_ids if name in chosen],
    }
    order = reciprocal_rank(rankings, {"vector": round(1.0 - weight, _DIGITS), "graph": weight})
    return [name for name, _ in order]


def max_referenced_passages(k: int) -> int:
    """Return how many of ``k`` passages may come from sections tied to the best by a reference."""
    return int(GRAPH_SHARE * k)


def append_referenced(
    hits: Sequence[str],
    relevance: Mapping[str, float],
    section_of: Mapping[str, str],
    *,
    limit: int,
) -> list[str]:
    """Return the hits and up to ``limit`` passages of other sections, by relevance."""
    hit_sections = {section_of[name] for name in hits}
    new: dict[str, str] = {}
    for name in sorted(relevance, key=lambda name: (-relevance[name], name)):
        if section_of[name] not in hit_sections:
            new.setdefault(section_of[name], name)
    chosen = list(new.values())[:limit]
    return [*_make_room(hits, section_of, len(chosen)), *chosen]


def _make_room(hits: Sequence[str], section_of: Mapping[str, str], count: int) -> list[str]:
    """Return the hits without ``count`` of them: repeated sections first, then from the end."""
    first = {section_of[name]: name for name in reversed(hits)}
    repeated = [name for name in hits if first[section_of[name]] != name]
    dropped = set(repeated[::-1][:count])
    remaining = [name for name in hits if name not in dropped]
    return remaining[: max(0, len(hits) - count)]
