"""The protocol of cross-encoders, and a fallback that compares words."""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from services.language.text.words import tokens

STEEPNESS: Final = 8.0
MIDDLE: Final = 0.6
"""Share of the question's words at which the logit of `WordOverlapEncoder` is 0."""


class Reading(NamedTuple):
    """The logits that a passage, and each of its sentences, answers a question."""

    passage: float
    sentences: list[float]


class CrossEncoder(Protocol):
    """Scores passages together with a question."""

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Reading]:
        """Return one reading for each passage, which is given as its sentences."""
        ...


class WordOverlapEncoder:
    """Scores texts by the share of the question's words that they contain."""

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Reading]:
        query_words = _words(question)
        return [
            Reading(
                _logit(query_words, " ".join(sentences)),
                [_logit(query_words, sentence) for sentence in sentences],
            )
            for sentences in passages
        ]


def _logit(query_words: frozenset[str], text: str) -> float:
    share = len(query_words & _words(text)) / len(query_words) if query_words else 0.0
    return STEEPNESS * (share - MIDDLE)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in tokens(text))
