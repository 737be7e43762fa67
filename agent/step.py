"""One execution of a node: its events, model calls and their cost."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Self, TypeVar

from langgraph.runtime import Runtime

from agent.context import Context
from agent.research.checkpoint_info import PHASE_OF
from services.domain import TaskUsage
from services.domain.events import (
    Event,
    EventKey,
    ModelCalled,
    PhaseFinished,
    PhaseStarted,
    TokenUpdate,
    Warned,
)
from services.domain.notices import Notice
from services.models.tasks import ModelTask

In = TypeVar("In")
Out = TypeVar("Out")
Update = dict[str, Any]

TOKEN_UPDATE_INTERVAL_S = 0.25


class Step:
    """Passed to every node. Its events are numbered, so those of a repeated step overwrite them."""

    def __init__(self, context: Context, key: EventKey) -> None:
        self.context = context
        self.usage: list[TaskUsage] = []
        self.warnings: list[Notice] = []
        self._key = key
        self._n = 0

    @classmethod
    def of(cls, runtime: Runtime[Context]) -> Self:
        """Return the step of a node that is being executed."""
        info = runtime.execution_info
        if info is None or info.thread_id is None:
            raise ValueError("nodes run only inside a thread with checkpoints")
        key = EventKey(
            thread_id=info.thread_id,
            branch=runtime.context.branch,
            checkpoint=info.checkpoint_id,
            task=info.task_id,
            n=0,
        )
        return cls(runtime.context, key)

    def emit(self, event: Event) -> int:
        """Record an event under the next number; return that number."""
        self._n += 1
        self.context.record(self._key.model_copy(update={"n": self._n}), event)
        return self._n

    def warn(self, message: Notice | str) -> None:
        """Add a warning to the report and to the event log."""
        notice = Notice.model_validate(message)
        self.warnings.append(notice)
        self.emit(Warned(message=notice))

    async def run(
        self,
        task: ModelTask[In, Out],
        inp: In,
        *,
        stream: str | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Out:
        """Run a model task and record its usage.

        Its text so far is passed to ``on_text``, or emitted as the part of the answer that
        ``stream`` names.
        """
        on_text = self.text_writer(stream) if stream else on_text
        result = await self.context.tasks.run(task, inp, on_text=on_text)
        self.usage.append(result.usage)
        self.tell_usage(result.usage)
        return result.value

    def tell_usage(self, usage: TaskUsage) -> None:
        """Record the cost of a model task, if a model was called or should have been."""
        if usage.model_calls or usage.fallback:
            self.emit(
                ModelCalled(
                    task=usage.task,
                    model_calls=usage.model_calls,
                    prompt_tokens=usage.prompt_tokens,
                    completion_tokens=usage.completion_tokens,
                    seconds=round(usage.seconds, 3),
                    fallback=usage.fallback,
                )
            )

    def text_writer(
        self, stream: str, every_s: float = TOKEN_UPDATE_INTERVAL_S
    ) -> Callable[[str], None]:
        """Return a function that records growing text in one event, which is overwritten."""
        self._n += 1
        key = self._key.model_copy(update={"n": self._n})
        last = 0.0

        def write(text: str) -> None:
            nonlocal last
            if time.monotonic() - last >= every_s:
                last = time.monotonic()
                self.context.record(key, TokenUpdate(part=stream, text=text))

        return write


Node = Callable[[Any, Any], Awaitable[Update]]


def in_graph(
    name: str, function: Node, step_type: type[Step] = Step
) -> Callable[..., Awaitable[Update]]:
    """Return a graph node of that name, whose update carries model usage and warnings."""

    async def run(state: Mapping[str, Any], runtime: Runtime[Context]) -> Update:
        step = step_type.of(runtime)
        update = await function(state, step)
        return {
            **update,
            "usage": step.usage,
            "warnings": [warning.model_dump() for warning in step.warnings],
        }

    run.__name__ = name
    run.__annotations__ = {"runtime": Runtime[Context]}  # langgraph injects it
    return run


def node(function: Node) -> Callable[..., Awaitable[Update]]:
    """Make ``async def f(state, step) -> update`` a node of a research.

    The node emits the start and end of its phase.
    """
    phase = PHASE_OF[function.__name__]

    async def reported(state: Mapping[str, Any], step: Step) -> Update:
        begin = time.monotonic()
        step.emit(PhaseStarted(phase=phase))
        update = await function(state, step)
        step.emit(PhaseFinished(phase=phase, seconds=round(time.monotonic() - begin, 3)))
        return update

    return in_graph(function.__name__, reported)
