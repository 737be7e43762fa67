"""Freshness, blend, cap and merge over all inputs."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain import Hit, SearchOptions
from services.retrieval.scoring import (
    UNDATED_FRESHNESS,
    age_days,
    blend,
    freshness,
    merge,
    select,
)
from tests.contracts.reranker_contract import passage

shares = st.floats(min_value=0.0, max_value=1.0)
ages = st.floats(min_value=0.0, max_value=1e5)
rates = st.floats(min_value=0.0, max_value=10.0)
rankings = st.lists(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), shares), max_size=8), max_size=4
)
some_options = st.builds(
    SearchOptions,
    min_relevance=shares,
    max_chunks_per_document=st.integers(0, 4),
    freshness_weight=st.just(0.0) | shares,
)


def hit(name: int, **fields: object) -> Hit:
    return passage("", name).model_copy(update=fields)


@st.composite
def hits(draw: st.DrawFn) -> list[Hit]:
    """Ranked by score, as the retriever hands them over."""
    names = draw(st.lists(st.integers(0, 50), unique=True, max_size=20))
    found = [
        hit(
            name,
            document_id=draw(st.sampled_from("xyz")),
            score=draw(shares),
            relevance=draw(shares),
        )
        for name in names
    ]
    return sorted(found, key=lambda each: (-each.score, each.chunk_id))


freshnesses = st.lists(shares, min_size=51, max_size=51).map(
    lambda values: {f"c{n}": value for n, value in enumerate(values)}
)


@given(days=ages, more=ages, rate=rates)
def test_freshness_is_bounded_and_falls_with_age(days: float, more: float, rate: float) -> None:
    assert 0.0 <= freshness(days + more, rate) <= freshness(days, rate) <= 1.0
    assert freshness(0.0, rate) == 1.0
    assert freshness(None, rate) == UNDATED_FRESHNESS


@given(days=ages, rate=rates, more=rates)
def test_freshness_falls_with_the_rate(days: float, rate: float, more: float) -> None:
    assert freshness(days, rate + more) <= freshness(days, rate)


@given(moment=st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)), days=ages)
def test_an_age_is_what_was_subtracted(moment: datetime, days: float) -> None:
    now = moment.replace(tzinfo=UTC)
    then = now - timedelta(days=min(days, 30_000))
    age = age_days(then.isoformat(), now)
    assert age == pytest.approx(min(days, 30_000), abs=1e-6)
    assert age_days(now.isoformat(), then) == 0.0


@given(similarity=shares, fresh=shares, weight=shares, more=shares)
def test_a_blend_lies_between_and_grows_with_both(
    similarity: float, fresh: float, weight: float, more: float
) -> None:
    blended = blend(similarity, fresh, weight)
    low, high = sorted((similarity, fresh))
    assert low - 1e-12 <= blended <= high + 1e-12
    assert blend(max(similarity, more), fresh, weight) >= blended - 1e-12
    assert blend(similarity, max(fresh, more), weight) >= blended - 1e-12
    assert blend(similarity, fresh, 0.0) == similarity
    assert blend(similarity, fresh, 1.0) == fresh


@given(items=st.lists(st.integers(0, 5)), most=st.integers(0, 4))
def test_a_cap_keeps_the_first_of_each_in_their_order(items: list[int], most: int) -> None:
    numbered = list(enumerate(items))
    found = [hit(n, document_id=str(key)) for n, key in numbered]
    chosen = select(found, SearchOptions(max_chunks_per_document=most), {})
    kept = [numbered[found.index(each)] for each in chosen]
    assert kept == sorted(kept)
    counts = Counter(key for _, key in kept)
    wanted = Counter(items)
    assert counts == {key: min(n, most) if most else n for key, n in wanted.items()}
    for key in counts:
        assert [n for n, each in kept if each == key] == [n for n, each in numbered if each == key][
            : counts[key]
        ]


@given(found=hits(), options=some_options, fresh=freshnesses)
def test_a_selection_obeys_its_options(
    found: list[Hit], options: SearchOptions, fresh: dict[str, float]
) -> None:
    chosen = select(found, options, fresh)
    assert len({each.chunk_id for each in chosen}) == len(chosen)
    assert all(each.relevance >= options.min_relevance for each in chosen)
    per_document = Counter(each.document_id for each in chosen)
    if options.max_chunks_per_document:
        assert max(per_document.values(), default=0) <= options.max_chunks_per_document
    scores = [each.score for each in chosen]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


@given(found=hits())
def test_options_that_do_nothing_change_nothing(found: list[Hit]) -> None:
    assert select(found, SearchOptions(), {}) == found


@given(found=hits(), options=some_options, fresh=freshnesses)
def test_the_order_of_the_input_decides_nothing_once_freshness_counts(
    found: list[Hit], options: SearchOptions, fresh: dict[str, float]
) -> None:
    weighed = options.model_copy(update={"freshness_weight": 0.3})
    assert select(found, weighed, fresh) == select(found[::-1], weighed, fresh)


@given(found=rankings)
def test_collections_compete_on_merit(found: list[list[tuple[str, float]]]) -> None:
    merged = merge(found)
    best: dict[str, float] = {}
    for name, score in (item for ranking in found for item in ranking):
        best[name] = max(best.get(name, 0.0), score)
    assert dict(merged) == best and len(merged) == len(best)
    assert [score for _, score in merged] == sorted(best.values(), reverse=True)
    assert merge(found[::-1]) == merge([*found, *found]) == merged
