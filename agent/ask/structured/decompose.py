"""The first step of the structured route: what must be known, and how it is looked for."""

import asyncio

from agent.ask.context import AskContext
from agent.ask.state import AskState
from agent.ask.step import AskStep, asked, timed
from agent.prompts.structured import DecomposeInput, DecomposeQuestion
from agent.step import Update
from services.knowledge_graph.names import clean_name
from services.llm.base import takes_one_call
from services.structured.decomposition import decomposed
from services.structured.values import MOST_TOPICS


@timed("decomposition")
async def decompose(state: AskState, step: AskStep) -> Update:
    """One call of the model, whose plan code checks; the rules' plan where it is of no use.

    Topics help to word the queries. A model of one call at a time copies them, and is told none.
    """
    known, model = state["understanding"], step.context.tasks.model
    by_rules = decomposed(known)
    if model is None:
        return {"plan": by_rules}
    alone = takes_one_call(model)
    topics = () if alone else await asyncio.to_thread(topics_of, step.context)
    wanted = DecomposeInput(
        question=known.question, language=known.language, topics=topics, fallback=by_rules
    )
    return {"plan": await asked(step, DecomposeQuestion(), wanted)}


def topics_of(context: AskContext) -> tuple[str, ...]:
    """What the documents are about, as the graph's largest communities name it.

    Names are read off documents, so only plain ones go to a model.
    """
    graph, scope = context.graph, context.scope
    topics = () if graph is None else graph.topics(scope, limit=MOST_TOPICS)
    plain = (clean_name(name) for name in topics)
    return tuple(dict.fromkeys(name for name in plain if name))
