"""A judge without weights: shared words decide, the same in every process."""

from collections.abc import Sequence

from services.cross_encoder import Entailment, Reading
from services.evidence import Judge
from services.text import stem_sequence

STEEPNESS = 20.0
MIDDLE = 0.5


class FakeCrossEncoder:
    """Says that a text answers if it has most words of the question, or a quote all of a claim."""

    name = "fake/v1"

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Reading]:
        wanted = _words(question)
        return [
            Reading(_logit(wanted, " ".join(texts)), [_logit(wanted, text) for text in texts])
            for texts in passages
        ]

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        return [
            Entailment(0.9, 0.1, 0.0)
            if _words(claim) <= _words(quote)
            else Entailment(0.1, 0.9, 0.0)
            for claim, quote in pairs
        ]


def fake_judge() -> Judge:
    return Judge(FakeCrossEncoder())


def _logit(wanted: frozenset[str], text: str) -> float:
    share = len(wanted & _words(text)) / len(wanted) if wanted else 0.0
    return STEEPNESS * (share - MIDDLE)


def _words(text: str) -> frozenset[str]:
    return frozenset(stem_sequence(text, "de"))
