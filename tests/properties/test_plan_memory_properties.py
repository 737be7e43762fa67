"""The planner repository's scoring and its filter."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from services.domain.plan_cases import CaseTask, PlanCase
from services.library.plan_memory import adjusted_score, most_efficient, similarity_of
from services.retrieval.embedders.base import E5_CALIBRATION

cases = st.builds(
    PlanCase,
    case_id=st.uuids().map(str),
    thread_id=st.just("t"),
    kind=st.just("research"),
    language=st.just("de"),
    question=st.sampled_from(["Was kostet Holz?", "was kostet das Holz", "Was kostet Stahl?"]),
    collections=st.just(()),
    tasks=st.just((CaseTask(task="x"),)),
    approved=st.just(True),
    had_plan_improvements=st.booleans(),
    had_tactical_improvements=st.booleans(),
    tokens=st.integers(0, 3),
    seconds=st.sampled_from([1.0, 2.0]),
    vote=st.sampled_from([None, True]),
)


@given(similarity=st.floats(0, 1), case=cases)
def test_each_self_correction_costs_five_hundredths(similarity: float, case: PlanCase) -> None:
    expected = similarity
    expected -= 0.05 if case.had_tactical_improvements else 0
    expected -= 0.05 if case.had_plan_improvements else 0
    assert abs(adjusted_score(similarity, case) - expected) < 1e-12


@given(a=st.floats(-1, 1), b=st.floats(-1, 1))
def test_similarity_is_bounded_and_grows_with_the_cosine(a: float, b: float) -> None:
    low, high = sorted((a, b))
    near, nearer = (similarity_of(each, E5_CALIBRATION) for each in (low, high))
    assert 0 <= near <= nearer <= 1 == similarity_of(1.0, E5_CALIBRATION)


@given(some=st.lists(cases, max_size=4, unique_by=lambda case: case.case_id))
def test_of_each_question_the_cheapest_well_rated_case_stays(some: list[PlanCase]) -> None:
    kept = most_efficient(some)
    assert len({case.question.rstrip("?").replace("das ", "").casefold() for case in kept}) == len(
        kept
    )
    for case in some:
        (best,) = (each for each in kept if ("Holz" in each.question) == ("Holz" in case.question))
        assert (not best.vote, best.tokens, best.seconds) <= (
            not case.vote,
            case.tokens,
            case.seconds,
        )
    for order in permutations(some):
        assert {each.case_id for each in most_efficient(order)} == {each.case_id for each in kept}
