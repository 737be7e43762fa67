"""Extraction: each task is read in the sections that its searches find; its claims are findings."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agent.models import TaskFinding, TaskReading, TaskSummary, ToDoItem
from agent.reading.prove import Claim
from agent.reading.reader import DEPTHS, OnClaims, OnRead, Reader, Reading
from agent.reading.sections import Section
from agent.reading.verify import Question
from agent.research.findings import (
    TaskSearches,
    findings_of_quotes,
    findings_of_reading,
    quotes_in,
    references_of,
    task_reading,
)
from agent.research.state import TaskInput
from agent.sources import origin, origin_of
from agent.step import Step, Update, node
from services.domain import Evidence, Location, events

SHARED_ROUNDS: Final = 15
"""Rounds of reading that the tasks of a plan share."""
EVIDENCE_FIELDS: Final = {"chunk_id", *Location.model_fields, "tier", "source_type", "depth"}
REFERENCE_FIELDS: Final = {"task_id", "source", "text", "found", "resolved_to", "depth"}


@node
async def execute_task(state: TaskInput, step: Step) -> Update:
    """Search, read and follow references; where no model reads, take the closest quotes."""
    begin, task, context = time.monotonic(), state["task"], step.context
    step.emit(events.TaskStarted(task_id=task.id, task=task.task))
    language = state["query_anchor"].detected_language
    searches = await asyncio.to_thread(
        TaskSearches, task, language, state["query_retrieval"], context
    )
    if reading := await _read(state, searches, step):
        findings, evidence = await asyncio.to_thread(
            findings_of_reading, reading, task, searches, context
        )
        record = task_reading(reading, task, searches, evidence)
        references = references_of(reading, task)
    else:
        for query in (task.task, *task.subtasks):
            await searches(query)
        min_relevance = state["options"].min_relevance
        findings, evidence = await asyncio.to_thread(
            findings_of_quotes, task, searches, min_relevance, context
        )
        made = tuple(searches.made({entry.chunk_id for entry in evidence}))
        record = TaskReading(task_id=task.id, answered="no", reads=False, searches=made)
        references = []
    for entry in evidence:
        fields = entry.model_dump(include=EVIDENCE_FIELDS)
        step.emit(events.EvidenceFound(task_id=task.id, relevance=entry.score, **fields))
    for reference in references:
        step.emit(events.ReferenceFollowed(**reference.model_dump(include=REFERENCE_FIELDS)))
    quotes = quotes_in(findings)
    quoted = (quote.model_dump(include=set(events.QuoteFound.model_fields)) for quote in quotes)
    step.emit(
        events.TaskFinished(
            task_id=task.id,
            seconds=round(time.monotonic() - begin, 3),
            evidence=len(evidence),
            quotes=len(quotes),
            quoted=tuple(events.QuoteFound(**fields) for fields in quoted),
        )
    )
    return {
        "evidence": {entry.chunk_id: entry for entry in evidence},
        "references": references,
        "preserved_quotes": quotes,
        "findings": findings,
        "readings": [record],
        "task_summaries": [_summary(task, findings, evidence, record, step)],
    }


async def _read(state: TaskInput, searches: TaskSearches, step: Step) -> Reading | None:
    """Return the reading of a task; None where no model reads, or the model failed."""
    if not state.get("reads"):  # a task that an older version sent does not say
        return None
    task, anchor = state["task"], state["query_anchor"]
    purpose = task.context if task.searches else ""  # what the plan says of its own task
    context = (anchor.original_query, *anchor.hitl_refinements, purpose, *task.subtasks)
    question = Question(
        text=task.task,
        language=anchor.detected_language,
        documents=searches.documents,
        context="\n".join(filter(None, context)),
        original="\n".join((anchor.original_query, *anchor.hitl_refinements)),
    )
    clarified = await asyncio.to_thread(step.context.passages.get, state["query_retrieval"])
    reader = Reader(
        question,
        searches,
        step,
        _report_findings(task, step),
        _report_reading(task, searches, step),
    )
    depth = DEPTHS["research"]
    rounds = max(1, min(depth.rounds, SHARED_ROUNDS // len(state["todo_list"])))
    depth = replace(depth, rounds=rounds)
    reading = await reader.read(depth, [list(clarified.values())], task.searches)
    return None if reading.failed and not reading.claims else reading


def _report_reading(task: ToDoItem, searches: TaskSearches, step: Step) -> OnRead:
    def report(sections: Sequence[Section]) -> None:
        names = (
            origin_of(section.document_id, section.document, section.label, step.context)
            for section in sections
        )
        step.emit(events.ReadingStarted(task_id=task.id, sections=tuple(dict.fromkeys(names))))
        searches.round += 1

    return report


def _report_findings(task: ToDoItem, step: Step) -> OnClaims:
    reported: set[str] = set()

    def report(claims: Sequence[Claim]) -> None:
        for claim in claims:
            if not claim.fault and claim.text not in reported:
                reported.add(claim.text)
                step.emit(events.FindingMade(task_id=task.id, text=claim.text))

    return report


def _summary(
    task: ToDoItem,
    findings: Sequence[TaskFinding],
    evidence: Sequence[Evidence],
    reading: TaskReading,
    step: Step,
) -> TaskSummary:
    names = dict.fromkeys(origin(entry, step.context) for entry in evidence)
    missing = (reading.missing,) if findings and reading.missing else ()
    return TaskSummary(
        task_id=task.id,
        task=task.task,
        summary=findings[0].text if findings else "",
        key_findings=tuple(finding.text for finding in findings),
        references=tuple(names),
        relevance=max((entry.score for entry in evidence), default=0.0),
        gaps=missing if findings else (task.task,),
    )
