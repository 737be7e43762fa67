"""What each route may search for and quote."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agent.ask.models import Depth

MOST_HITS: Final = 100


@dataclass(frozen=True)
class Budget:
    """The limits of a route.

    Attributes:
        share_of_k: passages that are wanted, as a share of what the person chose.
        quotes: sentences that are quoted of each part, by the number of parts; the last number
            holds for more.
        quick: items of a list are quoted as the list.
    """

    share_of_k: float
    quotes: tuple[int, ...]
    quick: bool = False

    def hits(self, k: int) -> int:
        """How many passages are searched for, where a person wants ``k``."""
        return min(MOST_HITS, round(self.share_of_k * k))

    def quotes_of(self, parts: int) -> int:
        """How many sentences are quoted of each of so many parts."""
        return self.quotes[min(parts, len(self.quotes)) - 1]


BUDGETS: Final[Mapping[Depth, Budget]] = {
    "fast": Budget(1.0, (3, 2, 1), quick=True),
    "enhanced": Budget(1.5, (5, 3, 2), quick=True),
    "structured": Budget(1.0, (3, 2, 1)),
    "agent": Budget(1.0, (3, 2, 1)),
}
