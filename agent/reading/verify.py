"""Verify: a model reads each claim beside all its sections, and names the words that they lack."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from agent.prompts.reading import (
    Doubted,
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
    gatherer = Gatherer(step.context, model.count_tokens, language)
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
    cut = await _reworded([read[n] for n in doubted], sections, question, step)
    cut = await _read(cut, sections, question, step)
    better = {n: claim for n, claim in zip(doubted, cut, strict=True) if not claim.fault}
    return [better.get(n, claim) for n, claim in enumerate(read)]


async def _reworded(
    claims: Sequence[Claim], sections: Sequence[Section], question: Question, step: Step
) -> list[Claim]:
    """The claims without the words that are doubted, proven by code; those left as they were stay
    doubted."""
    cited = sorted({section for claim in claims for section in claim.sections})
    place = {section: n for n, section in enumerate(cited, start=1)}
    inp = RewordInput(
        question=question.text,
        language=question.language,
        context=question.context,
        passages=numbered(sections[each] for each in cited),
        statements=tuple(
            Doubted(
                number=number,
                text=claim.text,
                passages=tuple(place[each] for each in claim.sections),
                missing=claim.words,
            )
            for number, claim in enumerate(claims, start=1)
        ),
    )
    texts = await step.run(RewordClaims(), inp)
    made: list[Claim] = []
    for number, claim in enumerate(claims, start=1):
        text = texts.get(number, "")
        new = claim if text in ("", claim.text) else Claim(text=text, quotes=claim.quotes)
        made.append(
            claim if new is claim else checked(new, sections, question.said, question.language)
        )
    return made


async def _read(
    claims: Sequence[Claim], sections: Sequence[Section], question: Question, step: Step
) -> list[Claim]:
    """The claims as a model that reads all their sections leaves them; faulty ones as they are."""
    missing: dict[int, str] = {}
    batches = _batches(claims, sections, question, step)
    for found in await asyncio.gather(
        *(_missing(batch, claims, sections, question, step) for batch in batches)
    ):
        missing |= found
    return [
        claim if claim.fault else claim.verified(missing.get(n)) for n, claim in enumerate(claims)
    ]


def _batches(
    claims: Sequence[Claim], sections: Sequence[Section], question: Question, step: Step
) -> list[list[int]]:
    """The claims to be verified by number, in as few calls as their sections have room in."""
    model = step.context.tasks.model
    if model is None:
        return []
    empty = VerifyInput(question=question.text, language=question.language)
    most = room(VerifyClaims(), empty, step, model)
    batches: list[list[int]] = []
    shown: set[int] = set()
    for n, claim in enumerate(claims):
        if claim.fault:
            continue
        both = shown | set(claim.sections)
        used = sum(sections[each].tokens for each in both) + len(batches[-1:]) * _TOLD
        if batches and len(batches[-1]) < MOST_STATEMENTS and used <= most:
            batches[-1].append(n)
            shown = both
        else:
            batches.append([n])
            shown = set(claim.sections)
    return batches


_TOLD: Final = 40 * MOST_STATEMENTS
"""Tokens that the statements of a call take at most."""


async def _missing(
    batch: Sequence[int],
    claims: Sequence[Claim],
    sections: Sequence[Section],
    question: Question,
    step: Step,
) -> dict[int, str]:
    """The missing words of some claims by their number; none of any where the model failed."""
    cited = sorted({section for n in batch for section in claims[n].sections})
    place = {section: n for n, section in enumerate(cited, start=1)}
    statements = (
        Statement(
            number=number,
            text=claims[n].text,
            passages=tuple(place[each] for each in claims[n].sections),
        )
        for number, n in enumerate(batch, start=1)
    )
    inp = VerifyInput(
        question=question.text,
        language=question.language,
        context=question.context,
        passages=numbered(sections[each] for each in cited),
        statements=tuple(statements),
    )
    missing = await step.run(VerifyClaims(), inp)
    return {} if missing is None else {n: missing[k] for k, n in enumerate(batch, start=1)}
