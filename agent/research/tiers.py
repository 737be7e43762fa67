"""Rules of evidence: tiers, weights and thresholds. Pure functions; tabled in docs/research.md."""

TIER_WEIGHT = {1: 1.0, 2: 0.7, 3: 0.4}
DRIFT_THRESHOLD = {1: 0.5, 2: 0.4, 3: 0.3}
MINIMUM_RELEVANCE = 0.3
PRIMARY_RELEVANCE = 0.6
SECONDARY_RELEVANCE = 0.4
ENTITY_BONUS = 0.1
DRIFT_WARNING_SHARE = 0.3
REFERENCE_DEPTH = 2
COVERAGE_GOAL = 0.8
DEDUP_GOAL = 0.7
GAPS_ALLOWED = 2
REVISION_BELOW = 280


def classify(*, relevance: float, depth: int, source_type: str, entity_match: bool) -> int | None:
    """Tier of a chunk, or None when it is too far from the question to be evidence.

    Args:
        relevance: calibrated relevance to the task, 0-1.
        depth: references followed, or steps of the graph walked, to get here; 0 = found by search.
        source_type: ``vector_search``, ``reference``, ``graph`` or ``hitl``.
        entity_match: whether the chunk names an entity of the question.
    """
    judged = min(1.0, relevance + (ENTITY_BONUS if entity_match else 0.0))
    if judged < MINIMUM_RELEVANCE:
        return None
    if source_type == "hitl" or depth >= REFERENCE_DEPTH:
        return 3
    if depth == 0 and judged >= PRIMARY_RELEVANCE:
        return 1
    return 2 if judged >= SECONDARY_RELEVANCE else 3


def tier_of(source_type: str, depth: int, *, beside: bool) -> int:
    """Tier of what a proven claim rests on: it is near enough, so the way to it decides.

    Args:
        source_type: as of `classify`.
        depth: as of `classify`.
        beside: whether it merely stands next to what a search found.
    """
    if source_type == "hitl" or depth >= REFERENCE_DEPTH:
        return 3
    return 2 if beside or depth else 1


def drifted(*, tier: int, relevance: float) -> bool:
    """Whether evidence of a tier is too far from the anchored question."""
    return relevance < DRIFT_THRESHOLD[tier]


def dedup_ratio(*, hits: int, seen: int) -> float:
    """Share of an iteration's hits that earlier iterations had found; 0 without hits."""
    return seen / hits if hits else 0.0


def converged(*, coverage: float, dedup: float, gaps: int) -> bool:
    """Whether asking further would not change what is found."""
    return coverage >= COVERAGE_GOAL and dedup >= DEDUP_GOAL and gaps <= GAPS_ALLOWED
