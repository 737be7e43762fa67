"""What a reranker is: a second, closer look at what a search has found."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from services.domain import Hit, Passage, Reranking

CANDIDATES_PER_HIT = 3
"""A reranker looks at this many candidates for each hit that is wanted."""

TITLE_CHARACTERS = 80
"""Of a document's title: it says where a passage is from, and must leave room for it."""


class Reranker(Protocol):
    """Says how well passages answer a query. May be asked from several tasks at a time."""

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """A score (0-1) for each passage, in the order given; comparable within one call alone.

        Raises:
            TryAgain: nobody answers, or not in time.
            BadGeneration: what was answered cannot be used.
            AskPerson: the reranker is not set up; the message says how.
        """
        ...


Rerankers = Mapping[Reranking, Reranker]
"""What stands behind each choice but ``none``."""


def with_heading(passage: Passage, text: str) -> str:
    """A passage's text under its document's title and its section."""
    title = (passage.title or passage.document)[:TITLE_CHARACTERS]
    place = ", ".join(part for part in (title, passage.section) if part)
    return f"{place}: {text}"
