"""The way to an answer: words, gather, read, prove, verify, and again for what is missing."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from agent.ask.step import asked
from agent.prompts.reading import (
    NameSearches,
    ReadInput,
    ReadPassages,
    Statement,
    VerifyClaims,
    VerifyInput,
    WordsInput,
)
from agent.reading.gather import Gatherer, Section, fused, numbered
from agent.reading.prove import Claim, proven
from agent.step import Step
from services.domain import Language, Passage
from services.models.base import estimate_tokens
from services.models.output import language_name


@dataclass(frozen=True)
class Depth:
    """How often a reading looks, and the tokens of passages that it may read at a time."""

    rounds: int
    room: int


DEPTHS: Final[Mapping[str, Depth]] = {
    "fast": Depth(rounds=1, room=3_000),
    "enhanced": Depth(rounds=2, room=6_000),
}

Search = Callable[[str], Awaitable[Sequence[Passage]]]


@dataclass
class Reading:
    """What was read, and what it says.

    ``sections`` are all that were shown, over all rounds; ``claims`` are in their order, whether
    proven or not; ``missing`` is what of the question they leave unsaid.
    """

    answered: Literal["yes", "partly", "no"] = "no"
    claims: list[Claim] = field(default_factory=list)
    missing: str = ""
    rounds: int = 0
    sections: list[Section] = field(default_factory=list)
    searches: list[str] = field(default_factory=list)
    failed: bool = False

    @property
    def proof(self) -> list[Claim]:
        """The claims that are proven."""
        return [claim for claim in self.claims if not claim.fault]


async def read(
    question: str, language: Language, depth: Depth, search: Search, step: Step
) -> Reading:
    """Answer a question from the sections that searches lead to."""
    gatherer = Gatherer(step.context, _counter(step), language)
    reading, rankings = Reading(searches=[question]), list[Sequence[Passage]]()
    plain = asyncio.ensure_future(search(question))
    while reading.rounds < depth.rounds:
        words = await _words(question, language, reading.missing, step)
        found = await asyncio.gather(*map(search, words))
        rankings += found
        reading.searches += words
        fresh = await asyncio.to_thread(
            gatherer.sections, fused([await plain, *rankings]), depth.room, but=reading.sections
        )
        reading.rounds += 1
        if not fresh:
            break
        await _read(question, language, fresh, reading, step)
        if reading.failed or not reading.missing:
            break
    return reading


async def _words(question: str, language: Language, missing: str, step: Step) -> list[str]:
    """Searches in the words of the documents, for the question or what of it is missing."""
    context = step.context
    languages = await asyncio.to_thread(context.catalog.corpus.languages, context.scope)
    inp = WordsInput(
        question=question,
        language=language,
        missing=missing,
        languages=", ".join(map(language_name, languages)),
    )
    words = await asked(step, NameSearches(), inp)
    return [each for each in words.searches if each != question]


async def _read(
    question: str, language: Language, fresh: list[Section], reading: Reading, step: Step
) -> None:
    """Adds what the sections say, proven and verified."""
    inp = ReadInput(
        question=question,
        language=language,
        passages=numbered(fresh),
        known=tuple(claim.text for claim in reading.proof),
        missing=reading.missing,
    )
    draft = await asked(step, ReadPassages(), inp)
    if draft is None:
        reading.failed = True
        return
    claims = [proven(each, fresh, question, language) for each in draft.claims]
    claims = await _verified(claims, fresh, question, language, step)
    offset = len(reading.sections)
    reading.claims += [claim.moved(offset) for claim in claims]
    reading.sections += fresh
    reading.missing = draft.missing.strip()
    answers = {reading.answered, draft.answered} - {"no"}
    reading.answered = "no" if not answers else "partly" if reading.missing else "yes"


async def _verified(
    claims: list[Claim], sections: Sequence[Section], question: str, language: Language, step: Step
) -> list[Claim]:
    """The claims as a reading beside all their sections leaves them."""
    numbers = {n: claim for n, claim in enumerate(claims, start=1) if not claim.fault}
    if not numbers:
        return claims
    cited = sorted({section for claim in numbers.values() for section in claim.sections})
    place = {section: n for n, section in enumerate(cited, start=1)}
    inp = VerifyInput(
        question=question,
        language=language,
        passages=numbered(sections[section] for section in cited),
        statements=tuple(
            Statement(number=n, text=claim.text, passages=tuple(place[s] for s in claim.sections))
            for n, claim in numbers.items()
        ),
    )
    missing = await asked(step, VerifyClaims(), inp)
    return [
        claim if claim.fault else claim.verified(None if missing is None else missing[n])
        for n, claim in enumerate(claims, start=1)
    ]


def _counter(step: Step) -> Callable[[str], int]:
    model = step.context.tasks.model
    return estimate_tokens if model is None else model.count_tokens
