"""Is it enough? One call of the model, or the coverage map; at most one pass more."""

import asyncio
from typing import Final

from agent.ask.prompt import PROMPT_TOKENS
from agent.ask.state import AskState
from agent.ask.step import AskStep, asked, timed
from agent.ask.structured.prompt import room
from agent.models import ContextEntry
from agent.passages import origin
from agent.prompts.structured import MOST_GAP_QUERIES, CritiqueEvidence, CritiqueInput
from agent.step import Update
from services.extractive import keyphrases
from services.llm.budget import fit_passages
from services.structured.values import Assessment, Judgement, Plan, SubQuery
from services.types import Chunk, Language

ENOUGH: Final = 0.7
"""Confidence from which on nothing more is looked for."""

SHOWN_OF_ITEM: Final = 2
SHOWN_CHARACTERS: Final = 260
REMINDERS: Final = 2


@timed("critique")
async def critique(state: AskState, step: AskStep) -> Update:
    """Judges the evidence; a critic that fails leaves it to the coverage map."""
    plan, assessment = state["plan"], state["assessment"]
    by_map = by_coverage(plan, assessment, state["understanding"].language)
    if step.context.tasks.model is None:
        return {"judgement": by_map}
    known = state["understanding"]
    wanted = CritiqueInput(
        question=known.question,
        language=known.language,
        items=tuple((each.item, each.status) for each in assessment.required),
        evidence=(),
        fallback=by_map,
    )
    lines = await asyncio.to_thread(_shown, state, wanted, step)
    judgement = await asked(step, CritiqueEvidence(), wanted.model_copy(update={"evidence": lines}))
    failed = step.usage[-1].fallback is not None
    return {"judgement": judgement.model_copy(update={"failed": failed})}


def after_critique(state: AskState) -> str:
    """A second pass where something is missing and confidence is low, if it has what to ask."""
    judgement = state["judgement"]
    if judgement.queries and judgement.gaps and judgement.confidence < ENOUGH:
        return "fill_gaps"
    return after_gaps(state)


def after_gaps(state: AskState) -> str:
    """Refuses where nothing at all of what is required was found."""
    required = state["assessment"].required
    found = any(each.status != "missing" for each in required)
    return "synthesize" if found else "refuse"


def by_coverage(plan: Plan, assessment: Assessment, language: Language) -> Judgement:
    """What the coverage map says: every item that is not wholly covered is looked for again."""
    open_ = assessment.open
    return Judgement(
        sufficient=not open_,
        confidence=assessment.confidence,
        gaps=open_,
        queries=tuple(_again(item, plan, language) for item in open_[:MOST_GAP_QUERIES]),
    )


def _again(item: str, plan: Plan, language: Language) -> SubQuery:
    """Another search for an item: its key phrases with what else the question is about."""
    phrases = keyphrases(item, language) or [item]
    others = (hint for hint in plan.topic_hints if hint.casefold() not in item.casefold())
    words = [*phrases, *[each for each in others if each not in phrases][:REMINDERS]]
    return SubQuery(query=" ".join(words), target_info=item)


def _shown(state: AskState, wanted: CritiqueInput, step: AskStep) -> tuple[str, ...]:
    """The beginnings of the best passages of each item, numbered, as far as they fit."""
    model, context = step.context.tasks.model, step.context
    ids = [
        each.chunk_id
        for item in state["assessment"].required
        for each in item.evidence[:SHOWN_OF_ITEM]
    ]
    chunks = context.catalog.chunks.get(list(dict.fromkeys(ids)), scope=context.scope)
    entries = {entry.chunk_id: entry for entry in state["evidence"]}
    lines = [
        f"[{number}] {_line(entries[chunk.chunk_id], chunk, step)}"
        for number, chunk in enumerate(chunks.values(), start=1)
        if chunk.chunk_id in entries
    ]
    if model is None:
        return ()
    return tuple(fit_passages(model, lines, room(model, CritiqueEvidence(), wanted, PROMPT_TOKENS)))


def _line(entry: ContextEntry, chunk: Chunk, step: AskStep) -> str:
    text = " ".join(chunk.text.split())[:SHOWN_CHARACTERS]
    return f"{origin(entry, step.context)}: {text}"
