"""Reordering moves scored hits among their own places, and nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from services.domain import Hit, StrategyScore
from services.retrieval.rerank import reorder


def hit(number: int) -> Hit:
    return Hit(
        chunk_id=str(number),
        document_id="d",
        text_id="t",
        document="d.txt",
        title="",
        page=None,
        section="",
        heading_path=(),
        start=0,
        end=0,
        text="",
        score=1 / (1 + number),
        relevance=0.5,
        explain={"vector": StrategyScore(rank=number + 1, score=0.5)},
    )


scores_of = st.dictionaries(
    st.integers(0, 29).map(str), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), max_size=30
)


@given(count=st.integers(0, 30), scores=scores_of)
def test_reorder(count: int, scores: dict[str, float]) -> None:
    hits = [hit(number) for number in range(count)]
    ordered = reorder(hits, scores)
    scored = [each for each in ordered if each.chunk_id in scores]
    assert sorted(each.chunk_id for each in ordered) == sorted(each.chunk_id for each in hits)
    for before, after in zip(hits, ordered, strict=True):
        assert (before.chunk_id in scores) == (after.chunk_id in scores)
        if after.chunk_id not in scores:
            assert after == before
    # Best first, and equals in the order that they had.
    keys = [(-scores[each.chunk_id], int(each.chunk_id)) for each in scored]
    assert keys == sorted(keys)
    for rank, each in enumerate(scored, start=1):
        assert each.explain["rerank"] == StrategyScore(rank=rank, score=scores[each.chunk_id])
        assert each.explain["vector"] == hits[int(each.chunk_id)].explain["vector"]
