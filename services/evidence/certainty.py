"""Answered, perhaps, or refused: what may be said of the best that was found."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

from services.evidence.ranking import WEIGHTS

Certainty = Literal["answered", "perhaps", "refused"]

CARDS: Final = 3
"""Quotes that are shown where it is not known whether they answer."""


def certainty(scores: Sequence[float], *, named: bool = False) -> Certainty:
    """What the best score allows to say.

    Args:
        scores: how surely sentences answer, 0-1, as `answer_scores` gives them.
        named: whether the question names the section that was found; then it is not refused.
    """
    best, bounds = max(scores, default=0.0), _bounds()
    if best >= bounds["answered"]:
        return "answered"
    return "perhaps" if best >= bounds["perhaps"] or (named and scores) else "refused"


@lru_cache(maxsize=1)
def _bounds() -> dict[str, float]:
    """Chosen on development questions, as docs/truth.md says, and stored with the weights."""
    bounds: dict[str, float] = json.loads(WEIGHTS.read_text())["certainty"]
    return bounds
