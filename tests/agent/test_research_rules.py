"""The rules of research as functions of values: tiers, verdicts, joins, scores."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models import (
    PartAnswered,
    QualityAssessment,
    SectionDraft,
    TaskFinding,
    TaskReading,
    TaskSummary,
)
from agent.research.phases.assess import DIMENSIONS, assess, compare
from agent.research.phases.validate import apply_grade, keep_first, strayed
from agent.research.state import join_by_task, join_evidence, kept_evidence
from agent.research.tiers import TIER_WEIGHT, dedup_ratio, tier_by_relevance, tier_of
from services.domain import Certainty, Citation, CitedSentence, Evidence, Standing
from services.domain.notices import Notice


@pytest.mark.parametrize(
    ("relevance", "tier"), [(0.60, 1), (0.59, 2), (0.40, 2), (0.39, 3), (0.0, 3)]
)
def test_the_tier_of_a_passage_that_nobody_read_follows_from_its_relevance(
    relevance: float, tier: int
) -> None:
    assert tier_by_relevance(relevance) == tier


@given(st.floats(0, 1), st.floats(0, 1))
def test_more_relevance_never_lowers_the_tier(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert tier_by_relevance(high) <= tier_by_relevance(low)


def test_where_nothing_is_found_nothing_repeats_itself() -> None:
    assert dedup_ratio(hits=0, duplicates=0) == 0


def entry(chunk_id: str = "a", tier: int = 2, **changes: Any) -> Evidence:
    values = {
        "chunk_id": chunk_id, "document_id": "d", "document": "d.pdf", "section": "§ 1", "page": 1,
        "start": 0, "end": 10, "tier": tier, "weight": TIER_WEIGHT[tier], "score": 0.5, "depth": 0,
        "source_type": "vector_search", "task_id": 1, "query": "q", "rank": 1,
    }  # fmt: skip
    return Evidence.model_validate(values | changes)


CITED = Citation(
    document_id="d", document="d.pdf", section="§ 1", page=None, start=0, end=9, quote="Ein Satz.",
    verified=True,
)  # fmt: skip


def finding(name: str = "1.1", tier: int = 1, **changes: Any) -> TaskFinding:
    values = {
        "id": name, "task_id": int(name[0]), "text": f"Satz {name}", "standing": "follows",
        "citations": (CITED,), "chunk_ids": ("a",), "tier": tier, "weight": TIER_WEIGHT[tier],
        "score": 0.5,
    }  # fmt: skip
    return TaskFinding.model_validate(values | changes)


@pytest.mark.parametrize(
    ("source_type", "hops", "beside", "tier"),
    [
        ("vector_search", 0, False, 1),
        ("vector_search", 0, True, 2),
        ("reference", 1, False, 2),
        ("graph", 1, False, 2),
        ("reference", 2, False, 3),
        ("hitl", 0, False, 3),
    ],
)
def test_a_proven_claim_has_the_tier_of_the_way_to_its_place(
    source_type: str, hops: int, beside: bool, tier: int
) -> None:
    assert tier_of(source_type, hops, is_neighbour=beside) == tier


@pytest.mark.parametrize(
    ("tier", "grade", "status", "fitting"),
    [
        (1, 5.0, "kept", 1),
        (1, 4.9, "kept", 2),
        (1, 3.9, "kept", 3),
        (3, 9.0, "kept", 3),
        (1, 2.999, "dropped", 1),
        (3, 2.149, "dropped", 3),
    ],
)
def test_a_finding_moves_down_before_it_is_dropped_and_the_reason_shows_why(
    tier: int, grade: float, status: str, fitting: int
) -> None:
    judged = apply_grade(finding(tier=tier), grade, None)
    assert (judged.status, judged.tier, judged.weight) == (status, fitting, TIER_WEIGHT[fitting])
    assert (judged.reason is None) == (status == "kept")
    if judged.reason is not None:
        shown = str(judged.reason).removeprefix("relevance ").split(" ")[0]
        assert float(shown) < 0.3 and float(shown) == pytest.approx(grade / 10, abs=0.0051)


def test_what_a_person_restored_stays_and_what_nobody_graded() -> None:
    why = Notice.of("{why}", why="another case")
    assert apply_grade(finding(status="restored"), 0.0, why).status == "restored"
    assert apply_grade(finding(), None, None).status == "kept"
    dropped = apply_grade(finding(), 0.0, why)
    assert (dropped.status, dropped.reason, dropped.text) == ("dropped", why, "Satz 1.1")


def test_without_a_model_the_first_quote_of_each_task_stays() -> None:
    near = finding("1.1")
    far = [apply_grade(finding(name), 0.1, None) for name in ("1.2", "2.1", "2.2")]
    kept = keep_first([near, *far])
    assert [each.id for each in kept if each.counts] == ["1.1", "2.1"]
    assert kept[2].tier == 3 and kept[2].reason is None


def test_a_research_strayed_that_lost_all_that_was_proven() -> None:
    lost = [finding("1.1", status="dropped"), finding("2.1", status="dropped")]
    assert strayed(lost) and strayed([*lost, finding("3.1", standing="quote")])
    assert not strayed([*lost, finding("3.1")]), "a right answer needs no warning"


entries = st.lists(
    st.builds(
        lambda c, t, s, i: entry(c, t, score=s, task_id=i),
        st.sampled_from("abc"),
        st.integers(1, 3),
        st.sampled_from([0.3, 0.5, 0.9]),
        st.integers(1, 3),
    ),
    max_size=8,
)


@given(entries, st.randoms())
def test_joined_evidence_does_not_depend_on_the_order(found: list[Evidence], random: Any) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)
    assert joined(found) == joined(shuffled)


def joined(found: list[Evidence]) -> dict[str, Evidence]:
    result: dict[str, Evidence] = {}
    for item in found:
        result = join_evidence(result, {item.chunk_id: item})
    return result


def test_the_better_tier_wins_and_a_verdict_replaces_whatever_stood_there() -> None:
    verdict = entry(tier=3, relevance=0.1, status="dropped", reason="far")
    assert joined([entry(tier=2), entry(tier=1), entry(tier=3, score=0.9)])["a"].tier == 1
    result = joined([entry(tier=1), verdict, entry("b")])
    assert result["a"] == verdict
    assert kept_evidence({"evidence": result}) == [entry("b")]


def test_a_redone_task_replaces_its_own_results_only() -> None:
    def summary(task_id: int, text: str) -> TaskSummary:
        return TaskSummary(
            task_id=task_id, task="t", summary=text, key_findings=(), references=(), relevance=0.5
        )

    result = join_by_task([summary(1, "old"), summary(2, "other")], [summary(1, "new")])
    assert [item.summary for item in result] == ["new", "other"]


def said(*, standing: Standing = "quote", verified: bool = True) -> CitedSentence:
    supported = standing in ("quote", "follows")
    citation = CITED.model_copy(update={"verified": verified})
    return CitedSentence(text="?", supported=supported, standing=standing, citations=(citation,))


GOOD, LOOSE, WRONG = said(), said(standing="loose"), said(standing="loose", verified=False)
NOTHING = ["a task found nothing: ?", "the report says nothing that can be checked"]


@pytest.mark.parametrize(
    ("sentences", "tasks", "scores", "remarks"),
    [
        ([GOOD], ["yes"], (100, 100, 100, 100), []),
        ([GOOD], ["yes", "nothing"], (100, 50, 50, 100), ["a task found nothing: ?"]),
        ([GOOD], ["perhaps"], (100, 50, 100, 100), ["possibly covered: ?"]),
        ([GOOD], ["partly"], (100, 50, 100, 100), ["partly covered: ?"]),
        ([GOOD, LOOSE], ["yes"], (50, 100, 100, 100), ["unproven sentences: 1"]),
        (
            [GOOD, WRONG],
            ["yes"],
            (50, 100, 100, 50),
            ["unproven sentences: 1", "quotes that are not in the text: 1"],
        ),
        ([], ["nothing"], (0, 0, 0, 0), NOTHING),
    ],
)
def test_whatever_is_below_100_has_a_remark_and_no_remark_stands_beside_400(
    sentences: list[CitedSentence], tasks: list[str], scores: tuple[float, ...], remarks: list[str]
) -> None:
    lead = SectionDraft(heading="", sentences=tuple(sentences))
    sections = [
        SectionDraft(heading="?", sentences=(), task_id=n) for n in range(1, len(tasks) + 1)
    ]
    sure: dict[str, Certainty] = {"nothing": "refused", "perhaps": "perhaps"}
    parts = [PartAnswered(text="?", certainty=sure.get(each, "answered")) for each in tasks]
    read = {"nothing": "no", "perhaps": "no"}
    readings = {
        n: TaskReading(task_id=n, answered=read.get(each, each))
        for n, each in enumerate(tasks, start=1)
    }
    quality = assess([lead, *sections], parts, readings, [])
    assert tuple(getattr(quality, name) for name in DIMENSIONS) == scores
    assert quality.total == pytest.approx(sum(scores))
    assert list(map(str, quality.remarks)) == remarks


@pytest.mark.parametrize(
    ("other", "score"),
    [
        ({}, 50),
        ({"tier": 2}, 100),
        ({"repeats": "1.1"}, 100),
        ({"status": "dropped"}, 100),
        ({"standing": "quote"}, 100),
    ],
)
def test_a_finding_of_the_first_tier_that_the_writer_did_not_use_is_named(
    other: dict[str, Any], score: int
) -> None:
    used, unused = finding("1.1"), finding("1.2", **other)
    draft = SectionDraft(heading="?", sentences=(GOOD,), task_id=1, used=(used.id,))
    part = PartAnswered(text="?", certainty="answered")
    reading = TaskReading(task_id=1, answered="yes")
    quality = assess([draft], [part], {1: reading}, [used, unused])
    assert quality.structural_integrity == score
    named = ["not used in the report: Satz 1.2"] if score < 100 else []
    assert list(map(str, quality.remarks)) == named


@pytest.mark.parametrize(("second", "helped"), [(300.0, True), (200.0, False), (150.0, False)])
def test_a_revision_counts_only_if_it_is_compare(second: float, helped: bool) -> None:
    one, other = (
        QualityAssessment(**dict.fromkeys(DIMENSIONS, total / 4), total=total)
        for total in (200.0, second)
    )
    kept, is_better = compare(one, other)
    assert is_better is helped is kept.revision_helped and kept.revised
    assert kept.total == max(200.0, second)
    assert (kept.before["total"], kept.after["total"]) == (200.0, second)
