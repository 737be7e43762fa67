"""Verdicts of validation, and the reasons that a reader is given."""

import pytest

from agent.research.phases.validate import judge
from agent.research.tiers import DRIFT_THRESHOLD
from services.domain import Evidence

LOWEST = min(DRIFT_THRESHOLD.values())


def entry(tier: int) -> Evidence:
    return Evidence(
        chunk_id="c", document_id="d", document="a.txt", section="", page=None, start=0, end=9,
        tier=tier, weight=1.0, score=0.5, depth=0, source_type="vector_search", task_id=1,
        query="", rank=1,
    )  # fmt: skip


@pytest.mark.parametrize("relevance", [0.0, 0.2149, 0.295, 0.298, 0.2996, 0.2999])
@pytest.mark.parametrize("tier", [1, 3])
def test_a_reason_shows_the_digits_that_decide(tier: int, relevance: float) -> None:
    dropped = judge(entry(tier), relevance)
    assert dropped.status == "dropped" and dropped.reason is not None
    shown, _, bound = (
        str(dropped.reason).removeprefix("relevance ").partition(" to the question is below ")
    )
    assert float(bound) == LOWEST and float(shown) < LOWEST
    assert float(shown) == pytest.approx(relevance, abs=0.0051)
