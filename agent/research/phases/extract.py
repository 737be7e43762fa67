"""Extraction: each task gathers its evidence, follows references and picks its quotes."""

import asyncio
import time

from agent.drafting import prompted, readable
from agent.models import PreservedQuote, TaskSummary, ToDoItem
from agent.prompts.research import MOST_SENTENCES, ExtractEvidence, ExtractInput
from agent.ranking import RankedSentence
from agent.research.evidence import Gathered, as_quote, rank_sentences
from agent.research.state import TaskInput
from agent.research.task_search import share_out
from agent.sources import origin
from agent.step import Step, Update, node
from services.domain.events import (
    EvidenceFound,
    QuoteFound,
    ReferenceFollowed,
    TaskFinished,
    TaskStarted,
)

PROMPT_CHARACTERS = 2_000
NEARLY_AS_GOOD = 0.85
SHOWN = {"chunk_id", "document", "section", "page", "tier", "source_type", "depth"}
PLACE = {"document", "section", "page", "quote"}


@node
async def execute_task(state: TaskInput, step: Step) -> Update:
    """Search, references, one model call over the whole batch, quotes, summary."""
    begin = time.monotonic()
    task = state["task"]
    step.emit(TaskStarted(task_id=task.id, task=task.task))
    hits = await asyncio.to_thread(share_out, state, step.context)
    gathered = await asyncio.to_thread(Gathered, state, hits, step.context)
    _report(gathered, task.id, step)
    ranked = await asyncio.to_thread(rank_sentences, state, gathered.entries, step.context)
    quotes = await _choose(state, ranked, step)
    step.emit(
        TaskFinished(
            task_id=task.id,
            seconds=round(time.monotonic() - begin, 3),
            evidence=len(gathered.entries),
            quotes=len(quotes),
            quoted=tuple(QuoteFound(**each.model_dump(include=PLACE)) for each in quotes),
        )
    )
    return {
        "evidence": {entry.chunk_id: entry for entry in gathered.entries},
        "references": gathered.references,
        "preserved_quotes": quotes,
        "task_summaries": [_summary(task, gathered, quotes, step)],
    }


def _report(gathered: Gathered, task_id: int, step: Step) -> None:
    for entry in gathered.entries:
        step.emit(
            EvidenceFound(
                task_id=task_id,
                relevance=entry.score,
                **entry.model_dump(include=SHOWN),
            )
        )
    for reference in gathered.references:
        fields = {"task_id", "source", "text", "found", "resolved_to", "depth"}
        step.emit(ReferenceFollowed(**reference.model_dump(include=fields)))


async def _choose(
    state: TaskInput, ranked: list[RankedSentence], step: Step
) -> list[PreservedQuote]:
    """The model picks among the best sentences; what it picks is quoted verbatim.

    Where it may be given none of them the order of code decides.
    """
    shown = _within_budget(ranked[:MOST_SENTENCES])
    if not shown:
        return []
    task, sentences = state["task"], [each for _, each in shown]
    language, context = state["query_anchor"].detected_language, step.context
    fitting = await asyncio.to_thread(readable, sentences, language, context, state["options"])
    texts = fitting or prompted(sentences, language, context)
    given = ExtractInput(task=task.task, language=language, sentences=tuple(texts))
    picking = ExtractEvidence()
    picked = await step.run(picking, given) if fitting else picking.fallback(given)
    chosen = with_second_document([shown[position] for position in picked], shown)
    return [as_quote(ranked, task, rank) for rank, ranked in enumerate(chosen, start=1)]


def with_second_document(
    chosen: list[RankedSentence], shown: list[RankedSentence]
) -> list[RankedSentence]:
    """The chosen sentences; if all are of one document, another's best comes third.

    Only one that is nearly as good as the best: a comparison rests on both of its texts.
    """
    document_id, best = chosen[0][1].document_id, chosen[0][0]
    if any(sentence.document_id != document_id for _, sentence in chosen):
        return chosen
    others = (item for item in shown if item[1].document_id != document_id)
    other = next((item for item in others if item[0] >= NEARLY_AS_GOOD * best), None)
    return [*chosen[:2], other, *chosen[2:]] if other else chosen


def _within_budget(ranked: list[RankedSentence]) -> list[RankedSentence]:
    """The best sentences whose texts together fit the prompt; always at least one."""
    shown: list[RankedSentence] = []
    used = 0
    for item in ranked:
        used += len(item[1].whole)
        if shown and used > PROMPT_CHARACTERS:
            break
        shown.append(item)
    return shown


def _summary(
    task: ToDoItem, gathered: Gathered, quotes: list[PreservedQuote], step: Step
) -> TaskSummary:
    best = max((entry.score for entry in gathered.entries), default=0.0)
    names = dict.fromkeys(origin(entry, step.context) for entry in gathered.entries)
    return TaskSummary(
        task_id=task.id,
        task=task.task,
        summary=quotes[0].quote if quotes else "",
        key_findings=tuple(quote.quote for quote in quotes),
        references=tuple(names),
        relevance=best,
        gaps=() if quotes else (task.task,),
    )
