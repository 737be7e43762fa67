"""Nodes of quick answers: their time, and what each model call cost.

A turn lasts seconds and its speed counts, so there is no event for the start and end of a node.
"""

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from agent.context import Context
from agent.step import Node, Step, Update, in_graph
from services.domain import TaskUsage
from services.domain.events import ConversationLLMStep, EventKey


class TurnStep(Step):
    """A step of a turn: it measures its phases and reports each model call.

    ``seconds`` has the time of each phase, without that of the phases measured inside it.
    """

    def __init__(self, context: Context, key: EventKey) -> None:
        super().__init__(context, key)
        self.seconds: dict[str, float] = {}

    @contextmanager
    def measure(self, phase: str) -> Iterator[None]:
        """Count the time of a block as ``phase``."""
        begin, before = time.monotonic(), sum(self.seconds.values())
        yield
        inner = sum(self.seconds.values()) - before
        elapsed = time.monotonic() - begin - inner
        self.seconds[phase] = self.seconds.get(phase, 0.0) + elapsed

    def tell_usage(self, usage: TaskUsage) -> None:
        super().tell_usage(usage)
        model = self.context.tasks.model
        if usage.model_calls and model is not None:
            self.emit(
                ConversationLLMStep(
                    input_tokens=usage.prompt_tokens,
                    output_tokens=usage.completion_tokens,
                    model=model.name,
                    task=usage.task,
                )
            )


def timed(phase: str) -> Callable[[Node], Callable[..., Awaitable[Update]]]:
    """Make ``async def f(state, step) -> update`` a node whose seconds count as ``phase``."""

    def decorate(function: Node) -> Callable[..., Awaitable[Update]]:
        async def measured(state: Mapping[str, Any], step: TurnStep) -> Update:
            with step.measure(phase):
                update = await function(state, step)
            return {**update, "phase_seconds": step.seconds}

        return in_graph(function.__name__, measured, TurnStep)

    return decorate
