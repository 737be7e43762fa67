"""When a question is not answered: one pure function and its thresholds.

Chosen on one half of the questions of CLAPNQ, reported on the other (docs/quick-answers.md).
"""

from typing import Final

from agent.ask.models import Found

RELEVANCE_WEIGHT: Final = 0.5
COVERAGE_WEIGHT: Final = 0.5
LEAST_EVIDENCE: Final = 0.3


def evidence_for(relevance: float, coverage: float) -> float:
    """How much speaks for an answer in what was found, 0-1."""
    return RELEVANCE_WEIGHT * relevance + COVERAGE_WEIGHT * coverage


def too_far(found: Found) -> bool:
    """Whether nothing that was found is near enough to the question to answer it.

    A section that the question names is always near enough.
    """
    if found.named or not found.results:
        return not found.results
    return evidence_for(found.relevance, found.coverage) < LEAST_EVIDENCE
