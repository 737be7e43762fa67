"""Validation: findings that drifted from the anchored question are dropped, with a reason."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final

from agent.context import Context
from agent.models import QueryAnchor, TaskFinding
from agent.prompts.research import GradeFindings, GradeInput
from agent.research.findings import findings_of_older_thread
from agent.research.state import ResearchState
from agent.research.tiers import DRIFT_THRESHOLD, DRIFT_WARNING_SHARE, STRAYED, TIER_WEIGHT
from agent.step import Step, Update, node
from services.domain import Evidence
from services.domain.events import EvidenceDropped
from services.domain.notices import Notice

BEST_GRADE: Final = 10
MOST_GRADED: Final = 40
"""Findings in one call: the reply to more would be cut off."""


@node
async def validate_relevance(state: ResearchState, step: Step) -> Update:
    """Grade every finding against question and refinements; drop what drifted from both."""
    findings = state.get("findings") or findings_of_older_thread(state.get("preserved_quotes", []))
    grades = await _grades(findings, state, step)
    graded = [apply_grade(f, *grades.get(f.id, (f.grade, None))) for f in findings]
    read = {reading.task_id for reading in state.get("readings", []) if reading.reads}
    graded = keep_first(graded, read=read)
    evidence = _graded_evidence(graded, state["evidence"])
    for entry in evidence.values():
        if entry.status == "dropped":
            step.emit(
                EvidenceDropped(
                    **entry.model_dump(include={"chunk_id", "document", "section", "tier"}),
                    score=entry.relevance or 0.0,
                    reason=entry.reason or "",
                )
            )
    dropped = [finding for finding in graded if not finding.counts]
    if dropped and strayed(graded) and len(dropped) / len(graded) > DRIFT_WARNING_SHARE:
        step.warn(Notice.of(STRAYED.message, dropped=len(dropped), total=len(graded)))
    return {"findings": graded, "evidence": evidence, "revisions": 0}


def strayed(findings: Iterable[TaskFinding]) -> bool:
    """Return whether nothing proven is left: dropping some of many is the work of grading."""
    return not any(finding.counts and finding.standing == "follows" for finding in findings)


Grade = tuple[float | None, Notice | None]
"""A grade of 0 to 10, None where there is none, and the reason for it."""


async def _grades(
    findings: Sequence[TaskFinding], state: ResearchState, step: Step
) -> dict[str, Grade]:
    anchor = state["query_anchor"]
    if not state.get("reads"):
        return await asyncio.to_thread(_by_relevance, findings, anchor, step.context)
    if not findings:
        return {}
    tasks = {task.id: task.task for task in state["todo_list"]}

    async def graded(some: Sequence[TaskFinding]) -> dict[str, Grade]:
        inp = GradeInput(
            question=anchor.original_query,
            language=anchor.detected_language,
            findings=tuple(f"({tasks[f.task_id]}) {f.text}" for f in some),
            said=anchor.hitl_refinements,
        )
        grades = await step.run(GradeFindings(), inp)
        return {
            finding.id: (float(grades[n].grade), Notice.of("{why}", why=grades[n].why))
            for n, finding in enumerate(some, start=1)
            if n in grades
        }

    starts = range(0, len(findings), MOST_GRADED)
    batches = await asyncio.gather(*(graded(findings[n : n + MOST_GRADED]) for n in starts))
    return {name: grade for batch in batches for name, grade in batch.items()}


def _by_relevance(
    findings: Sequence[TaskFinding], anchor: QueryAnchor, context: Context
) -> dict[str, Grade]:
    """Grade each finding by the highest relevance of its passages to question and refinements."""
    ids = list(dict.fromkeys(name for finding in findings for name in finding.chunk_ids))
    best = dict.fromkeys(ids, 0.0)
    for query in (anchor.original_query, *anchor.hitl_refinements):
        near = context.retriever.relevances(query, ids, scope=context.scope)
        best |= {name: max(best[name], near[name]) for name in ids}
    return {
        finding.id: (BEST_GRADE * max((best[n] for n in finding.chunk_ids), default=0.0), None)
        for finding in findings
    }


def apply_grade(finding: TaskFinding, grade: float | None, why: Notice | None) -> TaskFinding:
    """Return the finding with its verdict; a restored one stays, and one without a grade.

    One that is too far for its tier moves down to the first that takes it; if none does, it is
    dropped.
    """
    if finding.status == "restored" or grade is None:
        return finding.model_copy(update={"grade": grade, "reason": why})
    relevance = round(grade / BEST_GRADE, 4)
    verdict = {"grade": round(grade, 2), "reason": why, "status": "kept"}
    tiers = [tier for tier in DRIFT_THRESHOLD if tier >= finding.tier]
    fitting = next((tier for tier in tiers if relevance >= DRIFT_THRESHOLD[tier]), None)
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


def keep_first(findings: Sequence[TaskFinding], read: Set[int] = frozenset()) -> list[TaskFinding]:
    """Return the findings; of each task without a reading the first counts, though it is far."""
    first = {finding.task_id: finding.id for finding in reversed(findings)}
    update = {"status": "kept", "tier": 3, "weight": TIER_WEIGHT[3], "reason": None}
    return [
        f.model_copy(update=update)
        if not f.counts and f.id == first[f.task_id] and f.task_id not in read
        else f
        for f in findings
    ]


def _graded_evidence(
    findings: Sequence[TaskFinding], evidence: Mapping[str, Evidence]
) -> dict[str, Evidence]:
    graded: dict[str, Evidence] = {}
    for finding in sorted(findings, key=lambda finding: (finding.counts, finding.grade or 0.0)):
        relevance = None if finding.grade is None else round(finding.grade / BEST_GRADE, 4)
        update = {"status": finding.status, "relevance": relevance, "reason": finding.reason}
        for entry in (evidence[name] for name in finding.chunk_ids if name in evidence):
            tier = max(entry.tier, finding.tier)
            update |= {"tier": tier, "weight": TIER_WEIGHT[tier]}
            graded[entry.chunk_id] = entry.model_copy(update=update)
    return graded


def _below(value: float, bound: float) -> float:
    """Round a value to the fewest digits, at least two, that show it to be below a bound."""
    rounded = (round(value, digits) for digits in range(2, 5))
    return next((number for number in rounded if number < bound), value)
