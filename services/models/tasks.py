"""Model tasks: prompt, schema, checks and deterministic fallback; and the runner of tasks."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, TypeVar, cast

from pydantic import BaseModel

from services.domain import TaskUsage
from services.domain.errors import (
    BadGeneration,
    InvalidGeneration,
    ModelTimeout,
    ModelUnavailable,
    NoModel,
    TruncatedGeneration,
    TryAgain,
)
from services.domain.notices import Notice
from services.models.base import ChatModel, ChatRequest, Message
from services.models.output import generation_schema, read_output, repair_messages, with_schema

In = TypeVar("In")
Out = TypeVar("Out")

GIVE_UP_AFTER: dict[type[Exception], int] = {ModelUnavailable: 2, ModelTimeout: 3, NoModel: 1}
"""Failures of a kind, without a success between, after which a run makes no more calls; else 1."""
OF_THE_MODEL: Final = (InvalidGeneration.__name__, TruncatedGeneration.__name__)
"""Failures of the model itself, not of its server."""


class ModelTask(ABC, Generic[In, Out]):
    """A task for a model, and the fallback without one.

    ``schema`` constrains and parses the output; None means plain text. ``temperature`` and ``stop``
    are those of :class:`services.models.base.ChatRequest`.
    """

    name: ClassVar[str]
    schema: type[BaseModel] | None = None
    max_tokens: int
    temperature: float = 0.0
    stop: tuple[str, ...] = ()

    @abstractmethod
    def render(self, inp: In) -> tuple[Message, ...]:
        """Return the prompt, its stable text first, so that a server can reuse its cache."""

    @abstractmethod
    def fallback(self, inp: In) -> Out:
        """Return the deterministic result, for no model or one that gave nothing usable."""

    def check(self, inp: In, output: Any) -> Out:
        """Turn the output, an instance of ``schema`` or stripped text, into the result.

        Raise InvalidGeneration to say, in words meant for the model, what is wrong.
        """
        return cast(Out, output)

    def improve(self, inp: In, value: Out) -> None:
        """Raise InvalidGeneration if a second try may better a result; it stays if that fails."""


@dataclass(frozen=True)
class TaskResult(Generic[Out]):
    """The result of a task and what it cost."""

    value: Out
    usage: TaskUsage


@dataclass
class _Job(Generic[In, Out]):
    """A running task, with its cost so far.

    ``in_text`` is set once the model has violated the schema: from then on the prompt contains it.
    """

    task: ModelTask[In, Out]
    inp: In
    on_text: Callable[[str], None] | None
    cost: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    answer: str = ""
    parsed: bool = False
    in_text: bool = False

    def request(self, messages: tuple[Message, ...], deadline_s: float, caller: str) -> ChatRequest:
        task = self.task
        schema = None if self.in_text else task.schema
        return ChatRequest(
            messages=messages,
            json_schema=None if schema is None else generation_schema(schema),
            max_tokens=task.max_tokens,
            temperature=task.temperature,
            stop=task.stop,
            deadline_s=deadline_s,
            task=task.name,
            caller=caller,
        )

    def accept(self) -> Out:
        schema = self.task.schema
        output = self.answer.strip() if schema is None else read_output(schema, self.answer)
        self.parsed = True
        return self.task.check(self.inp, output)

    def repair(self, messages: tuple[Message, ...], error: BadGeneration) -> tuple[Message, ...]:
        """Return the prompt of a second try, with the schema if the first violated it."""
        self.cost["repairs"] += 1
        again = repair_messages(messages, self.answer, error, getattr(self.inp, "language", None))
        schema, cut = self.task.schema, isinstance(error, TruncatedGeneration)
        if schema is None or self.parsed or cut:
            return again
        self.in_text = True
        return with_schema(again, generation_schema(schema))

    def result(self, value: Out, fallback: Notice | None = None) -> TaskResult[Out]:
        seconds = round(self.seconds, 3)
        usage = TaskUsage(task=self.task.name, fallback=fallback, seconds=seconds, **self.cost)
        return TaskResult(value, usage)


class TaskRunner:
    """Runs the tasks of one research run against one model; without one they take their fallback.

    A call may take ``deadline_s`` seconds from the moment its turn has come, and a task makes at
    most two. ``parallel`` bounds the calls of this runner, the model those of all.
    """

    def __init__(
        self, model: ChatModel | None, *, deadline_s: float, parallel: int = 1, caller: str = ""
    ) -> None:
        self.model = model
        self._caller = caller
        self._deadline_s = deadline_s
        self._turn = asyncio.Semaphore(parallel)
        self._failures: Counter[type[Exception]] = Counter()
        self.gone: Notice | None = None
        """Why it makes no further calls."""

    async def run(
        self,
        task: ModelTask[In, Out],
        inp: In,
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> TaskResult[Out]:
        """Return the model's result, repaired once if need be, else the fallback with its reason.

        ``on_text`` is called with the text so far; a repair starts it over. Its last text is void
        when the result's ``usage.fallback`` is set.
        """
        job = _Job(task, inp, on_text)
        if self.model is None:
            return job.result(task.fallback(inp))
        try:
            async with self._turn:
                return job.result(await self._generate(self.model, job))
        except (TryAgain, BadGeneration, NoModel) as error:
            reason = Notice.of("{failure}: {reason}", failure=type(error).__name__, reason=error)
        return job.result(task.fallback(inp), fallback=reason)

    async def _generate(self, model: ChatModel, job: _Job[In, Out]) -> Out:
        messages, usable = job.task.render(job.inp), list[Out]()
        try:
            await self._call(model, job, messages)
            usable.append(job.accept())
            job.task.improve(job.inp, usable[0])
            return usable[0]
        except (TruncatedGeneration, InvalidGeneration) as error:
            messages = job.repair(messages, error)
        try:
            await self._call(model, job, messages)
            return job.accept()
        except (TryAgain, BadGeneration):
            if usable:
                return usable[0]
            raise

    async def _call(
        self, model: ChatModel, job: _Job[In, Out], messages: tuple[Message, ...]
    ) -> None:
        """Make one call and count it, unless the endpoint is known to be gone."""
        if self.gone is not None:
            raise ModelUnavailable("{reason}; not tried again in this run", reason=self.gone)
        started = time.monotonic()
        job.cost["model_calls"] += 1
        try:
            request = job.request(messages, self._deadline_s, self._caller)
            completion = await model.complete(request, job.on_text)
        except (ModelUnavailable, ModelTimeout, NoModel) as error:
            kind = type(error)
            self._failures[kind] += 1
            if self._failures[kind] >= GIVE_UP_AFTER.get(kind, 1):
                self.gone = error.notice
            raise
        except BadGeneration:
            self._failures.clear()
            raise
        finally:
            job.seconds += time.monotonic() - started
        job.answer = completion.text
        job.cost["prompt_tokens"] += completion.prompt_tokens
        job.cost["completion_tokens"] += completion.completion_tokens
        self._failures.clear()
