"""Nodes of quick answers: their time, and the model's part of it.

A turn lasts seconds and its speed counts, so there is no event for the start and end of a node.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from agent.step import Node, Step, Update, in_graph
from services.domain.events import ConversationLLMStep
from services.models.tasks import ModelTask

In = TypeVar("In")
Out = TypeVar("Out")


def timed(phase: str) -> Callable[[Node], Callable[..., Awaitable[Update]]]:
    """Makes ``async def f(state, step) -> update`` a node whose seconds count as ``phase``."""

    def decorate(function: Node) -> Callable[..., Awaitable[Update]]:
        async def measured(state: Mapping[str, Any], step: Step) -> Update:
            begin = time.monotonic()
            update = await function(state, step)
            return {**update, "phase_seconds": {phase: time.monotonic() - begin}}

        return in_graph(function.__name__, measured)

    return decorate


async def asked(
    step: Step,
    task: ModelTask[In, Out],
    inp: In,
    part: str | None = None,
    on_text: Callable[[str], None] | None = None,
) -> Out:
    """Runs a model task (`Step.run`) and tells what it cost, if a model was called."""
    value = await step.run(task, inp, part=part, on_text=on_text)
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
