"""Score the complexity of a question, 0-1, from five weighted factors.

================== ====== ==========================================
factor             weight formula
================== ====== ==========================================
query_type           0.25 0 / 0.5 / 1 by type
entity_count         0.20 min(n / 4, 1)
subquestion_count    0.20 min((n - 1) / 3, 1)
keyword_matches      0.20 min(n / 4, 1)
low_confidence       0.15 (0.7 - confidence) / 0.5, kept within 0-1
================== ====== ==========================================

A score on a limit belongs to the level above. Floating-point sums put some that are exactly 0.35 or
0.55 below it, so scores and limits are compared after rounding to nine digits.
"""

from typing import Final

from services.domain.value import Language
from services.language.query.keywords import keywords, wavers
from services.language.query.parts import without_bullets
from services.language.query.values import (
    Classification,
    ComplexityFactors,
    ComplexityLevel,
    ComplexityScore,
    QueryType,
)

WEIGHTS: Final = ComplexityFactors(
    query_type=0.25,
    entity_count=0.20,
    subquestion_count=0.20,
    keyword_matches=0.20,
    low_confidence=0.15,
)
DATABASE_FLOOR: Final = 0.75
AMBIGUOUS_FLOOR: Final = 0.65
ENHANCED: Final = 0.35
"""Lowest score of the enhanced route."""
AGENT: Final = 0.55
"""Lowest score of the agent route."""
COMPARED: Final = 3
"""Number of questions in a comparison: one for each of two things, one for the difference."""

_TYPE_FACTOR: Final[dict[QueryType, float]] = {
    "factual": 0.0,
    "procedural": 0.0,
    "relational": 0.5,
    "exploratory": 0.5,
    "analytical": 1.0,
    "comparative": 1.0,
    "unknown": 0.0,
}
_DIGITS: Final = 9
_SHORT: Final = 15
"""Characters below which a question says too little."""


def factors_of(
    query_type: QueryType, confidence: float, *, entities: int, subquestions: int, keywords: int
) -> ComplexityFactors:
    return ComplexityFactors(
        query_type=_TYPE_FACTOR[query_type],
        entity_count=_within(entities / 4),
        subquestion_count=_within((subquestions - 1) / 3),
        keyword_matches=_within(keywords / 4),
        low_confidence=_within((0.7 - confidence) / 0.5),
    )


def weighted(factors: ComplexityFactors) -> float:
    """Return the weighted sum of the factors, rounded to nine digits."""
    return round(sum(weight * getattr(factors, name) for name, weight in WEIGHTS), _DIGITS)


def level_of(score: float, *, enhanced: float = ENHANCED, agent: float = AGENT) -> ComplexityLevel:
    """Return the level of a score; a score on a limit belongs to the level above."""
    if round(score, _DIGITS) >= round(agent, _DIGITS):
        return "complex"
    return "moderate" if round(score, _DIGITS) >= round(enhanced, _DIGITS) else "simple"


def complexity(
    question: str,
    classification: Classification,
    *,
    language: Language,
    subquestions: int = 1,
    about_database: bool = False,
    enhanced: float = ENHANCED,
    agent: float = AGENT,
) -> ComplexityScore:
    """Score a self-contained question with reasons; ``enhanced`` and ``agent`` are limits."""
    words = keywords(question, language)
    if classification.type == "comparative":
        subquestions = max(subquestions, COMPARED)
    factors = factors_of(
        classification.type,
        classification.confidence,
        entities=len(classification.entities),
        subquestions=subquestions,
        keywords=len(words),
    )
    ambiguous = not about_database and is_ambiguous(question, language, classification.entities)
    floor = DATABASE_FLOOR if about_database else AMBIGUOUS_FLOOR if ambiguous else 0.0
    score = max(weighted(factors), floor)
    reasons = _reasons(classification, subquestions, words)
    if about_database:
        reasons += ("asks about the collection itself",)
    if ambiguous:
        reasons += ("ambiguous as it stands",)
    level = "ambiguous" if ambiguous else level_of(score, enhanced=enhanced, agent=agent)
    return ComplexityScore(score=score, level=level, factors=factors, reasons=reasons)


def is_ambiguous(question: str, language: Language, entities: tuple[str, ...] = ()) -> bool:
    """Return whether a question without ``entities`` is too short or undecided to be answered."""
    if entities:
        return False
    text = " ".join(question.split())
    several = without_bullets(question).count("?") >= 2
    return len(text) < _SHORT or several or wavers(text, language)


def _within(value: float) -> float:
    return round(min(1.0, max(0.0, value)), _DIGITS)


def _reasons(
    classification: Classification, subquestions: int, words: tuple[str, ...]
) -> tuple[str, ...]:
    """Return what raised the score, most important first."""
    reasons = [f"{classification.type} question"]
    if named := len(classification.entities):
        reasons.append(f"names {named} thing{'s' * (named > 1)}")
    if subquestions > 1:
        reasons.append(f"asks {subquestions} questions")
    if words:
        reasons.append(f"speaks of {', '.join(words)}")
    if classification.confidence < 0.7:
        reasons.append(f"type uncertain ({classification.confidence:.2f})")
    return tuple(reasons)
