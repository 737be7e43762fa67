"""Verify: a model reads each claim beside all its sections, and names the words that they lack."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from agent.prompts.reading import (
    Missing,
    RewordClaims,
    RewordInput,
    Statement,
    VerifyClaims,
    VerifyInput,
)
from agent.reading.gather import Gatherer
from agent.reading.prove import Claim, checked
from agent.reading.sections import Section, numbered
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
STATEMENTS_TOKENS: Final = 80 * MOST_STATEMENTS
"""That these take at most, with what they are made of."""
DOUBTED: Final = ("number", "label", "missing")
"""Faults of words, in a claim whose quotes stand there."""


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
    return (await _read([claim], sections, question, step))[0]


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

    One of which words are doubted is cut to what its sections say, once, and verified again.
    """
    read = await _read(claims, sections, question, step)
    doubted = [n for n, claim in enumerate(read) if claim.quotes and claim.fault in DOUBTED]
    if not doubted:
        return read
    batches = _batches(doubted, read, sections, question, step)
    texts = await asyncio.gather(
        *(_reworded(batch, read, sections, question, step) for batch in batches)
    )
    cut = [text for batch in texts for text in batch]
    cut = await _read(cut, sections, question, step)
    better = {n: claim for n, claim in zip(doubted, cut, strict=True) if not claim.fault}
    return [better.get(n, claim) for n, claim in enumerate(read)]


async def _reworded(
    batch: Sequence[int],
    claims: Sequence[Claim],
    sections: Sequence[Section],
    question: Question,
    step: Step,
) -> list[Claim]:
    """Some claims without the words that are doubted, proven by code.

    One that is left as it was stays doubted.
    """
    doubted = tuple(claims[n].doubt or claims[n].words for n in batch)
    shown = _shown(batch, claims, sections, question)
    texts = await step.run(RewordClaims(), RewordInput(**dict(shown), doubted=doubted))
    made: list[Claim] = []
    for number, claim in enumerate((claims[n] for n in batch), start=1):
        text = texts.get(number) or claim.text
        new = Claim(text=text, quotes=claim.quotes, made_of=claim.made_of)
        new = checked(new, sections, question.said, question.language)
        made.append(claim if text == claim.text else new)
    return made


async def _read(
    claims: Sequence[Claim], sections: Sequence[Section], question: Question, step: Step
) -> list[Claim]:
    """The claims as a model that reads all their sections leaves them; faulty ones as they are."""
    missing: dict[int, Missing] = {}
    unread = [n for n, claim in enumerate(claims) if not claim.fault]
    batches = _batches(unread, claims, sections, question, step)
    for found in await asyncio.gather(
        *(_missing(batch, claims, sections, question, step) for batch in batches)
    ):
        missing |= found
    return [
        claim if claim.fault else claim.verified(missing.get(n)) for n, claim in enumerate(claims)
    ]


def _batches(
    numbers: Sequence[int],
    claims: Sequence[Claim],
    sections: Sequence[Section],
    question: Question,
    step: Step,
) -> list[list[int]]:
    """Claims by number, in as few calls as their sections have room in."""
    model = step.context.tasks.model
    if model is None:
        return []
    empty = VerifyInput(question=question.text, language=question.language)
    most = room(VerifyClaims(), empty, step, model) - STATEMENTS_TOKENS
    batches: list[list[int]] = []
    shown: set[int] = set()
    for n in numbers:
        both = shown | set(claims[n].sections)
        has_room = sum(sections[each].tokens for each in both) <= most
        if batches and len(batches[-1]) < MOST_STATEMENTS and has_room:
            batches[-1].append(n)
            shown = both
        else:
            batches.append([n])
            shown = set(claims[n].sections)
    return batches


def _shown(
    batch: Sequence[int],
    claims: Sequence[Claim],
    sections: Sequence[Section],
    question: Question,
) -> VerifyInput:
    """Some claims, numbered from 1, below all the sections that they rest on."""
    cited = sorted({section for n in batch for section in claims[n].sections})
    place = {section: n for n, section in enumerate(cited, start=1)}
    return VerifyInput(
        question=question.text,
        language=question.language,
        context=question.context,
        passages=numbered(sections[each] for each in cited),
        statements=tuple(
            Statement(
                number=number,
                text=claims[n].text,
                passages=tuple(place[each] for each in claims[n].sections),
                made_of=claims[n].made_of,
            )
            for number, n in enumerate(batch, start=1)
        ),
    )


async def _missing(
    batch: Sequence[int],
    claims: Sequence[Claim],
    sections: Sequence[Section],
    question: Question,
    step: Step,
) -> dict[int, Missing]:
    """What of some claims is missing, by their number; nothing of any where the model failed."""
    missing = await step.run(VerifyClaims(), _shown(batch, claims, sections, question))
    return {} if missing is None else {n: missing[k] for k, n in enumerate(batch, start=1)}
