"""Nodes of quick answers: what they are given, their time, and the model's part of it.

A turn lasts seconds and its speed counts, so there is no event for the start and end of a node.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

from agent.context import Context
from agent.step import Node, Step, Update, in_graph
from services.build import Services
from services.domain import Principal, SearchRequest, SearchResult
from services.domain.events import ConversationLLMStep
from services.library.thresholds import Thresholds
from services.models.tasks import ModelTask
from services.timed_cache import TimedCache

TEMPERATURE: Final = 0.3
"""Of the agent: low, so that it chooses tools steadily; 0 where the settings want determinism."""

ToolCache = TimedCache[Any, Any]
"""What tools found: an agent asks the same again, and so do people."""

In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True, kw_only=True)
class AskContext(Context):
    """Injected into the nodes of a turn."""

    services: Services
    principal: Principal
    tool_cache: ToolCache

    @property
    def agent_temperature(self) -> float:
        return 0.0 if self.services.settings.deterministic else TEMPERATURE

    @cached_property
    def before(self) -> tuple[tuple[int, ...], str]:
        """The versions of content and graph that there are before the search of the turn."""
        return self.versions(), self.graph.version(self.scope) if self.graph else ""

    async def find(self, request: SearchRequest) -> SearchResult:
        """What a search of the person finds."""
        chosen = request.model_copy(update={"documents": self.scope.documents or ()})
        return await self.services.library.find(self.principal, chosen)

    def thresholds(self, profile: str | None) -> Thresholds:
        """The scores from which on a question is answered more deeply."""
        return self.services.feedback.thresholds(self.principal, self.scope, profile)

    def versions(self) -> tuple[int, ...]:
        """The content versions of the scope, read anew each time."""
        return self.catalog.collections.state(self.principal, self.collections)[1]


AskStep = Step[AskContext]


def timed(phase: str) -> Callable[[Node], Callable[..., Awaitable[Update]]]:
    """Makes ``async def f(state, step) -> update`` a node whose seconds count as ``phase``."""

    def decorate(function: Node) -> Callable[..., Awaitable[Update]]:
        async def measured(state: Mapping[str, Any], step: AskStep) -> Update:
            begin = time.monotonic()
            update = await function(state, step)
            return {**update, "phase_seconds": {phase: time.monotonic() - begin}}

        return in_graph(function.__name__, measured)

    return decorate


async def asked(step: AskStep, task: ModelTask[In, Out], inp: In, part: str | None = None) -> Out:
    """Runs a model task and tells what it cost, if a model was called."""
    value = await step.run(task, inp, part=part)
    usage, model = step.usage[-1], step.context.tasks.model
    if usage.model_calls and model is not None:
        step.emit(
            ConversationLLMStep(
                input_tokens=usage.prompt_tokens,
                output_tokens=usage.completion_tokens,
                model=model.name,
                task=usage.task,
            )
        )
    return value
