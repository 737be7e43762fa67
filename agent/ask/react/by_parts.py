"""The conclusion where several things were asked: each is said with its place, or named as missing.

What the model says of a part and holds stands; of the other parts the best sentence of the
documents does, as on the structured route.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agent.ask.models import Reply
from agent.ask.react.first_look import Look
from agent.ask.react.values import AgentRun
from agent.ask.state import AskState
from agent.ask.step import AskStep
from agent.ask.structured.assess import assess
from agent.ask.structured.parts import checked_parts
from agent.ask.structured.sentences import ItemBest, Sentences, sentences_of
from agent.ask.structured.synthesis import Line, as_reply, quoted_lines, said_items, uncited
from agent.ask.structured.writing import written
from agent.drafting import evidence_pool
from agent.models import ContextEntry
from agent.prompts.react import ConcludeParts
from services.llm.base import takes_one_call
from services.structured.values import Pass, Plan
from services.types import Hit, Language, Sentence

PASSAGES_TOKENS: Final = 700
"""Of a conclusion: rather less than the 3,000 characters that it may have."""

QUOTED: Final = 2
"""Sentences of a part that are quoted at most."""

JUDGED: Final = 10
"""Passages that a part is judged by, its own search's first."""


async def concluded(
    state: AskState, run: AgentRun, plan: Plan, looks: Sequence[Look], history: str, step: AskStep
) -> Reply | None:
    """The answer to all parts; None where nothing speaks to any of them.

    Args:
        state: with the evidence of the agent and of the searches for the parts.
        run: of the agent, with its answer if it gave one.
        plan: the parts.
        looks: the searches for them.
        history: what the agent did, for the prompt.
        step: of the graph.
    """
    whole = await asyncio.to_thread(_assessed, state, plan, looks, step)
    found = await asyncio.to_thread(sentences_of, whole, step.context)
    if not found.best:
        return None
    text, degraded = run.answer, tuple[str, ...]()
    if not text:
        task = ConcludeParts(step.context.agent_temperature)
        text, degraded = await written(
            task, whole, found.best, step, most=PASSAGES_TOKENS, history=history
        )
    return await asyncio.to_thread(_checked, text, degraded, whole, found, step)


def _checked(
    text: str, degraded: Sequence[str], whole: AskState, found: Sentences, step: AskStep
) -> Reply:
    """What of the text holds, with quotes beside it; quotes alone where nothing does."""
    pool, language = evidence_pool(whole["evidence"], step.context), whole["understanding"].language
    prose, left_out = checked_parts(text, whole["plan"].required_info, pool, language)
    told = [f"left out for lack of support: {sentence}" for sentence in left_out]
    few = [replace(each, ranked=each.ranked[:QUOTED]) for each in found.best]
    quotes = quoted_lines(replace(found, best=few), whole, step.context)
    if any(sentence.supported for sentence in prose):
        quotes = _besides(prose, quotes, found.best, language, step)
    else:
        prose = []
    lines = [*(("", each) for each in prose), *quotes]
    return as_reply(lines, (*degraded, *told), whole)


def _besides(
    prose: Sequence[Sentence],
    quotes: Sequence[Line],
    best: Sequence[ItemBest],
    language: Language,
    step: AskStep,
) -> list[Line]:
    """The quotes of parts of which the prose says nothing; of a small model's all it left out."""
    alone = takes_one_call(step.context.tasks.model)
    said = said_items(best, [sentence for sentence in prose if sentence.supported])
    return [
        (item, line) for item, line in uncited(quotes, prose, language) if alone or item not in said
    ]


def _assessed(state: AskState, plan: Plan, looks: Sequence[Look], step: AskStep) -> AskState:
    """The state as the structured route has it: how far the evidence covers each part."""
    hits = {look.query: look.result.hits for look in looks}
    evidence = state["evidence"]
    queries = {each.target_info: each.query for each in reversed(plan.sub_queries)}
    found = Pass(
        ranking=tuple((entry.chunk_id, entry.score) for entry in evidence),
        by_item={item: _judged(hits.get(query, ()), evidence) for item, query in queries.items()},
        named={item: _named(hits.get(query, ())) for item, query in queries.items()},
        searches=(),
    )
    assessment, _ = assess(found, plan, state["understanding"], step.context)
    return {**state, "plan": plan, "assessment": assessment}


def _judged(hits: Sequence[Hit], evidence: Sequence[ContextEntry]) -> tuple[str, ...]:
    """The passages of a part's own search, then what else there is."""
    known = {entry.chunk_id for entry in evidence}
    own = [hit.chunk_id for hit in hits if hit.chunk_id in known]
    return tuple(dict.fromkeys([*own, *(entry.chunk_id for entry in evidence)]))[:JUDGED]


def _named(hits: Sequence[Hit]) -> tuple[str, ...]:
    return tuple(hit.chunk_id for hit in hits if "label" in hit.explain)
