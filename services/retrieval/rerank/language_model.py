"""A language model as a reranker: it gives each of a few short passages a mark."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from services.domain import Hit, Language, Value
from services.domain.errors import InvalidGeneration, ModelTimeout, ModelUnavailable, NoModel
from services.domain.notices import Notice
from services.language.query.language import detect_language
from services.language.text import sentences, stems
from services.models.base import ChatModel, Message, count_prompt, passage_tokens
from services.models.tasks import ModelTask, TaskRunner
from services.retrieval.rerank.base import with_heading

BATCH = 8
"""Passages of one call: few enough for a small model to keep apart."""

PASSAGE_CHARACTERS = 300
BEST_MARK = 10
TOKENS_PER_MARK = 8

MakeModel = Callable[[], Awaitable[ChatModel | None]]

_PROMPTS: dict[Language, tuple[str, str, str]] = {
    "de": (
        "Benote, wie gut jede Stelle die Frage beantwortet: 10 heißt, sie enthält die Antwort, "
        "5, sie betrifft die Frage, 0, sie hat nichts mit ihr zu tun. Gib jeder Stelle eine Note.",
        "Frage",
        "Stelle",
    ),
    "en": (
        "Mark how well each passage answers the question: 10 means that it has the answer, 5 "
        "that it bears on the question, 0 that it has nothing to do with it. Mark every passage.",
        "Question",
        "Passage",
    ),
}


class MarkInput(Value):
    """A query and passages that fit one prompt, each short."""

    query: str
    language: Language
    passages: tuple[str, ...]


class MarkPassages(ModelTask[MarkInput, tuple[float, ...] | None]):
    """A mark (0-1) for each of ``count`` passages; None without a usable answer.

    The schema names every passage (``p1``, ``p2``, …), so that none can be left out, come twice
    or be made up.
    """

    name: ClassVar[str] = "rerank"

    def __init__(self, count: int) -> None:
        self.schema = marks_schema(count)
        self.max_tokens = 16 + TOKENS_PER_MARK * count

    def render(self, inp: MarkInput) -> tuple[Message, ...]:
        system, question, passage = _PROMPTS.get(inp.language, _PROMPTS["en"])
        lines = [f"{passage} p{n}: {text}" for n, text in enumerate(inp.passages, start=1)]
        user = "\n".join([f"{question}: {inp.query}", *lines, f"{question}: {inp.query}"])
        return Message(role="system", content=system), Message(role="user", content=user)

    def check(self, inp: MarkInput, output: BaseModel) -> tuple[float, ...]:
        return tuple(mark / BEST_MARK for mark in output.model_dump().values())

    def fallback(self, inp: MarkInput) -> None:
        """Nothing: the caller keeps the order that there is."""
        return None


@cache
def marks_schema(count: int) -> type[BaseModel]:
    """A mark from 0 to ``BEST_MARK`` for each of ``count`` passages, by its number."""
    mark = (Annotated[int, Field(ge=0, le=BEST_MARK)], ...)
    fields: dict[str, tuple[object, object]] = {f"p{n}": mark for n in range(1, count + 1)}
    made: type[BaseModel] = create_model(  # type: ignore[call-overload]
        "Marks", __config__=ConfigDict(extra="forbid"), **fields
    )
    return made


class LanguageModelReranker:
    """Marks passages in batches that fit the model's context and speed.

    Args:
        model: gives the language model, None where none is wanted; asked at every call.
        deadline_s: seconds of a whole call, whatever the number of passages.
    """

    def __init__(self, model: MakeModel, *, deadline_s: float) -> None:
        self._model = model
        self._deadline_s = deadline_s

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """See ``Reranker.score``; without a model ModelUnavailable, for it may come back."""
        if not passages:
            return []
        model = await self._chat_model()
        try:
            async with asyncio.timeout(self._deadline_s) as deadline:
                return await self._score(model, query, passages)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise ModelTimeout(
                "the model did not mark {passages} passages within {seconds:g} s; ask for fewer "
                "hits or raise RABBITHOLE_MODEL_DEADLINE_S",
                passages=len(passages),
                seconds=self._deadline_s,
            ) from error

    async def _chat_model(self) -> ChatModel:
        """The model; loading it the first time is no part of the deadline."""
        try:
            model = await self._model()
        except NoModel as error:
            raise ModelUnavailable(error.notice) from error
        if model is None:
            raise ModelUnavailable("RABBITHOLE_LLM=none names no language model")
        return model

    async def _score(self, model: ChatModel, query: str, passages: Sequence[Hit]) -> list[float]:
        batches = await asyncio.to_thread(self._batches, model, query, passages)
        runner = TaskRunner(model, deadline_s=self._deadline_s)
        marks: list[float] = []
        for batch in batches:
            done = await runner.run(MarkPassages(len(batch.passages)), batch)
            if done.value is None:
                failure = done.usage.fallback
                reason = failure.fields["reason"] if failure else None
                raise InvalidGeneration(
                    Notice.model_validate(reason or Notice.of("the model gave no marks"))
                )
            marks += done.value
        return marks

    def _batches(self, model: ChatModel, query: str, passages: Sequence[Hit]) -> list[MarkInput]:
        """The passages, short, in prompts that the model can take; one that fits none is alone."""
        empty = MarkInput(query=query, language=detect_language(query), passages=())
        task = MarkPassages(BATCH)
        room = passage_tokens(
            model,
            fixed_tokens=count_prompt(model, task.render(empty)) + TOKENS_PER_MARK * BATCH,
            max_tokens=task.max_tokens,
            deadline_s=self._deadline_s,
        )
        texts = [
            with_heading(each, excerpt(each.text, query, empty.language, PASSAGE_CHARACTERS))
            for each in passages
        ]
        batches: list[list[str]] = []
        left = 0
        for text in texts:
            tokens = model.count_tokens(text) + 1
            if tokens > left or len(batches[-1]) == BATCH:
                batches.append([])
                left = room
            batches[-1].append(text)
            left -= tokens
        return [empty.model_copy(update={"passages": tuple(batch)}) for batch in batches]


def excerpt(text: str, query: str, language: Language, most: int) -> str:
    """Up to ``most`` characters of a text: the run of sentences with most of the query's words.

    Of several the first; blanks are single. A sentence that is longer by itself is cut.
    """
    parts = [" ".join(text[start:end].split()) for start, end in sentences(text)]
    parts = [part for part in parts if part]
    wanted = frozenset(stems(query, language))

    def run(first: int) -> str:
        text, *others = parts[first:]
        for part in others:
            if len(text) + 1 + len(part) > most:
                break
            text = f"{text} {part}"
        return text

    runs = [run(first) for first in range(len(parts))]  # max takes the first of equals
    return max(runs, key=lambda text: len(wanted & {*stems(text, language)}), default="")[:most]
