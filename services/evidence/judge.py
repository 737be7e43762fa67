"""The one judge of evidence that all depths ask: which sentences answer a question."""

from collections.abc import Sequence

from services.cross_encoder import CrossEncoder
from services.domain.answers import EvidenceSentence
from services.domain.value import Language
from services.evidence.ranking import Nearness, features, probabilities


class Judge:
    """Ranks sentences for a question."""

    def __init__(self, encoder: CrossEncoder, nearness: Nearness) -> None:
        self._encoder, self._nearness = encoder, nearness

    def scores(
        self,
        question: str,
        sentences: Sequence[EvidenceSentence],
        relevance: Sequence[float],
        language: Language,
    ) -> list[float]:
        """How surely each sentence answers a question, 0-1.

        Args:
            question: a question, or what a task is about.
            sentences: of the passages that were found; those with one `context` are read together.
            relevance: calibrated nearness of each one's passage, 0-1.
            language: of the question.
        """
        if not sentences:
            return []
        given = (question, sentences, relevance, language)
        return probabilities(features(*given, self._encoder, self._nearness))
