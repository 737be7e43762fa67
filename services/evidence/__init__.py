"""What answers a question, what is near enough, and what a quote supports."""

from services.evidence.certainty import CARDS, Certainty, certainty
from services.evidence.judge import Judge
from services.evidence.values import EvidenceSentence, Judged

__all__ = ["CARDS", "Certainty", "EvidenceSentence", "Judge", "Judged", "certainty"]
