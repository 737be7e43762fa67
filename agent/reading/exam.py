"""The examination of a model that is to read: sixteen items, asked and judged as answers are.

Its tasks are those of answers and its judge is the code that proves claims. Who is examined when
stands in ``agent.examination``; the items in ``exam.toml``.
"""

import asyncio
import tomllib
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from pydantic import Field, TypeAdapter

from agent.prompts.reading import (
    Draft,
    Missing,
    ReadInput,
    ReadPassages,
    Statement,
    VerifyClaims,
    VerifyInput,
)
from agent.reading.prove import Claim, proven
from agent.reading.sections import Section, numbered
from services.domain import Language, Value
from services.domain.errors import error_of
from services.domain.model_checks import ExaminedItem, ItemKind
from services.domain.notices import Notice
from services.models.base import ChatModel, estimate_tokens
from services.models.tasks import OF_THE_MODEL, ModelTask, TaskRunner

In = TypeVar("In")
Out = TypeVar("Out")


class ItemSection(Value):
    """A section of an invented document."""

    document: str
    label: str
    text: str

    def as_read(self, language: Language) -> Section:
        """The section as a reading shows it, whole."""
        return Section(
            document_id=self.document,
            document=self.document,
            text_id=f"{self.document} {self.label}",
            label=self.label,
            heading_path=(),
            language=language,
            place=f"{self.document}, {self.label}",
            start=0,
            end=len(self.text),
            pieces=((0, len(self.text)),),
            text=self.text,
            tokens=estimate_tokens(self.text),
        )


class Item(Value):
    """A question over a few sections, and what a reader makes of it."""

    kind: ItemKind
    language: Language
    question: str
    section: tuple[ItemSection, ...]

    @property
    def sections(self) -> list[Section]:
        return [each.as_read(self.language) for each in self.section]

    @abstractmethod
    async def examined(self, runner: TaskRunner) -> ExaminedItem:
        """Ask the model and judge its reply.

        Raises:
            RabbitholeError: the server gave no whole answer; that says nothing of the model.
        """

    def _judged(self, reply: str, problem: Notice | None) -> ExaminedItem:
        return ExaminedItem(
            kind=self.kind,
            language=self.language,
            question=self.question,
            reply=reply,
            problem=problem,
        )


class DraftItem(Item):
    """An item that is read as a question is."""

    async def examined(self, runner: TaskRunner) -> ExaminedItem:
        inp = ReadInput(
            question=self.question, language=self.language, passages=numbered(self.sections)
        )
        draft = await _replied(runner, ReadPassages(), inp)
        if not isinstance(draft, Draft):
            return self._judged("", _useless(draft))
        return self._judged(_draft_text(draft), self.problem(draft))

    @abstractmethod
    def problem(self, draft: Draft) -> Notice | None:
        """Why the draft is wrong; None where it is right."""


class ReadItem(DraftItem):
    """Sections that answer: the claims say one alternative of each group, proven by sections."""

    kind: Literal["read"]
    says: tuple[tuple[str, ...], ...]
    proof: tuple[int, ...]

    def problem(self, draft: Draft) -> Notice | None:
        if draft.answered == "no":
            return Notice.of("It declined, though the passages answer.")
        claims = [
            proven(each, self.sections, self.question, self.language) for each in draft.claims
        ]
        proof = [claim for claim in claims if not claim.fault]
        for words in self.says:
            if not _says(proof, words):
                if _says(claims, words):
                    return Notice.of("It says {words} without proof.", words=words[0])
                return Notice.of("It does not say {words}.", words=words[0])
        cited = {number + 1 for claim in proof for number in claim.sections}
        for number in self.proof:
            if number not in cited:
                return Notice.of(
                    "It does not quote passage {number}, which decides.", number=number
                )
        return None


