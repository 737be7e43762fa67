"""The sixteen items of the reading test, in ``items.toml``, and how replies are judged."""

import asyncio
import tomllib
from abc import abstractmethod
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from pydantic import Field, TypeAdapter

from agent.prompts.reading import (
    Draft,
    ReadInput,
    ReadPassages,
    Statement,
    Verdict,
    VerifyClaims,
    VerifyInput,
)
from agent.reading.prove import Claim, prove_claim
from agent.reading.sections import Section, numbered
from services.domain import Language, Value
from services.domain.errors import error_class
from services.domain.model_checks import ItemKind, ItemResult
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
        """Return the section as a reading shows it, uncut."""
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


class ReadingItem(Value):
    """A question about a few sections, and how a reply to it is judged."""

    kind: ItemKind
    language: Language
    question: str
    section: tuple[ItemSection, ...]

    @property
    def sections(self) -> list[Section]:
        return [section.as_read(self.language) for section in self.section]

    @abstractmethod
    async def run(self, runner: TaskRunner) -> ItemResult:
        """Ask the model and judge its reply; raise `RabbitholeError` for a fault of the server."""

    def _result(self, reply: str, problem: Notice | None) -> ItemResult:
        return ItemResult(
            kind=self.kind,
            language=self.language,
            question=self.question,
            reply=reply,
            problem=problem,
        )


class DraftItem(ReadingItem):
    """An item that is answered like a question."""

    async def run(self, runner: TaskRunner) -> ItemResult:
        inp = ReadInput(
            question=self.question, language=self.language, passages=numbered(self.sections)
        )
        draft = await _reply(runner, ReadPassages(), inp)
        if not isinstance(draft, Draft):
            return self._result("", _useless(draft))
        return self._result(_draft_text(draft), self.problem(draft))

    @abstractmethod
    def problem(self, draft: Draft) -> Notice | None:
        """Return why the draft is wrong; None if it is right."""


class ReadItem(DraftItem):
    """Sections that answer: the claims say one alternative of each group, proven by sections."""

    kind: Literal["read"]
    says: tuple[tuple[str, ...], ...]
    proof: tuple[int, ...]

    def problem(self, draft: Draft) -> Notice | None:
        if draft.answered == "no":
            return Notice.of("It declined to answer, though the passages contain the answer.")
        claims = [
            prove_claim(claim, self.sections, self.question, self.language)
            for claim in draft.claims
        ]
        proof = [claim for claim in claims if not claim.fault]
        for words in self.says:
            if not _any_contains(proof, words):
                if _any_contains(claims, words):
                    return Notice.of(
                        "It says {words} without support in the passages.", words=words[0]
                    )
                return Notice.of("It does not say {words}.", words=words[0])
        cited = {number + 1 for claim in proof for number in claim.sections}
        for number in self.proof:
            if number not in cited:
                return Notice.of(
                    "It does not quote passage {number}, which contains the answer.", number=number
                )
        return None


class DeclineItem(DraftItem):
    """Related sections that do not answer: no claim may mention the ``subject``."""

    kind: Literal["decline"]
    subject: tuple[str, ...]

    def problem(self, draft: Draft) -> Notice | None:
        claims = [Claim(text=claim.text) for claim in draft.claims]
        honest = bool(draft.missing.strip()) and not _any_contains(claims, self.subject)
        if draft.answered == "no" or honest:
            return None
        return Notice.of("It claims something that the passages do not say.")


class ItemStatement(Value):
    """A statement; a reader must name one of the words of ``fault``, if it has any."""

    text: str
    passages: tuple[int, ...]
    fault: tuple[str, ...] = ()


class VerifyItem(ReadingItem):
    """Statements to verify: true ones, and some with a planted fault."""

    kind: Literal["verify"]
    statement: tuple[ItemStatement, ...]

    async def run(self, runner: TaskRunner) -> ItemResult:
        statements = (
            Statement(number=n, text=statement.text, passages=statement.passages)
            for n, statement in enumerate(self.statement, start=1)
        )
        inp = VerifyInput(
            question=self.question,
            language=self.language,
            passages=numbered(self.sections),
            statements=tuple(statements),
        )
        verdicts = await _reply(runner, VerifyClaims(), inp)
        if not isinstance(verdicts, dict):
            return self._result("", _useless(verdicts))
        lines = (f"{n}. {verdict.missing or '–'}" for n, verdict in sorted(verdicts.items()))
        return self._result("\n".join(lines), self.problem(verdicts))

    def problem(self, verdicts: dict[int, Verdict]) -> Notice | None:
        """Return why the verification is wrong; None if it is right."""
        for n, statement in enumerate(self.statement, start=1):
            words = verdicts[n].missing
            if statement.fault and not _contains_any(words, statement.fault):
                return Notice.of("It misses the error here: {text}", text=statement.text)
            if words and not statement.fault:
                return Notice.of("It rejects a true statement: {text}", text=statement.text)
        return None


AnyItem = Annotated[ReadItem | DeclineItem | VerifyItem, Field(discriminator="kind")]


def _items() -> tuple[AnyItem, ...]:
    text = Path(__file__).with_name("items.toml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[AnyItem, ...]).validate_python(tomllib.loads(text)["item"])


ITEMS: Final = _items()


async def run_items(
    model: ChatModel, deadline_s: float, items: Sequence[AnyItem] = ITEMS
) -> AsyncGenerator[ItemResult, None]:
    """Ask a model items side by side; yield each result, or raise, as it comes."""
    runner = TaskRunner(model, deadline_s=deadline_s, parallel=model.slots)
    replies = [asyncio.ensure_future(item.run(runner)) for item in items]
    try:
        for reply in asyncio.as_completed(replies):
            yield await reply
    finally:
        for reply in replies:
            reply.cancel()
        await asyncio.gather(*replies, return_exceptions=True)


async def _reply(runner: TaskRunner, task: ModelTask[In, Out], inp: In) -> Out | Notice:
    """Return a model's reply, or why it is of no use; raises like ``ReadingItem.run``."""
    result = await runner.run(task, inp)
    failed = result.usage.fallback
    if failed is None:
        return result.value
    reason = Notice.model_validate(failed.fields["reason"])
    if failed.fields["failure"] not in OF_THE_MODEL:
        raise error_class(str(failed.fields["failure"]))(reason)
    return reason


def _useless(reason: object) -> Notice:
    return Notice.of("Its reply cannot be used: {reason}", reason=reason)


def _draft_text(draft: Draft) -> str:
    lines: list[str] = [draft.answered]
    for claim in draft.claims:
        quotes = (f"[{source.passage}] »{source.quote}«" for source in claim.sources)
        lines.append(f"{claim.text} {' '.join(quotes)}".strip())
    return "\n".join([*lines, *filter(None, [draft.missing.strip()])])


def _any_contains(claims: Sequence[Claim], words: Sequence[str]) -> bool:
    return any(_contains_any(claim.text, words) for claim in claims)


def _contains_any(text: str, words: Sequence[str]) -> bool:
    plain = " ".join(text.casefold().split())
    return any(word.casefold() in plain for word in words)
