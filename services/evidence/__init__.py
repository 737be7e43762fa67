"""What answers a question, what is near enough, and what a quote supports."""

from services.domain.answers import Certainty, EvidenceSentence
from services.evidence.alone import standing_alone
from services.evidence.judge import Judge, Judged
from services.evidence.ranking import CARDS, certainty
from services.evidence.units import Unit, quotable_units

__all__ = [
    "CARDS",
    "Certainty",
    "EvidenceSentence",
    "Judge",
    "Judged",
    "Unit",
    "certainty",
    "quotable_units",
    "standing_alone",
]
