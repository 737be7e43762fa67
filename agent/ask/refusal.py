"""When a question is not answered: one pure function and its thresholds.

Weights and the threshold for English were chosen on one half of the questions of CLAPNQ, that of
the other languages on German questions to the sample law (docs/quick-answers.md).
"""

from typing import Final

from agent.ask.models import Found
from services.types import Language

RELEVANCE_WEIGHT: Final = 0.6
COVERAGE_WEIGHT: Final = 0.4
LEAST_EVIDENCE: Final[dict[Language, float]] = {"en": 0.5}
LEAST_EVIDENCE_OTHERWISE: Final = 0.35
"""Lower: a compound such as Strahlenschutzbeauftragter is one word, which passages split up, so
that German questions share fewer words with their passages."""

LEAST_RELEVANCE_ACROSS_LANGUAGES: Final = 0.3
"""Not measured there: a question in another language than the passages shares no words with them,
and lies about 0.03 further from them as a vector (services/embeddings/base.py)."""


def evidence_for(relevance: float, coverage: float) -> float:
    """How much speaks for an answer in what was found, 0-1."""
    return RELEVANCE_WEIGHT * relevance + COVERAGE_WEIGHT * coverage


def too_far(found: Found, language: Language) -> bool:
    """Whether nothing that was found is near enough to the question to answer it.

    A section that the question names is always near enough.
    """
    if found.named or not found.results:
        return not found.results
    if found.foreign:
        return found.relevance < LEAST_RELEVANCE_ACROSS_LANGUAGES
    least = LEAST_EVIDENCE.get(language, LEAST_EVIDENCE_OTHERWISE)
    return evidence_for(found.relevance, found.coverage) < least