class DeclineItem(DraftItem):
    """Sections that come near and do not answer: no claim speaks of the ``subject``."""

    kind: Literal["decline"]
    subject: tuple[str, ...]

    def problem(self, draft: Draft) -> Notice | None:
        claims = [Claim(text=each.text) for each in draft.claims]
        honest = bool(draft.missing.strip()) and not _says(claims, self.subject)
        if draft.answered == "no" or honest:
            return None
        return Notice.of("It answers what the passages do not say.")


class ItemStatement(Value):
    """A statement; ``fault`` has words of which one is to be named, none where it is true."""

    text: str
    passages: tuple[int, ...]
    fault: tuple[str, ...] = ()


class VerifyItem(Item):
    """Statements beside their sections: true ones, and some with a planted fault."""

    kind: Literal["verify"]
    statement: tuple[ItemStatement, ...]

    async def examined(self, runner: TaskRunner) -> ExaminedItem:
        statements = (
            Statement(number=n, text=each.text, passages=each.passages)
            for n, each in enumerate(self.statement, start=1)
        )
        inp = VerifyInput(
            question=self.question,
            language=self.language,
            passages=numbered(self.sections),
            statements=tuple(statements),
        )
        missing = await _replied(runner, VerifyClaims(), inp)
        if not isinstance(missing, dict):
            return self._judged("", _useless(missing))
        reply = "\n".join(f"{n}. {each.missing or '–'}" for n, each in sorted(missing.items()))
        return self._judged(reply, self.problem(missing))

    def problem(self, missing: dict[int, Missing]) -> Notice | None:
        """Why the verification is wrong; None where it is right."""
        for n, statement in enumerate(self.statement, start=1):
            words = missing[n].missing
            if statement.fault and not _holds(words, statement.fault):
                return Notice.of("It overlooks what is wrong here: {text}", text=statement.text)
            if words and not statement.fault:
                return Notice.of("It doubts what is true: {text}", text=statement.text)
        return None


AnyItem = Annotated[ReadItem | DeclineItem | VerifyItem, Field(discriminator="kind")]


def _items() -> tuple[AnyItem, ...]:
    text = Path(__file__).with_name("exam.toml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[AnyItem, ...]).validate_python(tomllib.loads(text)["item"])


ITEMS: Final = _items()


async def examine(model: ChatModel, deadline_s: float) -> tuple[ExaminedItem, ...]:
    """Ask a model all items, as many at once as its server takes; raises as ``Item.examined``."""
    runner = TaskRunner(model, deadline_s=deadline_s, parallel=model.slots)
    asked = [asyncio.ensure_future(item.examined(runner)) for item in ITEMS]
    try:
        return tuple(await asyncio.gather(*asked))
    finally:
        for each in asked:
            each.cancel()
        await asyncio.gather(*asked, return_exceptions=True)


async def _replied(runner: TaskRunner, task: ModelTask[In, Out], inp: In) -> Out | Notice:
    """What a model replies, or why that is of no use; raises as ``Item.examined``."""
    result = await runner.run(task, inp)
    failed = result.usage.fallback
    if failed is None:
        return result.value
    reason = Notice.model_validate(failed.fields["reason"])
    if failed.fields["failure"] not in OF_THE_MODEL:
        raise error_of(str(failed.fields["failure"]))(reason)
    return reason


def _useless(reason: object) -> Notice:
    return Notice.of("Its reply is of no use: {reason}", reason=reason)


def _draft_text(draft: Draft) -> str:
    """A draft as people read it."""
    lines: list[str] = [draft.answered]
    for claim in draft.claims:
        quotes = (f"[{each.passage}] »{each.quote}«" for each in claim.sources)
        lines.append(f"{claim.text} {' '.join(quotes)}".strip())
    return "\n".join([*lines, *filter(None, [draft.missing.strip()])])


def _says(claims: Sequence[Claim], words: Sequence[str]) -> bool:
    return any(_holds(claim.text, words) for claim in claims)


def _holds(text: str, words: Sequence[str]) -> bool:
    """Whether one of the words stands in a text, whatever its case and white space."""
    plain = " ".join(text.casefold().split())
    return any(word.casefold() in plain for word in words)
