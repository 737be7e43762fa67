"""The first step of the structured route: what must be known, and how it is looked for."""

import asyncio

from agent.ask.state import AskState
from agent.ask.step import AskStep, asked, timed
from agent.prompts.structured import DecomposeInput, DecomposeQuestion
from agent.step import Update
from services.structured.decomposition import decomposed
from services.structured.values import MOST_TOPICS


@timed("decomposition")
async def decompose(state: AskState, step: AskStep) -> Update:
    """One call of the model, whose plan code checks; the rules' plan where it is of no use."""
    known, model = state["understanding"], step.context.tasks.model
    by_rules = decomposed(known)
    if model is None:
        return {"plan": by_rules}
    topics = await asyncio.to_thread(_topics, step)
    wanted = DecomposeInput(
        question=known.question, language=known.language, topics=topics, fallback=by_rules
    )
    return {"plan": await asked(step, DecomposeQuestion(), wanted)}


def _topics(step: AskStep) -> tuple[str, ...]:
    """What the documents are about, as the graph's largest communities name it."""
    graph, scope = step.context.graph, step.context.scope
    return () if graph is None else graph.topics(scope, limit=MOST_TOPICS)
