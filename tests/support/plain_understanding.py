"""A stand-in for ``services.query.understand``: what a test needs of it and no rules."""

from collections.abc import Callable, Collection

from services.query.language import detect_language
from services.query.values import (
    Classification,
    ComplexityFactors,
    ComplexityScore,
    Understanding,
)

FACTORS = ComplexityFactors(
    query_type=0.0, entity_count=0.0, subquestion_count=0.0, keyword_matches=0.0, low_confidence=0.0
)


def plain_understanding(question: str, score: float = 0.1, **changes: object) -> Understanding:
    """A factual question of that score, with fields changed as wanted."""
    known = Understanding(
        question=question,
        language=detect_language(question, default="de"),
        subquestions=(question,),
        classification=Classification(type="factual", confidence=0.8),
        complexity=ComplexityScore(score=score, level="simple", factors=FACTORS, reasons=()),
    )
    return known.model_copy(update=changes)


def understand_as(score: float = 0.1, **changes: object) -> Callable[..., Understanding]:
    """An ``understand`` that finds every question to be like that."""

    def understand(question: str, *, known: Collection[str] = ()) -> Understanding:
        return plain_understanding(question, score, **changes)

    return understand
