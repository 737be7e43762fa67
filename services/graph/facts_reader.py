"""Having a language model read the texts of a scope, passage by passage."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from services.catalog import Catalog
from services.catalog.corpus import CorpusDocument
from services.domain import Scope, SearchFilter, TaskUsage
from services.domain.events import DocumentProgress, Event
from services.domain.notices import Notice
from services.graph.facts import (
    ANSWER_TOKENS,
    CALLS,
    PROMPTS,
    CritiqueFacts,
    EnumerateEntities,
    PassageInput,
    RelateEntities,
)
from services.graph.facts_checks import telling, worth_reading
from services.graph.structure.source import Source, Window, passages
from services.graph.values import Fact, FactsCost, FactsRead, NamedEntity, PassageFacts
from services.models.base import CHARS_PER_TOKEN, ChatModel
from services.models.tasks import TaskRunner

_PROMPT_TOKENS: Final = 250
"""Of a prompt without its passage."""
_READS_FASTER: Final = 8
"""How much faster models read than they write, as a rule."""
_GIVE_UP_AFTER: Final = 3
"""Passages in a row of which the model made nothing usable."""
_KNOWN_PACE: Final = 5
"""Passages that this model must have read before its own pace is believed."""


class _Reading(NamedTuple):
    """A text with the passages that are left to read."""

    document: CorpusDocument
    source: Source
    passages: tuple[Window, ...]


class FactsReader:
    """Reads what was not read before by this model with these prompts.

    As many passages at once as the model takes calls; all are kept as soon as they are read, so
    that it may be cancelled at any time. ``deadline_s`` is that of one call.
    """

    def __init__(self, catalog: Catalog, model: ChatModel | None, *, deadline_s: float) -> None:
        self._catalog = catalog
        self._model = model
        self._deadline_s = deadline_s
        self._made_by = f"{model.name if model else 'none'} {PROMPTS}"

    def cost(self, scope: Scope) -> FactsCost:
        """What is left to read, and how long that takes.

        The time is that of the passages that this model has read; of a model that has read too
        few, a guess from its speed.
        """
        left_over = (each for reading in self._readings(scope) for each in reading.passages)
        sizes = [each.end - each.start for each in left_over]
        cost = FactsCost(passages=len(sizes), model_calls=CALLS * len(sizes))
        if self._model is None:
            return cost
        read, seconds = self._catalog.graph.facts.pace(self._made_by)
        if read < _KNOWN_PACE:
            prompts = CALLS * sum(_PROMPT_TOKENS + size / CHARS_PER_TOKEN for size in sizes)
            answers = _READS_FASTER * cost.model_calls * ANSWER_TOKENS / 2
            left = (prompts + answers) / max(self._model.prompt_tokens_per_s, 1.0)
        else:
            left = seconds / read * len(sizes) / max(self._model.slots, 1)
        return cost.model_copy(update={"seconds": math.ceil(left), "model": self._model.name})

    async def read(
        self, scope: Scope, on_event: Callable[[Event], None] = lambda event: None
    ) -> FactsRead:
        """Read what is left of the scope; ``on_event`` hears of it, and may raise to end it."""
        if self._model is None:
            return FactsRead(0, 0, ())
        at_once = max(1, self._model.slots)
        tasks = TaskRunner(self._model, deadline_s=self._deadline_s, parallel=at_once)
        passages = calls = failures = 0
        failed: dict[Notice, None] = {}
        for reading in await asyncio.to_thread(lambda: list(self._readings(scope))):
            for n in range(0, len(reading.passages), at_once):
                on_event(_progress(reading, n))
                batch = reading.passages[n : n + at_once]
                found = await asyncio.gather(
                    *(self._passage(tasks, reading.source, each) for each in batch)
                )
                for facts, cost in found:
                    calls += cost
                    failures = 0 if facts.fallback is None else failures + 1
                    passages += facts.fallback is None
                    if facts.fallback is not None:
                        failed[facts.fallback] = None
                    if failures >= _GIVE_UP_AFTER:
                        return FactsRead(passages, calls, tuple(failed))
            on_event(_progress(reading, len(reading.passages)))
        return FactsRead(passages, calls, tuple(failed))

    def _readings(self, scope: Scope) -> Iterator[_Reading]:
        """The texts of the scope with what is left of them, by file name."""
        for document in self._catalog.corpus.documents(scope, SearchFilter()):
            parsed = self._catalog.documents.parsed(document.document_id)
            source = Source.of(document.text_id, parsed)
            done = self._catalog.graph.facts.done(document.text_id, self._made_by)
            left = tuple(
                each
                for each in passages(source)
                if (each.start, each.end) not in done
                and worth_reading(source.text[each.start : each.end], source.language)
            )
            if left:
                yield _Reading(document, source, left)

    async def _passage(
        self, tasks: TaskRunner, source: Source, passage: Window
    ) -> tuple[PassageFacts, int]:
        """Reads a passage and keeps what was read, unless the model failed; and the calls made."""
        started = time.perf_counter()
        asked = PassageInput(
            text=source.text[passage.start : passage.end], language=source.language
        )
        entities, facts, usages = await read_passage(tasks, asked)
        failed = next((usage for usage in usages if usage.fallback), None)
        read = PassageFacts(
            start=0,
            end=len(asked.text),
            made_by=self._made_by,
            seconds=round(time.perf_counter() - started, 2),
            entities=entities,
            facts=facts,
            fallback=Notice.of("{step}: {fallback}", step=failed.task, fallback=failed.fallback)
            if failed
            else None,
        )
        kept = read.moved(passage.start)
        if kept.fallback is None:
            await asyncio.to_thread(self._catalog.graph.facts.put, source.text_id, kept)
        return kept, sum(usage.model_calls for usage in usages)


async def read_passage(
    tasks: TaskRunner, asked: PassageInput
) -> tuple[tuple[NamedEntity, ...], tuple[Fact, ...], list[TaskUsage]]:
    """Names, how they relate, and which of that stands a second look."""
    named = await tasks.run(EnumerateEntities(), asked)
    names = tuple(dict.fromkeys(entity.name for entity in named.value))
    asked = asked.model_copy(update={"names": names})
    if not telling(asked.text, names, asked.language):
        return named.value, (), [named.usage]
    related = await tasks.run(RelateEntities(asked), asked)
    usages = [named.usage, related.usage]
    if not related.value:
        return named.value, (), usages
    asked = asked.model_copy(update={"facts": related.value})
    said = await tasks.run(CritiqueFacts(asked), asked)
    return named.value, said.value, [*usages, said.usage]


def _progress(reading: _Reading, done: int) -> DocumentProgress:
    total = len(reading.passages)
    return DocumentProgress(
        document=reading.document.document,
        stage="done" if done == total else "graph",
        done=done,
        total=total,
    )
