"""When a question is not answered: a pure function for each stage of a turn, and the thresholds.

After the search `too_far` decides, after the model said that the passages do not answer `believed`,
and where nothing that it said holds `left_without`. Weights and the threshold for English were
chosen on one half of the questions of CLAPNQ, that of the other languages on German questions to
the sample law (docs/quick-answers.md).
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

DOUBTFUL: Final = 0.05
"""So far above the least evidence a model is believed that says that the passages do not answer.
The bundled one said so of everything, if it was told how; so more would refuse what they answer."""

STRONG_EVIDENCE: Final = 0.6
"""From here on quotes answer although nothing that the model said holds."""

LEAST_QUOTED: Final = 0.5
"""Share of the question's words that a quote must have where nothing that the model said holds."""


def evidence_for(relevance: float, coverage: float) -> float:
    """How much speaks for an answer in what was found, 0-1."""
    return RELEVANCE_WEIGHT * relevance + COVERAGE_WEIGHT * coverage


def too_far(found: Found, language: Language) -> bool:
    """Whether nothing that was found is near enough to the question to answer it.

    A section that the question names is always near enough, and so are a definition of its term and
    a sentence with all its words: in a small collection scores say little, since words such as
    "when" are as rare there as any.
    """
    if found.named or found.defined or found.said or not found.results:
        return not found.results
    if found.foreign:
        return found.relevance < LEAST_RELEVANCE_ACROSS_LANGUAGES
    return evidence_for(found.relevance, found.coverage) < least_evidence(language)


def least_evidence(language: Language) -> float:
    """Below it a question in this language is refused."""
    return LEAST_EVIDENCE.get(language, LEAST_EVIDENCE_OTHERWISE)


def believed(found: Found, language: Language) -> bool:
    """Whether a model is believed that says that the passages do not answer.

    Small models say so too readily: their word counts only where the evidence hardly suffices. Only
    then is a model told how to say it.
    """
    if found.named or found.defined or found.foreign:
        return False
    least = least_evidence(language) + DOUBTFUL
    return evidence_for(found.relevance, found.coverage) < least


def left_without(found: Found, share: float) -> bool:
    """Whether quotes are no answer either after all that a model said was left out.

    ``share`` is the best share of the question's content words that one of the quotes has.
    """
    if found.named or found.defined or found.foreign or share >= LEAST_QUOTED:
        return False
    evidence = evidence_for(found.relevance, found.coverage)
    return evidence < STRONG_EVIDENCE
