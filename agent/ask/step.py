"""Nodes of quick answers: timed, and silent but for what they tell themselves.

A turn lasts seconds and its speed counts, so there is no event for the start and end of a node.
"""

import functools
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from langgraph.runtime import Runtime

from agent.ask.context import AskContext
from agent.step import Step, Update
from services.events import ConversationLLMStep
from services.llm.tasks import ModelTask

In = TypeVar("In")
Out = TypeVar("Out")
AskStep = Step[AskContext]
Node = Callable[[Any, AskStep], Awaitable[Update]]


def timed(phase: str) -> Callable[[Node], Callable[..., Awaitable[Update]]]:
    """Makes ``async def f(state, step) -> update`` a graph node whose seconds count as ``phase``.

    The update carries model usage, warnings and time.
    """

    def decorate(function: Node) -> Callable[..., Awaitable[Update]]:
        @functools.wraps(function)
        async def run(state: Mapping[str, Any], runtime: Runtime[AskContext]) -> Update:
            step: AskStep = Step(runtime)
            begin = time.monotonic()
            update = dict(await function(state, step))
            seconds = time.monotonic() - begin
            totals = {"usage": step.usage, "warnings": step.warnings}
            return {**update, **totals, "phase_seconds": {phase: seconds}}

        # langgraph reads the signature to inject the runtime; functools.wraps would hide it.
        del run.__wrapped__
        run.__annotations__ = {"runtime": Runtime[AskContext]}
        return run

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
