"""Having a language model read the texts of a scope, passage by passage."""

import asyncio
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from services.events import DocumentProgress, Event
from services.knowledge_graph.facts import (
    ANSWER_TOKENS,
    CALLS,
    PASSAGE,
    PROMPTS,
    EnumerateEntities,
    MissedEntities,
    PassageInput,
    RelateEntities,
)
from services.knowledge_graph.structure.source import Source, Window, windows
from services.knowledge_graph.values import Fact, FactsCost, NamedEntity, PassageFacts
from services.llm.base import CHARS_PER_TOKEN
from services.llm.tasks import TaskRunner
from services.types import Scope, SearchFilter

if TYPE_CHECKING:
    from services.catalog import Catalog
    from services.catalog.corpus import CorpusDocument
    from services.llm.base import ChatModel

_SHORTEST: Final = 80
"""Characters of a passage below which nothing is related: headings."""
_PROMPT_TOKENS: Final = 250
"""Of a prompt without its passage."""
_READS_FASTER: Final = 8
"""How much faster models read than they write, as a rule."""
_GIVE_UP_AFTER: Final = 3
"""Passages in a row of which the model made nothing usable."""


Located = TypeVar("Located", NamedEntity, Fact)


class _Reading(NamedTuple):
    """A text with the passages that are left to read."""

    document: "CorpusDocument"
    source: Source
    passages: tuple[Window, ...]


class FactsRead(NamedTuple):
    """What reading took; ``warnings`` say why it ended early."""

    passages: int
    model_calls: int
    warnings: tuple[str, ...]


class FactsReader:
    """Reads what was not read before by this model with these prompts.

    Every passage is kept as soon as it is read, so that it may be cancelled between any two.

    Args:
        catalog: holds the texts and takes what is read.
        model: the language model; None for none.
        deadline_s: seconds of one call.
    """

    def __init__(self, catalog: "Catalog", model: "ChatModel | None", *, deadline_s: float) -> None:
        self._catalog = catalog
        self._model = model
        self._deadline_s = deadline_s
        self._made_by = f"{model.name if model else 'none'} {PROMPTS}"

    def cost(self, scope: Scope) -> FactsCost:
        """What is left to read, and how long that takes at the speed measured so far."""
        passages = [
            len(reading.source.text[passage.start : passage.end])
            for reading in self._readings(scope)
            for passage in reading.passages
        ]
        calls = CALLS * len(passages)
        if self._model is None:
            return FactsCost(passages=len(passages), model_calls=calls)
        prompt = CALLS * sum(_PROMPT_TOKENS + size / CHARS_PER_TOKEN for size in passages)
        answers = _READS_FASTER * calls * ANSWER_TOKENS / 2
        seconds = math.ceil((prompt + answers) / max(self._model.prompt_tokens_per_s, 1.0))
        return FactsCost(
            passages=len(passages), model_calls=calls, seconds=seconds, model=self._model.name
        )

    async def read(
        self, scope: Scope, on_event: Callable[[Event], None] = lambda event: None
    ) -> FactsRead:
        """Read what is left of the scope; ``on_event`` hears of every passage."""
        if self._model is None:
            return FactsRead(0, 0, ())
        tasks = TaskRunner(self._model, deadline_s=self._deadline_s)
        passages = calls = failures = 0
        for reading in await asyncio.to_thread(lambda: list(self._readings(scope))):
            for n, passage in enumerate(reading.passages):
                on_event(_progress(reading, n))
                facts, cost = await self._passage(tasks, reading.source, passage)
                calls += cost
                if facts.fallback is not None:
                    failures += 1
                    if failures >= _GIVE_UP_AFTER:
                        return FactsRead(passages, calls, (facts.fallback,))
                    continue
                failures, passages = 0, passages + 1
                text_id = reading.source.text_id
                await asyncio.to_thread(self._catalog.graph.facts.put, text_id, facts)
            on_event(_progress(reading, len(reading.passages)))
        return FactsRead(passages, calls, ())

    def _readings(self, scope: Scope) -> Iterator[_Reading]:
        """The texts of the scope with what is left of them, by file name."""
        for document in self._catalog.corpus.documents(scope, SearchFilter()):
            parsed = self._catalog.documents.parsed(document.document_id)
            source = Source(
                document.text_id, parsed.title, parsed.text, parsed.language, parsed.sections
            )
            done = self._catalog.graph.facts.done(document.text_id, self._made_by)
            left = tuple(
                window
                for window in windows(source, PASSAGE)
                if (window.start, window.end) not in done and window.end - window.start >= _SHORTEST
            )
            if left:
                yield _Reading(document, source, left)

    async def _passage(
        self, tasks: TaskRunner, source: Source, passage: Window
    ) -> tuple[PassageFacts, int]:
        """Names, the names that were missed, and how all of them relate; and the calls made."""
        asked = PassageInput(
            text=source.text[passage.start : passage.end], language=source.language
        )
        first = await tasks.run(EnumerateEntities(), asked)
        usages, entities = [first.usage], list(first.value)
        facts: tuple[Fact, ...] = ()
        if entities:
            asked = asked.model_copy(update={"names": _names(entities)})
            missed = await tasks.run(MissedEntities(), asked)
            entities += missed.value
            asked = asked.model_copy(update={"names": _names(entities)})
            related = await tasks.run(RelateEntities(), asked)
            usages += [missed.usage, related.usage]
            facts = related.value
        kept = PassageFacts(
            start=passage.start,
            end=passage.end,
            made_by=self._made_by,
            entities=tuple(_moved(each, passage.start) for each in entities),
            facts=tuple(_moved(each, passage.start) for each in facts),
            fallback=next((usage.fallback for usage in usages if usage.fallback), None),
        )
        return kept, sum(usage.model_calls for usage in usages)


def _names(entities: list[NamedEntity]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entity.name for entity in entities))


def _moved(each: Located, offset: int) -> Located:
    """The same with places in the text instead of the passage."""
    return each.model_copy(update={"start": each.start + offset, "end": each.end + offset})


def _progress(reading: _Reading, done: int) -> DocumentProgress:
    total = len(reading.passages)
    return DocumentProgress(
        document=reading.document.document,
        stage="done" if done == total else "graph",
        done=done,
        total=total,
    )
