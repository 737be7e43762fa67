"""The rules of research as functions of values: tiers, verdicts, joins, quotes of parts, scores."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models import (
    QualityAssessment,
    SectionDraft,
    TaskSummary,
)
from agent.research.outline import Part, coverage, deal, opening, overall
from agent.research.phases.assess import DIMENSIONS, assess, better
from agent.research.phases.clarify import differ
from agent.research.phases.extract import with_second_document
from agent.research.phases.validate import judge
from agent.research.state import join_by_task, join_evidence, kept_evidence
from agent.research.tiers import TIER_WEIGHT, classify, converged, dedup_ratio
from services.domain import CaseSpan, Certainty, CitedSentence, Evidence, EvidenceSentence, Standing

SOURCES = st.sampled_from(["vector_search", "reference", "graph", "hitl"])


@pytest.mark.parametrize(
    ("relevance", "depth", "source_type", "entity", "tier"),
    [
        (0.60, 0, "vector_search", False, 1),
        (0.59, 0, "vector_search", False, 2),
        (0.50, 0, "vector_search", True, 1),
        (0.29, 0, "vector_search", False, None),
        (0.95, 1, "reference", False, 2),
        (0.95, 2, "graph", True, 3),
        (0.95, 0, "hitl", True, 3),
    ],
)
def test_a_tier_follows_from_relevance_and_distance(
    relevance: float, depth: int, source_type: str, entity: bool, tier: int | None
) -> None:
    found = classify(relevance=relevance, depth=depth, source_type=source_type, entity_match=entity)
    assert found == tier


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 4), SOURCES, st.booleans())
def test_more_relevance_never_lowers_the_tier(
    a: float, b: float, depth: int, source_type: str, entity: bool
) -> None:
    low, high = sorted((a, b))
    worse = classify(relevance=low, depth=depth, source_type=source_type, entity_match=entity)
    better = classify(relevance=high, depth=depth, source_type=source_type, entity_match=entity)
    assert worse is None or (better is not None and better <= worse)


def test_convergence_needs_coverage_repetition_and_few_gaps() -> None:
    at_the_bounds = {"coverage": 0.8, "dedup": dedup_ratio(hits=10, seen=7), "gaps": 2}
    assert converged(**at_the_bounds)
    for worse in ({"coverage": 0.79}, {"dedup": 0.69}, {"gaps": 3}):
        assert not converged(**{**at_the_bounds, **worse})
    assert dedup_ratio(hits=0, seen=0) == 0


def entry(chunk_id: str = "a", tier: int = 2, **changes: Any) -> Evidence:
    values = {
        "chunk_id": chunk_id, "document_id": "d", "document": "d.pdf", "section": "§ 1", "page": 1,
        "start": 0, "end": 10, "tier": tier, "weight": TIER_WEIGHT[tier], "score": 0.5, "depth": 0,
        "source_type": "vector_search", "task_id": 1, "query": "q", "rank": 1,
    }  # fmt: skip
    return Evidence.model_validate(values | changes)


@pytest.mark.parametrize(
    ("tier", "relevance", "status", "fitting"),
    [
        (1, 0.5, "kept", 1),
        (1, 0.49, "kept", 2),
        (1, 0.39, "kept", 3),
        (3, 0.9, "kept", 3),
        (1, 0.2999, "dropped", 1),
        (3, 0.2149, "dropped", 3),
    ],
)
def test_evidence_moves_down_before_it_is_dropped_and_the_reason_shows_why(
    tier: int, relevance: float, status: str, fitting: int
) -> None:
    judged = judge(entry(tier=tier), relevance)
    assert (judged.status, judged.tier, judged.weight) == (status, fitting, TIER_WEIGHT[fitting])
    assert (judged.reason is None) == (status == "kept")
    if judged.reason is not None:
        shown = str(judged.reason).removeprefix("relevance ").split(" ")[0]
        assert float(shown) < 0.3 and float(shown) == pytest.approx(relevance, abs=0.0051)


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


def sentence(start: int, document: str = "d") -> EvidenceSentence:
    return EvidenceSentence(
        document_id=document, document=document, section="", page=None,
        start=start, end=start + 9, quote=f"Satz {document} {start}", context="",
    )  # fmt: skip


A, B, C = sentence(0), sentence(10), sentence(20)


def part(certainty: Certainty, *ranked: tuple[float, EvidenceSentence]) -> Part:
    return Part(text="?", certainty=certainty, ranked=ranked)


SURE = part("answered", (0.9, A), (0.85, B), (0.8, C))


@pytest.mark.parametrize(
    ("parts", "restored", "dealt"),
    [
        ([SURE, part("answered", (0.7, B), (0.1, A), (0.1, C))], [], [[A, C], [B]]),
        ([part("answered", (0.9, A), (0.2, B), (0.1, C))], [], [[A]]),
        ([part("answered", (0.9, A), (0.8, C), (0.1, B))], [B], [[A, B, C]]),
        ([part("refused", (0.05, A), (0.04, B), (0.03, C))], [], [[]]),
        ([part("refused", (0.05, A), (0.04, B), (0.02, C))], [B], [[A, B]]),
    ],
    ids=["the best of a part stays", "far less sure", "restored", "refused", "refused, restored"],
)
def test_each_quote_goes_to_the_part_that_it_answers_best(
    parts: list[Part], restored: list[EvidenceSentence], dealt: list[list[EvidenceSentence]]
) -> None:
    assert [[*each.quotes] for each in deal(parts, [A, B, C], restored)] == dealt


def test_coverage_is_the_share_of_answered_parts() -> None:
    assert coverage([part("answered"), part("perhaps"), part("refused"), part("refused")]) == 0.375
    assert coverage([]) == 0
    assert overall(["refused", "perhaps"]) == "perhaps" and overall([]) == "refused"


def said(*, standing: Standing = "quote", verified: bool = True) -> CitedSentence:
    supported = standing in ("quote", "follows")
    citation = A.bare().model_copy(update={"verified": verified})
    return CitedSentence(text="?", supported=supported, standing=standing, citations=(citation,))


GOOD, LOOSE, WRONG = said(), said(standing="loose"), said(standing="loose", verified=False)


def summary(*gaps: str) -> TaskSummary:
    return TaskSummary(
        task_id=1, task="?", summary="", key_findings=(), references=(), relevance=0.0, gaps=gaps
    )


@pytest.mark.parametrize(
    ("sentences", "parts", "tasks", "scores", "remarks"),
    [
        ([GOOD], ["answered"], [summary()], (100, 100, 100, 100), []),
        ([GOOD], ["answered", "refused"], [summary()], (100, 50, 50, 100), ["not covered: ?"]),
        ([GOOD], ["perhaps"], [summary()], (100, 50, 100, 100), ["perhaps covered: ?"]),
        (
            [GOOD],
            ["answered"],
            [summary(), summary("x")],
            (100, 100, 50, 100),
            ["a task found nothing: ?"],
        ),
        (
            [GOOD, LOOSE],
            ["answered"],
            [summary()],
            (50, 100, 100, 100),
            ["sentences that are no proof: 1"],
        ),
        (
            [GOOD, WRONG],
            ["answered"],
            [summary()],
            (50, 100, 100, 50),
            ["sentences that are no proof: 1", "quotes that are not in the text: 1"],
        ),
        (
            [],
            ["refused"],
            [summary("x")],
            (0, 0, 0, 0),
            ["not covered: ?", "a task found nothing: ?", "nothing is said that could be checked"],
        ),
    ],
)
def test_whatever_is_below_100_has_a_remark_and_no_remark_stands_beside_400(
    sentences: list[CitedSentence],
    parts: list[Certainty],
    tasks: list[TaskSummary],
    scores: tuple[float, ...],
    remarks: list[str],
) -> None:
    draft = SectionDraft(heading="", sentences=tuple(sentences))
    others = [
        draft.model_copy(update={"heading": "?", "sentences": (), "certainty": sure})
        for sure in parts
    ]
    quality = assess([draft, *others], tasks)
    assert tuple(getattr(quality, name) for name in DIMENSIONS) == scores
    assert quality.total == pytest.approx(sum(scores))
    assert list(map(str, quality.remarks)) == remarks


@pytest.mark.parametrize(("second", "helped"), [(300.0, True), (200.0, False), (150.0, False)])
def test_a_revision_counts_only_if_it_is_better(second: float, helped: bool) -> None:
    one, other = (
        QualityAssessment(**dict.fromkeys(DIMENSIONS, total / 4), total=total)
        for total in (200.0, second)
    )
    kept, is_better = better(one, other)
    assert is_better is helped is kept.revision_helped and kept.revised
    assert kept.total == max(200.0, second)
    assert (kept.before["total"], kept.after["total"]) == (200.0, second)


def worded(start: int, quote: str, case: tuple[int, int] | None = None) -> EvidenceSentence:
    span = case and CaseSpan(text="?", start=case[0], end=case[1])
    return sentence(start).model_copy(update={"quote": quote, "case": span})


HELMET, GIRTH = worded(0, "Der Helm ist Pflicht."), worded(20, "Der Gurt ist Pflicht.")
FRAGMENTS = [
    worded(40, "3. gegen die Vorschriften verstößt,"),
    worded(40, "Dies gilt nicht."),
    worded(40, "Who wears a helmet?"),
    worded(40, "Folgendes ist Pflicht:"),
]
SPECIAL = worded(40, "Im Turm genügt der Gurt.", case=(0, 9))


@pytest.mark.parametrize(
    ("pieces", "opens"),
    [
        ([(0.9, HELMET), (0.89, GIRTH)], HELMET),
        *(([(0.9, fragment), (0.6, GIRTH)], GIRTH) for fragment in FRAGMENTS),
        ([(0.9, FRAGMENTS[0])], FRAGMENTS[0]),
        ([(0.9, SPECIAL), (0.88, GIRTH)], GIRTH),
        ([(0.9, SPECIAL), (0.8, GIRTH)], SPECIAL),
        ([(0.9, SPECIAL), (0.88, HELMET)], SPECIAL),  # it begins with that
    ],
)
def test_a_report_opens_with_what_can_be_read_first(
    pieces: list[tuple[float, EvidenceSentence]], opens: EvidenceSentence
) -> None:
    assert opening(pieces) == opens


@pytest.mark.parametrize(
    ("found", "expected"),
    [("abc abc", False), ("abc abd", True), ("abcd abce", False), ("abcd abce xyzw", True)],
)
def test_readings_differ_where_a_third_of_the_passages_does(found: str, expected: bool) -> None:
    assert differ(found.split()) is expected


def ranked(score: float, document: str, start: int = 0) -> tuple[float, EvidenceSentence]:
    return score, sentence(start, document)


ONE, TWO, THREE = ranked(0.9, "one"), ranked(0.88, "one", 10), ranked(0.85, "one", 20)
NEAR, POOR, THIRD = ranked(0.8, "two"), ranked(0.5, "two"), ranked(0.8, "three")


@pytest.mark.parametrize(
    ("chosen", "others", "expected"),
    [
        ([ONE, TWO, THREE], [NEAR], [ONE, TWO, NEAR, THREE]),
        ([ONE], [NEAR], [ONE, NEAR]),
        ([ONE, TWO, THREE], [POOR], [ONE, TWO, THREE]),
        ([ONE, NEAR], [THIRD], [ONE, NEAR]),
    ],
    ids=["comes third", "comes second", "too poor", "two are enough"],
)
def test_another_document_that_is_nearly_as_good_is_quoted(
    chosen: list[Any], others: list[Any], expected: list[Any]
) -> None:
    assert with_second_document(chosen, [*chosen, *others]) == expected
