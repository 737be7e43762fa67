"""A cross-encoder without weights: what shares words answers."""

from collections.abc import Mapping, Sequence

from services.cross_encoder import Logits
from services.language.text.words import compound_match, stems

STEEP = 20.0
MIDDLE = 0.5


class FakeCrossEncoder:
    """Logits from the share of a question's words that a text has, or those of ``answers``."""

    def __init__(self, answers: Mapping[str, float] | None = None) -> None:
        self._answers = answers or {}

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Logits]:
        return [
            Logits(
                max((self._logit(question, each) for each in sentences), default=-STEEP),
                [self._logit(question, each) for each in sentences],
            )
            for sentences in passages
        ]

    def _logit(self, question: str, text: str) -> float:
        told = [logit for part, logit in self._answers.items() if part in text]
        return told[0] if told else STEEP * (share(question, text) - MIDDLE)


def share(text: str, other: str) -> float:
    """Share of the words of a text that another has, or compounds with them."""
    language = "en" if " the " in f" {text.lower()} " else "de"
    words, known = set(stems(text, language)), set(stems(other, language))
    if not words:
        return 0.0
    found = (max((compound_match(w, k) for k in known), default=0.0) for w in words)
    return sum(found) / len(words)
