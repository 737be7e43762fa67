"""Validation: findings that drifted from the anchored question are dropped, with a reason."""

import asyncio
from collections.abc import Mapping, Sequence, Set
from typing import Final

from agent.context import Context
from agent.models import QueryAnchor, TaskFinding
from agent.prompts.research import GradeFindings, GradeInput
from agent.research.findings import of_older
from agent.research.state import ResearchState
from agent.research.tiers import DRIFT_THRESHOLD, DRIFT_WARNING_SHARE, TIER_WEIGHT, drifted
from agent.step import Step, Update, node
from services.domain import Evidence
from services.domain.events import EvidenceDropped
from services.domain.notices import Notice

BEST_GRADE: Final = 10


@node
async def validate_relevance(state: ResearchState, step: Step) -> Update:
    """Grades every finding against question and refinements; drops what drifted from both."""
    findings = state.get("findings") or of_older(state.get("preserved_quotes", []))
    graded = await _graded(findings, state, step)
    judged = [judge(each, *graded.get(each.id, (each.grade, None))) for each in findings]
    read = {each.task_id for each in state.get("readings", []) if each.reads}
    judged = with_the_first(judged, but=read)
    evidence = _of_findings(judged, state["evidence"])
    for entry in evidence.values():
        if entry.status == "dropped":
            step.emit(
                EvidenceDropped(
                    **entry.model_dump(include={"chunk_id", "document", "section", "tier"}),
                    score=entry.relevance or 0.0,
                    reason=entry.reason or "",
                )
            )
    dropped = [each for each in judged if not each.counts]
    if judged and len(dropped) / len(judged) > DRIFT_WARNING_SHARE:
        step.warn(
            Notice.of(
                "{dropped} of {total} findings were dropped as drift: the tasks may have led away "
                "from the question.",
                dropped=len(dropped),
                total=len(judged),
            )
        )
    return {"findings": judged, "evidence": evidence, "revisions": 0}


Graded = tuple[float | None, Notice | None]
"""A grade of 0 to 10, None where nobody graded, and why."""


async def _graded(
    findings: Sequence[TaskFinding], state: ResearchState, step: Step
) -> dict[str, Graded]:
    """What each finding is worth to the question: by the model that reads, else by relevance."""
    anchor = state["query_anchor"]
    if not state.get("reads"):
        return await asyncio.to_thread(_by_relevance, findings, anchor, step.context)
    if not findings:
        return {}
    tasks = {task.id: task.task for task in state["todo_list"]}
    lines = (f"{n}. ({tasks[f.task_id]}) {f.text}" for n, f in enumerate(findings, start=1))
    inp = GradeInput(
        question=anchor.original_query,
        language=anchor.detected_language,
        findings=tuple(lines),
        said=anchor.hitl_refinements,
    )
    grades = await step.run(GradeFindings(), inp)
    return {
        finding.id: (float(grades[n].grade), Notice.of("{why}", why=grades[n].why))
        for n, finding in enumerate(findings, start=1)
        if n in grades
    }


def _by_relevance(
    findings: Sequence[TaskFinding], anchor: QueryAnchor, context: Context
) -> dict[str, Graded]:
    """The highest relevance of its passages to question and refinements."""
    ids = list(dict.fromkeys(name for each in findings for name in each.chunk_ids))
    best = dict.fromkeys(ids, 0.0)
    for query in (anchor.original_query, *anchor.hitl_refinements):
        near = context.retriever.relevances(query, ids, scope=context.scope)
        best |= {name: max(best[name], near[name]) for name in ids}
    return {
        each.id: (BEST_GRADE * max((best[n] for n in each.chunk_ids), default=0.0), None)
        for each in findings
    }


def judge(finding: TaskFinding, grade: float | None, why: Notice | None) -> TaskFinding:
    """The finding with its verdict; what a person restored stays, and what nobody graded.

    What is too far for its tier moves down to one that takes it: it would have been kept there
    had it been found worse. Only what no tier takes is dropped.
    """
    if finding.status == "restored" or grade is None:
        return finding.model_copy(update={"grade": grade, "reason": why})
    relevance = round(grade / BEST_GRADE, 4)
    verdict = {"grade": round(grade, 2), "reason": why, "status": "kept"}
    tiers = [tier for tier in DRIFT_THRESHOLD if tier >= finding.tier]
    fitting = next((tier for tier in tiers if not drifted(tier=tier, relevance=relevance)), None)
    if fitting is not None:
        return finding.model_copy(
            update={**verdict, "tier": fitting, "weight": TIER_WEIGHT[fitting]}
        )
    lowest = DRIFT_THRESHOLD[tiers[-1]]
    reason = why or Notice.of(
        "relevance {relevance} to the question is below {least}",
        relevance=_below(relevance, lowest),
        least=lowest,
    )
    return finding.model_copy(update={**verdict, "status": "dropped", "reason": reason})


def with_the_first(
    findings: Sequence[TaskFinding], but: Set[int] = frozenset()
) -> list[TaskFinding]:
    """The findings; of each task that no model read the first stays.

    A question in other words is near nothing. ``but`` are the tasks that were read.
    """
    first = {each.task_id: each.id for each in reversed(findings)}
    update = {"status": "kept", "tier": 3, "weight": TIER_WEIGHT[3], "reason": None}
    return [
        each.model_copy(update=update)
        if not each.counts and each.id == first[each.task_id] and each.task_id not in but
        else each
        for each in findings
    ]


def _of_findings(
    findings: Sequence[TaskFinding], evidence: Mapping[str, Evidence]
) -> dict[str, Evidence]:
    """Each passage with the verdict of the best finding that rests on it."""
    judged: dict[str, Evidence] = {}
    for finding in sorted(findings, key=lambda each: (each.counts, each.grade or 0.0)):
        for name in finding.chunk_ids:
            if name in evidence:
                judged[name] = _with_verdict(evidence[name], finding)
    return judged


def _with_verdict(entry: Evidence, finding: TaskFinding) -> Evidence:
    relevance = None if finding.grade is None else round(finding.grade / BEST_GRADE, 4)
    update = {"status": finding.status, "relevance": relevance, "reason": finding.reason}
    tier = max(entry.tier, finding.tier)
    return entry.model_copy(update={**update, "tier": tier, "weight": TIER_WEIGHT[tier]})


def _below(value: float, bound: float) -> float:
    """A value with the digits that show it to be below a bound, two where they do."""
    shown = (round(value, digits) for digits in range(2, 5))
    return next((each for each in shown if each < bound), value)
