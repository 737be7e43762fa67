"""Verify: a model reads each claim beside all its sections, and names the words that they lack."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from agent.prompts import words_of
from agent.prompts.reading import Statement, Verdict, VerifyClaims, VerifyInput
from agent.reading.gather import Gatherer
from agent.reading.prove import Claim, checked
from agent.reading.sections import Cutter, Section, numbered
from agent.reading.values import Quote
from agent.step import Step
from services.domain import Language, Passage
from services.models.base import ChatModel, count_prompt, passage_tokens
from services.models.tasks import ModelTask

In = TypeVar("In")

LEAST_ROOM: Final = 1_000
"""Tokens of passages that are read however slow the model is."""
MOST_STATEMENTS: Final = 25
"""Statements in one call."""
DOUBTED: Final = ("number", "label", "missing")
"""Faults of words, in a claim whose quotes stand there."""
READ: Final = ("", "number", "label")
"""Faults with which a claim is read: what code doubts may be said otherwise."""


@dataclass(frozen=True)
class Question:
    """What is asked, in which language it is answered, and of which documents as a whole.

    ``instructions`` of a person take the place of the reader's. ``context`` is the whole that a
    part of a question, or a task of a research, belongs to.
    """

    text: str
    language: Language
    documents: tuple[str, ...] = ()
    instructions: str = ""
    context: str = ""

    @property
    def said(self) -> str:
        """All that is said of what is asked: what it names needs no proof."""
        return f"{self.text}\n{self.context}".strip()


def room(task: ModelTask[In, Any], inp: In, step: Step, model: ChatModel) -> int:
    """Tokens of passages by the window of the model and its measured speed.

    ``inp`` is what the task is told besides them.
    """
    allowed = passage_tokens(
        model,
        fixed_tokens=count_prompt(model, task.render(inp)),
        max_tokens=task.max_tokens,
        deadline_s=step.context.services.settings.call_deadline_s,
    )
    return max(allowed, LEAST_ROOM)


async def verified_alone(
    sentence: str, found: Sequence[Passage], most: int, question: Question, step: Step
) -> Claim:
    """A sentence of anybody's, proven and verified like a claim, but by nothing of the question.

    It rests on the sections of the passages that were found for it, of ``most`` tokens.
    """
    model, language = step.context.tasks.model, question.language
    if model is None:
        raise ValueError("without a model nobody reads")
    empty = VerifyInput(question=question.text, language=language)
    gatherer = Gatherer(sentence, step.context, model.count_tokens, language)
    sections, _ = await asyncio.to_thread(
        gatherer.gathered, found, min(most, room(VerifyClaims(), empty, step, model))
    )
    quotes = tuple(_whole(n, each) for n, each in enumerate(sections))
    claim = checked(Claim(text=sentence, quotes=quotes), sections, "", language)
    return claim if claim.fault else (await _read([claim], sections, question, step))[0]


def _whole(number: int, section: Section) -> Quote:
    """All that is shown of a section."""
    return Quote(
        section=number,
        document_id=section.document_id,
        start=section.start,
        end=section.end,
        text=section.text,
    )


async def verified(
    claims: Sequence[Claim], sections: Sequence[Section], question: Question, step: Step
) -> list[Claim]:
    """The claims as a reading beside all their sections leaves them.

    One of which words are doubted is said as its sections say it, once, and verified again.
    """
    read = await _read(claims, sections, question, step)
    cut = {
        n: checked(
            Claim(text=claim.better, quotes=claim.quotes, made_of=claim.made_of),
            sections,
            question.said,
            question.language,
        )
        for n, claim in enumerate(read)
        if claim.fault in DOUBTED and claim.better not in ("", claim.text)
    }
    cut = {n: claim for n, claim in cut.items() if not claim.fault}
    again = await _read(list(cut.values()), sections, question, step)
    better = {n: claim for n, claim in zip(cut, again, strict=True) if not claim.fault}
    return [better.get(n, claim) for n, claim in enumerate(read)]


async def _read(
    claims: Sequence[Claim], sections: Sequence[Section], question: Question, step: Step
) -> list[Claim]:
    """The claims as a model that reads all their sections leaves them."""
    model = step.context.tasks.model
    unread = [n for n, each in enumerate(claims) if each.quotes and each.fault in READ]
    if model is None or not unread:
        return [claim if claim.fault else claim.verified(None) for claim in claims]
    verification = _Verification(claims, sections, question, step, model)
    found: dict[int, Verdict] = {}
    for verdicts in await asyncio.gather(*map(verification.verdicts, verification.batches(unread))):
        found |= verdicts
    return [
        claim.verified(found.get(n)) if n in unread else claim for n, claim in enumerate(claims)
    ]


class _Verification:
    """Claims beside their sections, in as few calls as have room for them."""

    def __init__(
        self,
        claims: Sequence[Claim],
        sections: Sequence[Section],
        question: Question,
        step: Step,
        model: ChatModel,
    ) -> None:
        self._claims, self._sections, self._question = claims, sections, question
        self._step, self._count = step, model.count_tokens
        self._words = words_of(VerifyClaims.name, question.language)
        self._room = room(VerifyClaims(), self._input((), {}), step, model)

    def batches(self, numbers: Sequence[int]) -> list[list[int]]:
        """Claims by number; one whose sections alone have no room stands alone."""
        batches: list[list[int]] = []
        shown: set[int] = set()
        said = 0
        for n in numbers:
            tokens = self._count(self._statement(1, n, {}).shown(self._words))
            both = shown | set(self._claims[n].sections)
            needed = said + tokens + sum(self._sections[each].tokens for each in both)
            if batches and len(batches[-1]) < MOST_STATEMENTS and needed <= self._room:
                batches[-1].append(n)
                shown, said = both, said + tokens
            else:
                batches.append([n])
                shown, said = set(self._claims[n].sections), tokens
        return batches

    async def verdicts(self, batch: Sequence[int]) -> dict[int, Verdict]:
        """What is found of some claims, by their number; nothing of any where the model failed."""
        sections = await asyncio.to_thread(self._fitting, batch)
        found = await self._step.run(VerifyClaims(), self._input(batch, sections))
        return {} if found is None else {n: found[k] for k, n in enumerate(batch, start=1)}

    def _fitting(self, batch: Sequence[int]) -> dict[int, Section]:
        """The sections of some claims by number, cut to what is quoted where they have no room."""
        cited = sorted({each for n in batch for each in self._claims[n].sections})
        sections = {each: self._sections[each] for each in cited}
        said = sum(self._count(self._statement(1, n, {}).shown(self._words)) for n in batch)
        if said + sum(each.tokens for each in sections.values()) <= self._room:
            return sections
        cutter = Cutter(self._step.context, self._count, self._question.language)
        quotes = [quote for n in batch for quote in self._claims[n].quotes]
        return {
            n: cutter.around(each.cut, [(q.start, q.end) for q in quotes if q.section == n])
            for n, each in sections.items()
        }

    def _input(self, batch: Sequence[int], sections: Mapping[int, Section]) -> VerifyInput:
        """Some claims, numbered from 1, below the sections that they rest on."""
        place = {section: n for n, section in enumerate(sections, start=1)}
        return VerifyInput(
            question=self._question.text,
            language=self._question.language,
            context=self._question.context,
            passages=numbered(sections.values()),
            statements=tuple(self._statement(k, n, place) for k, n in enumerate(batch, start=1)),
        )

    def _statement(self, number: int, n: int, place: Mapping[int, int]) -> Statement:
        claim = self._claims[n]
        return Statement(
            number=number,
            text=claim.text,
            passages=tuple(place.get(each, 0) for each in claim.sections),
            made_of=claim.made_of,
            doubted=claim.words,
        )
