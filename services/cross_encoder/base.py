"""What a cross-encoder says."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Reading(NamedTuple):
    """A passage read with a question: logits that it answers, and of each of its sentences."""

    passage: float
    sentences: list[float]


class Entailment(NamedTuple):
    """What a quote says of a claim: shares, 0-1, that sum to 1."""

    says: float
    not_said: float
    contradicts: float


class CrossEncoder(Protocol):
    """Judges texts that stand side by side."""

    name: str

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Reading]:
        """How surely passages, given by sentences, answer a question, and which sentences."""
        ...

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """What each quote says of its claim; pairs are (claim, quote)."""
        ...
