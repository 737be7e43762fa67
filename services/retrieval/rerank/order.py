"""Hits in the order of a reranker, where one is wanted."""

from collections.abc import Mapping, Sequence, Set

from services.domain import Hit, Reranking, StrategyScore
from services.domain.errors import BadGeneration, TryAgain
from services.domain.notices import Notice
from services.retrieval.rerank.base import Rerankers

EXPLAINED_AS = "rerank"


def reorder(hits: Sequence[Hit], scores: Mapping[str, float]) -> list[Hit]:
    """The hits with those that have a score, by chunk id, in the order of their scores.

    They share the places that they had; hits without a score stay where they are. Equal scores
    keep their order. ``explain`` of a hit with a score gains its rank among them and the score.
    """
    scored = [hit for hit in hits if hit.chunk_id in scores]
    best_first = sorted(scored, key=lambda hit: -scores[hit.chunk_id])
    explained = iter(
        _explained(hit, rank, scores[hit.chunk_id]) for rank, hit in enumerate(best_first, start=1)
    )
    return [next(explained) if hit.chunk_id in scores else hit for hit in hits]


async def reranked(
    query: str,
    hits: Sequence[Hit],
    chosen: Mapping[Reranking, Set[str]],
    rerankers: Rerankers,
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


def _explained(hit: Hit, rank: int, score: float) -> Hit:
    place = StrategyScore(rank=rank, score=score)
    return hit.model_copy(update={"explain": {**hit.explain, EXPLAINED_AS: place}})
