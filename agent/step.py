"""One execution of a node: its events, model calls and their cost.

A turn of quick answers lasts seconds and its speed counts, so there is no event for the start and
end of its nodes.
"""

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, Self, TypeVar

from langgraph.runtime import Runtime

from agent.context import Context
from agent.research.state import PHASE_OF
from services.domain import TaskUsage
from services.domain.events import (
    ConversationLLMStep,
    Event,
    EventKey,
    ModelCalled,
    PhaseFinished,
    PhaseStarted,
    PhaseTimes,
    TokenUpdate,
    Warned,
)
from services.domain.notices import Notice
from services.models.base import ChatModel
from services.models.tasks import OF_THE_MODEL, ModelTask

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

    def outcome(self) -> Update:
        """Return what the step adds to the update of its node: model usage and warnings."""
        warnings = [warning.model_dump() for warning in self.warnings]
        return {"usage": self.usage, "warnings": warnings}

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
        self, task: ModelTask[In, Out], inp: In, *, on_text: Callable[[str], None] | None = None
    ) -> Out:
        """Run a model task and record its usage; its text so far is passed to ``on_text``."""
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
    """Return a graph node of that name, whose update carries the outcome of its step."""

    async def run(state: Mapping[str, Any], runtime: Runtime[Context]) -> Update:
        step = step_type.of(runtime)
        return {**await function(state, step), **step.outcome()}

    run.__name__ = name
    run.__annotations__ = {"runtime": Runtime[Context]}  # langgraph injects it
    return run


def node(function: Node) -> Callable[..., Awaitable[Update]]:
    """Make ``async def f(state, step) -> update`` a node that emits start and end of its phase."""
    phase = PHASE_OF[function.__name__]

    async def reported(state: Mapping[str, Any], step: Step) -> Update:
        begin = time.monotonic()
        step.emit(PhaseStarted(phase=phase))
        update = await function(state, step)
        step.emit(PhaseFinished(phase=phase, seconds=round(time.monotonic() - begin, 3)))
        return update

    return in_graph(function.__name__, reported)


def fallen_back(usage: Iterable[TaskUsage]) -> tuple[Notice, ...]:
    """Name each model task that fell back to code, once, with the reason."""
    notices = (
        Notice.of("{step}: {fallback}", step=cost.task, fallback=cost.fallback)
        for cost in usage
        if cost.fallback
    )
    return tuple(dict.fromkeys(notices))


def unused(usage: Iterable[TaskUsage], model: ChatModel | None) -> tuple[Notice, ...]:
    """Say in one notice what failed with the model and why; return none where nothing did.

    A fault of the server explains more than an unusable reply of the model.
    """
    failed = [(cost.task, cost.fallback) for cost in usage if cost.fallback is not None]
    if not failed or model is None:
        return ()
    _, fallback = min(failed, key=lambda pair: pair[1].fields.get("failure") in OF_THE_MODEL)
    first, *others = dict.fromkeys(step for step, _ in failed)
    return (
        Notice.of(
            "{model} failed ({steps}): {reason}",
            model=model.name,
            steps=reduce(
                lambda steps, step: Notice.of("{steps}, {step}", steps=steps, step=step),
                others,
                Notice.of("{step}", step=first),
            ),
            reason=fallback.fields.get("reason", fallback),
        ),
    )


def usage_json(usage: Sequence[TaskUsage], times: PhaseTimes, model: str) -> dict[str, Any]:
    """Return the cost of a run; ``tasks`` splits it by model task.

    ``seconds`` of a phase are wall-clock time, ``work_seconds`` the sum over its steps.
    """
    tasks: dict[str, dict[str, Any]] = defaultdict(
        lambda: {"runs": 0, "model_calls": 0, "fallbacks": 0, "seconds": 0.0}
    )
    for item in usage:
        row = tasks[item.task]
        row["runs"] += 1
        row["model_calls"] += item.model_calls
        row["fallbacks"] += item.fallback is not None
        row["seconds"] = round(row["seconds"] + item.seconds, 2)
    return {
        "model": model,
        "model_calls": sum(item.model_calls for item in usage),
        "repairs": sum(item.repairs for item in usage),
        "fallbacks": sum(item.fallback is not None for item in usage),
        "prompt_tokens": sum(item.prompt_tokens for item in usage),
        "completion_tokens": sum(item.completion_tokens for item in usage),
        "model_seconds": round(sum(item.seconds for item in usage), 2),
        "seconds": {phase: round(value, 2) for phase, value in times.wall.items()},
        "work_seconds": {phase: round(value, 2) for phase, value in times.work.items()},
        "tasks": dict(tasks),
    }


def sum_by_key(old: Mapping[str, float], new: Mapping[str, float]) -> dict[str, float]:
    return {key: old.get(key, 0.0) + new.get(key, 0.0) for key in {*old, *new}}


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

    def outcome(self) -> Update:
        return {**super().outcome(), "phase_seconds": self.seconds}

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
                return await function(state, step)

        return in_graph(function.__name__, measured, TurnStep)

    return decorate
