"""Rules of evidence: tiers, weights and thresholds. Pure functions; tabled in docs/research.md."""

from services.domain.notices import Notice

TIER_WEIGHT = {1: 1.0, 2: 0.7, 3: 0.4}
DRIFT_THRESHOLD = {1: 0.5, 2: 0.4, 3: 0.3}
MINIMUM_RELEVANCE = 0.3
PRIMARY_RELEVANCE = 0.6
SECONDARY_RELEVANCE = 0.4
DRIFT_WARNING_SHARE = 0.3
STRAYED = Notice.of(
    "{dropped} of {total} findings were dropped as not relevant: the tasks may have strayed from "
    "the question.",
    dropped=0,
    total=0,
)
"""The warning that nothing proven is left, filled in with how much was dropped."""
REFERENCE_HOPS = 2
COVERAGE_GOAL = 0.8
DEDUP_GOAL = 0.7
GAPS_ALLOWED = 2
REVISION_BELOW = 280
CREDIT = {"yes": 1.0, "partly": 0.5, "no": 0.0}
"""How much of an aspect or a task is covered."""


def tier_by_relevance(relevance: float) -> int:
    """Return the tier of a passage that a search found and no model read, by relevance (0-1)."""
    if relevance >= PRIMARY_RELEVANCE:
        return 1
    return 2 if relevance >= SECONDARY_RELEVANCE else 3


def tier_of(source_type: str, hops: int, *, is_neighbour: bool) -> int:
    """Return the tier of what a proven claim rests on, by ``hops``: references followed, or steps
    of the graph walked, to get there. A neighbour merely stands next to what a search found."""
    if source_type == "hitl" or hops >= REFERENCE_HOPS:
        return 3
    return 2 if is_neighbour or hops else 1


def dedup_ratio(*, hits: int, duplicates: int) -> float:
    """Return the share of an iteration's hits that earlier iterations had found; 0 without hits."""
    return duplicates / hits if hits else 0.0


def converged(*, coverage: float, dedup: float, gaps: int) -> bool:
    """Return whether asking further would not change what is found."""
    return coverage >= COVERAGE_GOAL and dedup >= DEDUP_GOAL and gaps <= GAPS_ALLOWED
