"""Where the trained weights cannot run: reading by shared words alone."""

from collections.abc import Sequence
from typing import Final

from services.cross_encoder.base import Reading
from services.language.text import tokens

STEEPNESS: Final = 8.0
MIDDLE: Final = 0.6


class WordCrossEncoder:
    """Logits from the share of a question's words that a text has."""

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Reading]:
        wanted = _words(question)
        return [
            Reading(
                _logit(wanted, " ".join(sentences)), [_logit(wanted, each) for each in sentences]
            )
            for sentences in passages
        ]


def _logit(wanted: frozenset[str], text: str) -> float:
    share = len(wanted & _words(text)) / len(wanted) if wanted else 0.0
    return STEEPNESS * (share - MIDDLE)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in tokens(text))
