"""What a reranker is: a second, closer look at what a search has found; and hits in its order."""

from collections.abc import Mapping, Sequence, Set
from typing import Protocol

from services.domain import Hit, Passage, Reranking, StrategyScore
from services.domain.errors import BadGeneration, TryAgain
from services.domain.notices import Notice

EXPLAINED_AS = "rerank"
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


def reorder(hits: Sequence[Hit], scores: Mapping[str, float]) -> list[Hit]:
    """The hits with those that have a score, by chunk id, in the order of their scores.

    They share the places that they had; hits without a score stay where they are. Equal scores
    keep their order. ``explain`` of a hit with a score gains its rank among them and the score.
    """
    scored = [hit for hit in hits if hit.chunk_id in scores]
    explained = []
    for rank, hit in enumerate(sorted(scored, key=lambda hit: -scores[hit.chunk_id]), start=1):
        score = StrategyScore(rank=rank, score=scores[hit.chunk_id])
        explained.append(hit.model_copy(update={"explain": {**hit.explain, EXPLAINED_AS: score}}))
    best_first = iter(explained)
    return [next(best_first) if hit.chunk_id in scores else hit for hit in hits]


async def reranked(
    query: str, hits: Sequence[Hit], chosen: Mapping[Reranking, Set[str]], rerankers: Rerankers
) -> tuple[list[Hit], tuple[Notice, ...]]:
    """The hits as the rerankers order them, and what went wrong.

    Args:
        chosen: the chunk ids that each reranker is to order.

    Returns:
        All the hits, and a warning for each reranker that failed: what it was to order is in
        the order of the search.

    Raises:
        AskPerson: a reranker is not set up.
    """
    ordered, warnings = list(hits), []
    for kind, ids in chosen.items():
        passages = [hit for hit in ordered if hit.chunk_id in ids]
        if not passages:
            continue
        try:
            scores = await rerankers[kind].score(query, passages)
        except (TryAgain, BadGeneration) as problem:
            warnings.append(
                Notice.of(
                    "Reranking ({reranker}) failed, hits keep the search's order: {reason}",
                    reranker=kind,
                    reason=problem,
                )
            )
        else:
            ids_of = (passage.chunk_id for passage in passages)
            ordered = reorder(ordered, dict(zip(ids_of, scores, strict=True)))
    return ordered, tuple(warnings)
