"""The same question again, in other words: answered from memory where people want it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from agent.ask.models import Reply, RetrievalSummary, Route
from agent.ask.state import AskState
from agent.ask.step import AskStep, timed
from agent.step import Update
from services.domain import Scope
from services.library.answer_cache import AnswerCache, AnswerKey
from services.retrieval.embedders import Vectors


@dataclass(frozen=True)
class AnswerMemory:
    """The answers of this process, as far as one reader and model may share them.

    ``versions`` are the content versions of the collections of the scope, ``graph`` is that of
    their knowledge graph.
    """

    cache: AnswerCache
    embed: Callable[[str], Vectors]
    scope: Scope
    versions: tuple[int, ...]
    model: str
    graph: str = ""

    def recall(self, state: AskState) -> tuple[Reply, RetrievalSummary] | None:
        """What was answered to the same question before."""
        question = state["understanding"].question
        kept = self.cache.find(self._key(state), question, self.embed(question))
        if kept is None:
            return None
        return Reply.model_validate(kept["reply"]), RetrievalSummary.model_validate(kept["found"])

    def keep(self, state: AskState) -> None:
        """Remembers an answer that nothing was wrong with; a refusal is none."""
        reply, found = state["reply"], state["found"]
        if reply.refused or reply.degraded or state["warnings"] or found is None:
            return
        question = state["understanding"].question
        answer = {
            "reply": reply.model_dump(mode="json"),
            "found": found.model_dump(mode="json"),
        }
        self.cache.keep(self._key(state), question, self.embed(question), answer)

    def _key(self, state: AskState) -> AnswerKey:
        options = state["options"]
        return AnswerKey(
            scope=self.scope,
            versions=self.versions,
            language=state["understanding"].language,
            profile=options.profile,
            model=self.model,
            graph=self.graph,
            parameters=(
                state["route"].depth,
                options.k,
                options.max_tokens,
                options.synthesis_prompt,
            ),
        )


@timed("recall")
async def recall(state: AskState, step: AskStep) -> Update:
    """Looks for an answer to the same question; without the parameter it looks nowhere."""
    if not state["options"].answer_cache:
        return {"recalled": False}
    memory = await asyncio.to_thread(step.context.memory)
    found = await asyncio.to_thread(memory.recall, state)
    if found is None:
        return {"recalled": False}
    return {"recalled": True, "reply": found[0], "found": found[1]}


def may_be_recalled(route: Route) -> bool:
    """Whether answers of this way are kept; of structured ones too much would be lost."""
    return route.way == "search" and route.depth != "structured"


def after_recall(state: AskState) -> str:
    """The agent looks for itself."""
    if state["recalled"]:
        return "finish_turn"
    return "think" if state["route"].depth == "agent" else "retrieve"
