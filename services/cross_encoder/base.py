"""What a cross-encoder says."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Reading(NamedTuple):
    """A passage read with a question: logits that it answers, and of each of its sentences."""

    passage: float
    sentences: list[float]


class CrossEncoder(Protocol):
    """Reads a question with passages."""

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Reading]:
        """How surely passages, given by sentences, answer a question, and which sentences."""
        ...
