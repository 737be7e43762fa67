"""Extraction: each task is a reading of what its searches lead to, and its claims are findings."""

import asyncio
import time
from collections.abc import Sequence
from typing import Final

from agent.models import TaskFinding, TaskReading, TaskSummary, ToDoItem
from agent.reading.prove import Claim
from agent.reading.reader import DEPTHS, Depth, Reader, Reading, Tell
from agent.reading.verify import Question
from agent.research.findings import (
    of_quotes,
    of_reading,
    quotes_in,
    reading_of,
    references_of,
)
from agent.research.look import TaskSearches
from agent.research.state import TaskInput
from agent.sources import origin
from agent.step import Step, Update, node
from services.domain import Evidence
from services.domain.events import (
    EvidenceFound,
    FindingMade,
    QuoteFound,
    ReferenceFollowed,
    TaskFinished,
    TaskStarted,
)

ROUNDS_OF_ALL: Final = 10
"""Rounds of reading that the tasks of a plan share."""
SHOWN: Final = {"chunk_id", "document", "section", "page", "tier", "source_type", "depth"}
PLACE: Final = {"document", "section", "page", "quote"}


@node
async def execute_task(state: TaskInput, step: Step) -> Update:
    """Search, read and follow references; where no model reads, the quotes that come closest."""
    begin, task, context = time.monotonic(), state["task"], step.context
    step.emit(TaskStarted(task_id=task.id, task=task.task))
    language = state["query_anchor"].detected_language
    searches = await asyncio.to_thread(
        TaskSearches, task, language, state["query_retrieval"], context
    )
    if reading := await _read(state, searches, step):
        made = await asyncio.to_thread(of_reading, reading, task, searches, context)
        kept, references = reading_of(reading, task, searches), references_of(reading, task)
    else:
        for query in (task.task, *task.subtasks):
            await searches(query)
        least = state["options"].min_relevance
        made = await asyncio.to_thread(of_quotes, task, searches, least, context)
        made_by = {"reads": False, "searches": tuple(searches.made)}
        kept, references = TaskReading(task_id=task.id, answered="no", **made_by), []
    findings, evidence = made
    for each in evidence:
        step.emit(
            EvidenceFound(task_id=task.id, relevance=each.score, **each.model_dump(include=SHOWN))
        )
    for record in references:
        fields = {"task_id", "source", "text", "found", "resolved_to", "depth"}
        step.emit(ReferenceFollowed(**record.model_dump(include=fields)))
    quotes = quotes_in(findings)
    step.emit(
        TaskFinished(
            task_id=task.id,
            seconds=round(time.monotonic() - begin, 3),
            evidence=len(evidence),
            quotes=len(quotes),
            quoted=tuple(QuoteFound(**each.model_dump(include=PLACE)) for each in quotes),
        )
    )
    return {
        "evidence": {each.chunk_id: each for each in evidence},
        "references": references,
        "preserved_quotes": quotes,
        "findings": findings,
        "readings": [kept],
        "task_summaries": [_summary(task, findings, evidence, kept, step)],
    }


async def _read(state: TaskInput, searches: TaskSearches, step: Step) -> Reading | None:
    """The reading of a task; None where no model reads, or the model failed."""
    if not state.get("reads"):  # a task that an older version sent does not say
        return None
    task, anchor = state["task"], state["query_anchor"]
    aim = task.context if task.searches else ""  # what the plan says of its own task
    whole = (anchor.original_query, *anchor.hitl_refinements, aim, *task.subtasks)
    question = Question(
        text=task.task,
        language=anchor.detected_language,
        documents=searches.documents,
        context="\n".join(filter(None, whole)),
    )
    looked = await asyncio.to_thread(step.context.passages.get, state["query_retrieval"])
    reader = Reader(question, searches, step, _teller(task, step))
    depth = _depth(len(state["todo_list"]))
    reading = await reader.read(depth, [list(looked.values())], task.searches)
    return None if reading.failed and not reading.claims else reading


def _depth(tasks: int) -> Depth:
    """That of a research, in which tasks share the rounds."""
    of_one = DEPTHS["research"]
    return Depth(max(1, min(of_one.rounds, ROUNDS_OF_ALL // tasks)), of_one.room, of_one.references)


def _teller(task: ToDoItem, step: Step) -> Tell:
    """Tells each claim once it is verified."""
    told: set[str] = set()

    def tell(claims: Sequence[Claim]) -> None:
        for claim in claims:
            if not claim.fault and claim.text not in told:
                told.add(claim.text)
                step.emit(FindingMade(task_id=task.id, text=claim.text))

    return tell


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
        key_findings=tuple(each.text for each in findings),
        references=tuple(names),
        relevance=max((each.score for each in evidence), default=0.0),
        gaps=missing if findings else (task.task,),
    )
