"""The end of the loop: what was gathered is weighed, and the answer is written and checked."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal

from agent.ask.answer import refused
from agent.ask.models import Reply
from agent.ask.react.loop import run_of
from agent.ask.react.memory import trimmed_history
from agent.ask.react.search import Look, first_look, make_kit
from agent.ask.react.values import AgentRun
from agent.ask.retrieve import SHOWN_SECTIONS, tell_found
from agent.ask.state import AskState
from agent.ask.step import AskStep, timed
from agent.ask.structured.assess import assess
from agent.ask.structured.selection import sentences_of
from agent.ask.structured.synthesis import reply_to
from agent.prompts.react import ConcludeAnswer
from agent.sources import section_names
from agent.step import Update
from services.domain import Evidence, Hit
from services.structured.decomposition import decomposed
from services.structured.values import Pass

HISTORY_CHARS: Final = 600
PASSAGES_TOKENS: Final = 700
"""Of a conclusion: rather less than the 3,000 characters that it may have."""
JUDGED: Final = 8
"""Passages that one of several parts is judged by, its own search's first."""


@timed("agent_weigh")
async def weigh(state: AskState, step: AskStep) -> Update:
    """Joins what the agent found with a search for the question itself and for its parts.

    All of it is judged by the question: a model that looks for something else finds that, and it
    answers nothing.
    """
    run, known = run_of(state), state["understanding"]
    looks = await first_look(await make_kit(state, step, run))
    own = [entry for each in looks for entry in each.evidence]
    entries = joined([*own, *run.evidence])
    nearest = tuple(section_names(entries[:SHOWN_SECTIONS], step.context))
    queries = dict.fromkeys([known.question, *(each.query for each in run.searches)])
    found = looks[0].found.model_copy(
        update={"searches": tuple(queries), "results": len(entries), "nearest": nearest}
    )
    tell_found(entries, step)
    return {"evidence": entries, "found": found}


def joined(entries: Iterable[Evidence]) -> list[Evidence]:
    """Each passage once, the best ranks of all searches first."""
    best: dict[str, Evidence] = {}
    for entry in entries:
        old = best.get(entry.chunk_id)
        if old is None or (entry.rank, -entry.score) < (old.rank, -old.score):
            best[entry.chunk_id] = entry
    return sorted(best.values(), key=lambda each: (each.rank, -each.score, each.chunk_id))


def after_weighing(state: AskState) -> Literal["conclude", "refuse"]:
    """Refuses where nothing near the question was found; the catalog's facts stand alone."""
    found = state["found"]
    known = run_of(state).facts or (found is not None and found.results)
    return "conclude" if known else "refuse"


@timed("answer")
async def conclude(state: AskState, step: AskStep) -> Update:
    """The answer, whoever wrote it: each sentence is led to its place by code, or left out."""
    run, found = run_of(state), state["found"]
    if run.facts and (found is None or not found.results):
        return {"reply": Reply(opening=run.facts)}
    looks = await first_look(await make_kit(state, step, run))
    reply = await _concluded(state, run, looks, step)
    if reply is None and not run.facts:
        return {"reply": refused(state, step)}
    reply = reply or Reply()
    opening = "\n\n".join(filter(None, (run.facts, reply.opening)))
    return {"reply": reply.model_copy(update={"opening": opening})}


async def _concluded(
    state: AskState, run: AgentRun, looks: Sequence[Look], step: AskStep
) -> Reply | None:
    """The answer to each part of the question, as on the structured route.

    What the model says of a part and holds stands; of the other parts the quotes of the documents
    do. None where nothing speaks to any of them.
    """
    whole = await asyncio.to_thread(_assessed, state, looks, step)
    found = await asyncio.to_thread(sentences_of, whole["assessment"], step.context)
    if not found.best:
        return None
    pool = await asyncio.to_thread(step.context.passages.pool, whole["evidence"])
    return await reply_to(
        ConcludeAnswer(step.context.agent_temperature),
        whole,
        replace(found, pool=pool),
        step,
        text=run.answer,
        most=PASSAGES_TOKENS,
        history=trimmed_history(run.steps, keep_full=0)[-HISTORY_CHARS:],
    )


def _assessed(state: AskState, looks: Sequence[Look], step: AskStep) -> AskState:
    """The state as the structured route has it: how surely the evidence answers each part."""
    plan = decomposed(state["understanding"])
    hits = {look.query: look.result.hits for look in looks}
    evidence = state["evidence"]
    queries = {each.target_info: each.query for each in reversed(plan.sub_queries)}
    found = Pass(
        ranking=tuple((entry.chunk_id, entry.score) for entry in evidence),
        by_item={
            item: _read(hits.get(query, ()), evidence)[: JUDGED if len(queries) > 1 else None]
            for item, query in queries.items()
        },
        named={item: _named(hits.get(query, ())) for item, query in queries.items()},
        searches=(),
    )
    assessment, _ = assess(found, plan, state["understanding"], step.context)
    return {**state, "plan": plan, "assessment": assessment}


def _read(hits: Sequence[Hit], evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The passages of a part's own search, then what else there is."""
    known = {entry.chunk_id for entry in evidence}
    own = [hit.chunk_id for hit in hits if hit.chunk_id in known]
    return tuple(dict.fromkeys([*own, *(entry.chunk_id for entry in evidence)]))


def _named(hits: Sequence[Hit]) -> tuple[str, ...]:
    return tuple(hit.chunk_id for hit in hits if "label" in hit.explain)
