"""The end of the loop: what was gathered is weighed, and what comes closest is quoted."""

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

from langgraph.runtime import Runtime

from agent.ask.answer import nothing_near, quotes_of_all
from agent.ask.models import Reply
from agent.ask.parts import Findings, of_assessment
from agent.ask.react.loop import run_of
from agent.ask.react.search import Look, first_look
from agent.ask.react.values import AgentRun
from agent.ask.retrieve import told
from agent.ask.route import has_reader
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.ask.structured.assess import assess
from agent.context import Context
from agent.step import Step, Update
from services.domain import Evidence
from services.domain.notices import Notice
from services.structured.decomposition import decompose_by_rules
from services.structured.values import Pass

JUDGED: Final = 8
"""Passages that one of several parts is judged by, its own search's first."""

NO_TOOL: Final = Notice.of(
    "{step}: {reason}",
    step="agent_think",
    reason=Notice.of("the model chose no tool; only the question and its parts were searched for"),
)


@timed("agent_weigh")
async def weigh(state: AskState, step: Step) -> Update:
    """Joins what the agent found with a search for the question itself and for its parts.

    All of it is judged by the question: a model that looks for something else finds that, and it
    answers nothing. Each passage counts once, the best ranks of all searches first.
    """
    run, understanding = run_of(state), state["understanding"]
    looks = await first_look(state, step)
    found = [entry for look in looks for entry in look.evidence]
    ranked = sorted((*found, *run.evidence), key=lambda e: (e.rank, -e.score, e.chunk_id))
    best: dict[str, Evidence] = {}
    for entry in ranked:
        best.setdefault(entry.chunk_id, entry)
    entries = list(best.values())
    queries = dict.fromkeys([understanding.question, *(search.query for search in run.searches)])
    result = looks[0].result
    return told(queries, result.hits, entries, [result], step)


def after_weighing(
    state: AskState, runtime: Runtime[Context]
) -> Literal["read_gathered", "conclude", "refuse"]:
    """A model reads what was gathered.

    Else it is quoted, and refused where nothing is near; the catalog's facts stand alone.
    """
    if has_reader(state, runtime) and (state["evidence"] or not run_of(state).facts):
        return "read_gathered"
    return "conclude" if run_of(state).facts or state["evidence"] else "refuse"


@timed("answer")
async def conclude(state: AskState, step: Step) -> Update:
    """Quote what comes closest to each part of the question, beside the catalog's facts.

    Facts of the catalog stand alone where nothing is near.
    """
    run, found = run_of(state), nothing_near(state)
    if state["evidence"]:
        looks = await first_look(state, step)
        found = await asyncio.to_thread(_findings, state, looks, step.context)
    if run.facts and not found.parts:
        return {"reply": Reply(opening=run.facts)}
    return {"reply": after_the_loop(await quotes_of_all(found, state, step), run)}


def after_the_loop(reply: Reply, run: AgentRun) -> Reply:
    """The reply with the catalog's facts before it, and what the loop did not do."""
    opening = "\n\n".join(filter(None, (run.facts, reply.opening)))
    idle = (NO_TOOL,) if run.ended == "no_action" and not run.steps else ()
    return reply.model_copy(update={"opening": opening, "degraded": (*idle, *reply.degraded)})


def _findings(state: AskState, looks: Sequence[Look], context: Context) -> Findings:
    """How surely the evidence answers each part: what its own search found is read first."""
    planned, plan = state.copy(), decompose_by_rules(state["understanding"])
    ids = [entry.chunk_id for entry in state["evidence"]]
    of_query = {look.query: look.result.hits for look in looks}
    hits = {each.target_info: of_query.get(each.query, ()) for each in plan.sub_queries[::-1]}
    most = JUDGED if len(hits) > 1 else None

    def read(item: str) -> tuple[str, ...]:
        own = [hit.chunk_id for hit in hits[item] if hit.chunk_id in ids]
        return tuple(dict.fromkeys([*own, *ids]))[:most]

    planned["plan"] = plan
    planned["assessment"], _ = assess(
        Pass(
            ranking=tuple((entry.chunk_id, entry.score) for entry in state["evidence"]),
            by_item={item: read(item) for item in hits},
            named={
                item: tuple(hit.chunk_id for hit in found if "label" in hit.explain)
                for item, found in hits.items()
            },
            searches=(),
        ),
        planned,
        context,
    )
    return of_assessment(planned, context)
