"""Nodes of quick answers: their time, and what each model call cost.

A turn lasts seconds and its speed counts, so there is no event for the start and end of a node.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agent.step import Node, Step, Update, in_graph
from services.domain import TaskUsage
from services.domain.events import ConversationLLMStep


class TurnStep(Step):
    """A step of a turn, which also tells each model call as a part of the conversation."""

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
    """Makes ``async def f(state, step) -> update`` a node whose seconds count as ``phase``."""

    def decorate(function: Node) -> Callable[..., Awaitable[Update]]:
        async def measured(state: Mapping[str, Any], step: Step) -> Update:
            begin = time.monotonic()
            update = await function(state, step)
            return {**update, "phase_seconds": {phase: time.monotonic() - begin}}

        return in_graph(function.__name__, measured, TurnStep)

    return decorate
