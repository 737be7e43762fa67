"""The conclusion where several things were asked: each is said with its place, or named as missing.

What the model says of a part and holds stands; of the other parts the best sentence of the
documents does, as on the structured route.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agent.ask.answer import verbatim
from agent.ask.models import Reply
from agent.ask.react.first_look import Look
from agent.ask.react.values import AgentRun
from agent.ask.state import AskState
from agent.ask.step import AskStep, asked
from agent.ask.structured.assess import assess
from agent.ask.structured.prompt import fitted_items
from agent.ask.structured.sentences import ItemBest, sentences_of
from agent.ask.structured.synthesis import Line, as_reply, quoted_lines, said_items
from agent.drafting import checked_prose, evidence_pool
from agent.models import ContextEntry
from agent.prompts.react import ConcludeParts, PartsInput
from services.structured.values import Pass, Plan
from services.types import Hit

PASSAGES_TOKENS: Final = 700
"""Of a conclusion: rather less than the 3,000 characters that it may have."""

QUOTED: Final = 2
"""Sentences of a part that are quoted where nothing holds that the model said."""

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
    text, degraded = run.answer, list[str]()
    if not text:
        text, degraded = await _written(whole, found.best, history, step)
    pool = await asyncio.to_thread(evidence_pool, state["evidence"], step.context)
    language = state["understanding"].language
    prose, left_out = await asyncio.to_thread(checked_prose, text, pool, language)
    degraded += [f"left out for lack of support: {sentence}" for sentence in left_out]
    supported = [sentence for sentence in prose if sentence.supported]
    if not supported:
        first = [replace(each, ranked=each.ranked[:QUOTED]) for each in found.best]
        return as_reply(quoted_lines(first, whole), tuple(degraded), whole)
    said = said_items(found.best, supported)
    lines: list[Line] = [("", sentence) for sentence in prose]
    lines += [
        (each.item, verbatim(each.ranked[0][1])) for each in found.best if each.item not in said
    ]
    return as_reply(lines, tuple(degraded), whole)


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


async def _written(
    whole: AskState, best: Sequence[ItemBest], history: str, step: AskStep
) -> tuple[str, list[str]]:
    """The model's conclusion, and why there is none."""
    known, options = whole["understanding"], whole["options"]
    wanted = PartsInput(
        question=known.question,
        language=known.language,
        question_type=whole["plan"].question_type,
        items=(),
        gaps=whole["assessment"].gaps,
        most=max(3, 2 * len(best)),
        instructions=options.synthesis_prompt,
        history=history,
    )
    most = min(options.max_tokens or PASSAGES_TOKENS, PASSAGES_TOKENS)
    items = await asyncio.to_thread(fitted_items, wanted, best, step.context, most)
    wanted = wanted.model_copy(update={"items": items})
    task = ConcludeParts(step.context.agent_temperature)
    text = await asked(step, task, wanted, part="answer")
    reason = step.usage[-1].fallback
    return text, [f"answer: {reason}"] if reason else []
