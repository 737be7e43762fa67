"""Thresholds move little, in the direction that helps, and only for votes that tell of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.library.thresholds import (
    DOWN_WEIGHT,
    GAP,
    REACH,
    WEIGHT_A_STEP,
    Boundary,
    Depth,
    Thresholds,
    Vote,
    adapted,
    lowest,
)

depths = st.sampled_from(["fast", "enhanced", "agent"])
votes = st.builds(
    Vote, up=st.booleans(), route=depths, depth=depths, score=st.floats(min_value=0, max_value=1)
)
FAST_DOWN = Vote(up=False, route="fast", depth="fast", score=0.30)
FAST_UP = FAST_DOWN.model_copy(update={"up": True})
ENHANCED_DOWN = Vote(up=False, route="enhanced", depth="enhanced", score=0.50)
# Votes that tell of a threshold, in numbers that move it far.
near = st.builds(
    Vote,
    up=st.booleans(),
    route=st.just("fast"),
    depth=st.just("fast"),
    score=st.floats(min_value=0.25, max_value=0.35),
)
near_agent = near.map(
    lambda vote: vote.model_copy(
        update={"route": "enhanced", "depth": "enhanced", "score": vote.score + 0.2}
    )
)
many = st.lists(st.one_of(votes, near, near_agent), max_size=150)


def values(thresholds: Thresholds) -> tuple[float, float]:
    return thresholds.fast.value, thresholds.agent.value


@given(many)
def test_bounded_and_in_order(given_votes: list[Vote]) -> None:
    found = adapted(given_votes)
    for each in (found.fast, found.agent):
        assert abs(each.hundredths - round(each.default * 100)) <= REACH + GAP
        assert each.why
    assert abs(found.agent.hundredths - 55) <= REACH
    assert found.fast.hundredths <= found.agent.hundredths - GAP
    assert 25 <= found.fast.hundredths <= 45


@given(many, st.randoms())
def test_the_order_of_votes_does_not_matter(given_votes: list[Vote], chance: object) -> None:
    shuffled = list(given_votes)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert adapted(shuffled) == adapted(given_votes)


@given(many, st.data())
def test_a_worse_vote_never_leads_to_less_depth(
    given_votes: list[Vote], data: st.DataObject
) -> None:
    before = values(adapted(given_votes))
    if given_votes:
        place = data.draw(st.integers(0, len(given_votes) - 1))
        worse = list(given_votes)
        worse[place] = worse[place].model_copy(update={"up": False})
        assert all(new <= old for new, old in zip(values(adapted(worse)), before, strict=True))
    more = data.draw(st.sampled_from([FAST_DOWN, ENHANCED_DOWN]))
    after = values(adapted([*given_votes, more]))
    assert all(new <= old for new, old in zip(after, before, strict=True))
    better = values(adapted([*given_votes, FAST_UP]))
    assert all(new >= old for new, old in zip(better, before, strict=True))


@given(many, votes)
def test_one_vote_moves_a_threshold_by_one_step_at_most(
    given_votes: list[Vote], more: Vote
) -> None:
    before, after = adapted(given_votes), adapted([*given_votes, more])
    assert abs(after.agent.hundredths - before.agent.hundredths) <= 1
    assert abs(after.fast.hundredths - before.fast.hundredths) <= 1


@given(st.lists(st.one_of(votes, near), max_size=WEIGHT_A_STEP // DOWN_WEIGHT - 1))
def test_few_votes_change_nothing(given_votes: list[Vote]) -> None:
    assert values(adapted(given_votes)) == (0.35, 0.55)


def test_no_votes_no_change() -> None:
    assert values(adapted([])) == values(lowest([])) == (0.35, 0.55)
    assert adapted([]).fast.origin == "default"


@given(st.lists(votes.filter(lambda vote: vote.route != vote.depth), max_size=60))
def test_a_depth_that_a_person_chose_tells_nothing(given_votes: list[Vote]) -> None:
    assert values(adapted(given_votes)) == (0.35, 0.55)


@given(st.lists(many, min_size=1, max_size=3))
def test_of_several_collections_the_one_that_needs_more_depth_counts(
    collections: list[list[Vote]],
) -> None:
    each = [adapted(given_votes) for given_votes in collections]
    together = lowest(each)
    assert together.agent.value == min(one.agent.value for one in each)
    assert together.fast.value == min(one.fast.value for one in each)


@pytest.mark.parametrize(
    ("votes", "boundary", "value"),
    [
        ([FAST_DOWN] * 4, "fast", 0.35),
        ([FAST_DOWN] * 5, "fast", 0.34),
        ([FAST_DOWN] * 500, "fast", 0.25),
        ([FAST_UP] * 9, "fast", 0.35),
        ([FAST_UP] * 10, "fast", 0.36),
        ([FAST_UP] * 500, "fast", 0.45),
        ([FAST_UP] * 20 + [FAST_DOWN] * 10, "fast", 0.35),
        ([ENHANCED_DOWN] * 5, "agent", 0.54),
        ([ENHANCED_DOWN] * 500 + [FAST_UP] * 500, "fast", 0.40),
    ],
)
def test_steps(votes: list[Vote], boundary: Boundary, value: float) -> None:
    assert getattr(adapted(votes), boundary).value == value


@pytest.mark.parametrize(
    ("score", "depth"),
    [
        (0.0, "fast"),
        (0.3499, "fast"),
        (0.35, "enhanced"),
        (0.1 + 0.2 + 0.05, "enhanced"),
        (0.5499, "enhanced"),
        (0.25 + 0.15 + 0.15, "agent"),
        (1.0, "agent"),
    ],
)
def test_a_score_on_a_threshold_reaches_it(score: float, depth: Depth) -> None:
    assert adapted([]).depth(score) == depth


@given(st.floats(min_value=0, max_value=1), st.floats(min_value=0, max_value=1), many)
def test_a_higher_score_never_gets_less_depth(one: float, other: float, given: list[Vote]) -> None:
    order: list[Depth] = ["fast", "enhanced", "agent"]
    thresholds = adapted(given)
    low, high = sorted((one, other))
    assert order.index(thresholds.depth(low)) <= order.index(thresholds.depth(high))
