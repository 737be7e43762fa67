"""The conclusion where several things were asked: each is said with its place, or named as missing.

What the model says of a part and holds stands; of the other parts the quotes of the documents do,
as on the structured route.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agent.ask.models import Reply
from agent.ask.react.search_tool import Look
from agent.ask.react.values import AgentRun
from agent.ask.state import AskState
from agent.ask.step import AskStep
from agent.ask.structured.assess import assess
from agent.ask.structured.selection import sentences_of
from agent.ask.structured.synthesis import reply_to
from agent.drafting import evidence_pool
from agent.models import ContextEntry
from agent.prompts.react import ConcludeParts
from services.structured.values import Pass, Plan
from services.types import Hit

PASSAGES_TOKENS: Final = 700
"""Of a conclusion: rather less than the 3,000 characters that it may have."""

JUDGED: Final = 8
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
    found = await asyncio.to_thread(sentences_of, whole["assessment"], step.context)
    if not found.best:
        return None
    pool = await asyncio.to_thread(evidence_pool, whole["evidence"], step.context)
    return await reply_to(
        ConcludeParts(step.context.agent_temperature),
        whole,
        replace(found, pool=pool),
        step,
        text=run.answer,
        most=PASSAGES_TOKENS,
        history=history,
    )


def _assessed(state: AskState, plan: Plan, looks: Sequence[Look], step: AskStep) -> AskState:
    """The state as the structured route has it: how surely the evidence answers each part."""
    hits = {look.query: look.result.hits for look in looks}
    evidence = state["evidence"]
    queries = {each.target_info: each.query for each in reversed(plan.sub_queries)}
    found = Pass(
        ranking=tuple((entry.chunk_id, entry.score) for entry in evidence),
        by_item={item: _read(hits.get(query, ()), evidence) for item, query in queries.items()},
        named={item: _named(hits.get(query, ())) for item, query in queries.items()},
        searches=(),
    )
    assessment, _ = assess(found, plan, state["understanding"], step.context)
    return {**state, "plan": plan, "assessment": assessment}


def _read(hits: Sequence[Hit], evidence: Sequence[ContextEntry]) -> tuple[str, ...]:
    """The passages of a part's own search, then what else there is."""
    known = {entry.chunk_id for entry in evidence}
    own = [hit.chunk_id for hit in hits if hit.chunk_id in known]
    return tuple(dict.fromkeys([*own, *(entry.chunk_id for entry in evidence)]))[:JUDGED]


def _named(hits: Sequence[Hit]) -> tuple[str, ...]:
    return tuple(hit.chunk_id for hit in hits if "label" in hit.explain)
