"""Answers to the same question asked again, kept where people want it."""

import asyncio
from typing import Literal

from langgraph.runtime import Runtime

from agent.ask.models import Reply, RetrievalSummary
from agent.ask.route import has_reader
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.context import Context
from agent.step import Step, Update
from services.library.caches import AnswerKey


@timed("recall")
async def recall(state: AskState, step: Step) -> Update:
    """Look for an answer to the same question, if the parameter ``answerCache`` allows it."""
    if not state["options"].answer_cache:
        return {"recalled": False}
    stored = await asyncio.to_thread(
        step.context.services.answers.find,
        _key(state, step.context),
        state["understanding"].question,
    )
    if stored is None:
        return {"recalled": False}
    return {
        "recalled": True,
        "reply": Reply.model_validate(stored["reply"]),
        "found": RetrievalSummary.model_validate(stored["found"]),
    }


def after_recall(
    state: AskState, runtime: Runtime[Context]
) -> Literal["retrieve", "think", "read_answer", "finish_turn"]:
    """Go to the end with a recalled answer, else to the search of the route."""
    if state["recalled"]:
        return "finish_turn"
    if state["route"].depth == "agent":
        return "think"
    return "read_answer" if has_reader(state, runtime) else "retrieve"


def remember(state: AskState, context: Context) -> None:
    """Keep an answer in which nothing went wrong, where the parameter allows it.

    Refusals are not kept, nor are structured answers, which would lose too much.
    """
    reply, summary, route = state["reply"], state["found"], state["route"]
    is_kept = state["options"].answer_cache and not state["recalled"]
    if not is_kept or route.way != "search" or route.depth == "structured":
        return
    problems = reply.degraded or state["warnings"] or any(u.fallback for u in state["usage"])
    if reply.refused or problems or summary is None:
        return
    answer = {"reply": reply.model_dump(mode="json"), "found": summary.model_dump(mode="json")}
    context.services.answers.keep(_key(state, context), state["understanding"].question, answer)


def _key(state: AskState, context: Context) -> AnswerKey:
    options, model = state["options"], context.tasks.model
    versions, graph, parameters = context.before(options.profile)
    return AnswerKey(
        scope=context.scope,
        versions=versions,
        language=state["understanding"].language,
        profile=options.profile,
        model=model.name if model else "none",
        graph=graph,
        parameters=(
            state["route"].depth,
            options.k,
            options.max_tokens,
            options.synthesis_prompt,
            parameters,
            state["reads"],
        ),
    )
