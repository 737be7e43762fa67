"""How evidence is judged, and how parallel writes are joined."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models import TaskSummary
from agent.research.phases.validate import judge
from agent.research.state import join_by_task, join_evidence, kept_evidence, sum_by_key
from agent.research.tiers import TIER_WEIGHT
from services.domain import Evidence


def entry(chunk_id: str, **changes: object) -> Evidence:
    values: dict[str, object] = {
        "chunk_id": chunk_id,
        "document_id": "d",
        "document": "d.pdf",
        "section": "§ 1",
        "page": 1,
        "start": 0,
        "end": 10,
        "tier": 2,
        "weight": 0.7,
        "score": 0.5,
        "depth": 0,
        "source_type": "vector_search",
        "task_id": 1,
        "query": "q",
        "rank": 1,
    }
    return Evidence.model_validate({**values, **changes})


entries = st.lists(
    st.builds(
        lambda c, t, s, i: entry(c, tier=t, score=s, task_id=i),
        st.sampled_from("abc"),
        st.integers(1, 3),
        st.sampled_from([0.3, 0.5, 0.9]),
        st.integers(1, 3),
    ),
    max_size=8,
)


@given(entries, st.randoms())
def test_joined_evidence_does_not_depend_on_the_order(found: list, random: object) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert joined(found) == joined(shuffled)


def joined(found: list[Evidence]) -> dict[str, Evidence]:
    result: dict[str, Evidence] = {}
    for item in found:
        result = join_evidence(result, {item.chunk_id: item})
    return result


def test_better_tier_wins() -> None:
    result = join_evidence({"a": entry("a", tier=2)}, {"a": entry("a", tier=1)})
    assert result["a"].tier == 1
    assert join_evidence(result, {"a": entry("a", tier=3, score=0.9)})["a"].tier == 1


def test_a_verdict_replaces_whatever_stood_there() -> None:
    verdict = entry("a", tier=3, relevance=0.1, status="dropped", reason="far")
    assert join_evidence({"a": entry("a", tier=1)}, {"a": verdict})["a"] == verdict


@pytest.mark.parametrize(
    ("tier", "relevance", "verdict"),
    [
        (1, 0.5, ("kept", 1, 1.0)),
        (1, 0.49, ("kept", 2, 0.7)),
        (1, 0.39, ("kept", 3, 0.4)),
        (2, 0.35, ("kept", 3, 0.4)),
        (3, 0.9, ("kept", 3, 0.4)),
        (1, 0.29, ("dropped", 1, 1.0)),
        (3, 0.29, ("dropped", 3, 0.4)),
    ],
)
def test_evidence_moves_down_before_it_is_dropped(
    tier: int, relevance: float, verdict: tuple[str, int, float]
) -> None:
    judged = judge(entry("a", tier=tier, weight=TIER_WEIGHT[tier]), relevance)
    assert (judged.status, judged.tier, judged.weight) == verdict
    assert (judged.reason is None) == (judged.status == "kept")


def test_dropped_evidence_is_not_kept() -> None:
    state = {"evidence": {"a": entry("a"), "b": entry("b", status="dropped")}}
    assert [e.chunk_id for e in kept_evidence(state)] == ["a"]  # type: ignore[arg-type]


def test_a_redone_task_replaces_its_own_results_only() -> None:
    def summary(task_id: int, text: str) -> TaskSummary:
        return TaskSummary(
            task_id=task_id, task="t", summary=text, key_findings=(), references=(), relevance=0.5
        )

    known = [summary(1, "old"), summary(2, "other")]
    result = join_by_task(known, [summary(1, "new")])
    assert [item.summary for item in result] == ["new", "other"]


def test_seconds_add_up_by_phase() -> None:
    assert sum_by_key({"plan": 1.0}, {"plan": 0.5, "extract": 2.0}) == {"plan": 1.5, "extract": 2.0}
