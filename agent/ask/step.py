"""Nodes of quick answers: what they are given, their time, and the model's part of it.

A turn lasts seconds and its speed counts, so there is no event for the start and end of a node.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from agent.ask.memory import AnswerMemory
from agent.ask.writing_skill import WritingSkill
from agent.context import Context
from agent.step import Node, Step, Update, in_graph
from services.domain import SearchRequest, SearchResult
from services.domain.events import ConversationLLMStep
from services.language.query.heads import QuestionReader
from services.language.query.values import Understanding
from services.library.thresholds import Thresholds
from services.models.tasks import ModelTask
from services.retrieval.scan.scanner import Scanner
from services.timed_cache import TimedCache

ToolCache = TimedCache[Any, Any]
"""What tools found: an agent asks the same again, and so do people."""

In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True, kw_only=True)
class AskContext(Context):
    """Injected into the nodes of a turn.

    ``known`` are names of documents in the scope; ``thresholds`` are those of a profile there.
    ``reader`` has the heads that read questions, None where the embedding has none. ``versions``
    are the content versions of the scope, read anew each time. ``skill`` knows how well models
    write, None in a replay, where the options of a turn tell it.
    """

    understand: Callable[..., Understanding]
    reader: QuestionReader | None
    find: Callable[[SearchRequest], Awaitable[SearchResult]]
    scanner: Scanner
    known: tuple[str, ...]
    thresholds: Callable[[str | None], Thresholds]
    memory: Callable[[], AnswerMemory]
    tool_cache: ToolCache
    versions: Callable[[], tuple[int, ...]]
    agent_temperature: float
    skill: WritingSkill | None


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
