"""Verify: a model reads each claim beside all its sections, and names the words that they lack."""

import asyncio
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from agent.context import reading_model
from agent.prompts import prompt_texts
from agent.prompts.reading import Statement, Verdict, VerifyClaims, VerifyInput
from agent.reading.gather import Gatherer
from agent.reading.prove import Claim, check_claim
from agent.reading.sections import Section, SectionBuilder, numbered
from agent.reading.values import Quote
from agent.step import Step
from services.domain import Language, Passage
from services.models.base import count_prompt, passage_tokens
from services.models.tasks import ModelTask

In = TypeVar("In")

MIN_ROOM: Final = 1_000
"""Tokens of passages that are read however slow the model is."""
MAX_STATEMENTS: Final = 25
"""Statements in one call."""
DOUBTED: Final = ("number", "label", "missing")
"""Faults of wording, in a claim whose quotes were found."""
VERIFIABLE: Final = ("", "number", "label")
"""Faults with which a claim is read: its sections may say in other words what code doubts."""


@dataclass(frozen=True)
class Question:
    """What is asked, in which language it is answered, and which documents it names.

    A person's ``instructions`` replace those of the prompt. ``context`` is the question or research
    of which this one is a part; ``original`` is what a person asked, where the text is a model's.
    """

    text: str
    language: Language
    documents: tuple[str, ...] = ()
    instructions: str = ""
    context: str = ""
    original: str = ""

    @property
    def by_person(self) -> str:
        """Return what a person asked: the numbers and labels that it names need no proof."""
        return self.original or self.text


def passage_room(task: ModelTask[In, Any], inp: In, step: Step) -> int:
    """Return the tokens of passages that window and speed of the model leave for a task."""
    model = reading_model(step.context)
    allowed = passage_tokens(
        model,
        fixed_tokens=count_prompt(model, task.render(inp)),
        max_tokens=task.max_tokens,
        deadline_s=step.context.services.settings.call_deadline_s,
    )
    return max(allowed, MIN_ROOM)


async def verify_sentence(
    sentence: str, passages: Sequence[Passage], max_tokens: int, question: Question, step: Step
) -> Claim:
    """Prove and verify any sentence by passages, without counting on words of the question."""
    language = question.language
    empty = VerifyInput(question=question.text, language=language)
    gatherer = Gatherer(sentence, step.context, language)
    sections, _ = await asyncio.to_thread(
        gatherer.gather, passages, min(max_tokens, passage_room(VerifyClaims(), empty, step))
    )
    quotes = tuple(
        Quote(section=n, document_id=s.document_id, start=s.start, end=s.end, text=s.text)
        for n, s in enumerate(sections)
    )
    claim = check_claim(Claim(text=sentence, quotes=quotes), sections, "", language)
    return claim if claim.fault else (await _verify([claim], sections, question, step))[0]


async def verify_claims(
    claims: Sequence[Claim], sections: Sequence[Section], question: Question, step: Step
) -> list[Claim]:
    """Verify claims by reading them beside all their sections; one with doubted words is worded as
    these say it, once, and verified again beside the others."""
    verified = await _verify(claims, sections, question, step)
    reworded = {
        n: check_claim(
            claim.model_copy(update={"text": claim.better, "fault": "", "words": "", "better": ""}),
            sections,
            question.by_person,
            question.language,
        )
        for n, claim in enumerate(verified)
        if claim.fault in DOUBTED and claim.better not in ("", claim.text)
    }
    reworded = {n: claim for n, claim in reworded.items() if not claim.fault}
    candidates = [reworded.get(n, claim) for n, claim in enumerate(verified)]
    again = await _verify(candidates, sections, question, step, with_any=reworded.keys())
    return [
        again[n] if n in reworded and not again[n].fault else claim
        for n, claim in enumerate(verified)
    ]


async def _verify(
    claims: Sequence[Claim],
    sections: Sequence[Section],
    question: Question,
    step: Step,
    with_any: Set[int] | None = None,
) -> list[Claim]:
    """Return the claims with verdicts; only calls with any claim of ``with_any`` are made."""
    model = step.context.tasks.model
    selected = frozenset(range(len(claims))) if with_any is None else with_any
    pending = [n for n, claim in enumerate(claims) if claim.quotes and claim.fault in VERIFIABLE]
    if not selected:
        return list(claims)
    if model is None or not pending:
        return [claim if claim.fault else claim.verified(None) for claim in claims]
    verification = _Verification(claims, sections, question, step)
    batches = [batch for batch in verification.batches(pending) if not selected.isdisjoint(batch)]
    verdicts: dict[int, Verdict] = {}
    for batch in await asyncio.gather(*map(verification.verdicts, batches)):
        verdicts |= batch
    return [
        claim.verified(verdicts.get(n)) if n in pending else claim for n, claim in enumerate(claims)
    ]


class _Verification:
    """Claims beside their sections, in as few calls as have room for them."""

    def __init__(
        self, claims: Sequence[Claim], sections: Sequence[Section], question: Question, step: Step
    ) -> None:
        self._claims, self._sections, self._question = claims, sections, question
        self._step, self._count = step, reading_model(step.context).count_tokens
        self._texts = prompt_texts(VerifyClaims.name, question.language)
        self._room = passage_room(VerifyClaims(), self._input((), {}), step)

    def batches(self, numbers: Sequence[int]) -> list[list[int]]:
        """Group claims by number, those that rest on the same documents.

        So no document has a say in what others are read to prove. A claim too large for the room
        stands alone.
        """
        of_documents: dict[frozenset[str], list[int]] = {}
        for n in numbers:
            documents = frozenset(self._sections[k].document_id for k in self._claims[n].sections)
            of_documents.setdefault(documents, []).append(n)
        return [batch for group in of_documents.values() for batch in self._packed(group)]

    def _packed(self, numbers: Sequence[int]) -> list[list[int]]:
        batches: list[list[int]] = []
        cited: set[int] = set()
        statements = 0
        for n in numbers:
            tokens = self._tokens(n)
            sections = cited | set(self._claims[n].sections)
            total = statements + tokens + sum(self._sections[k].tokens for k in sections)
            if batches and len(batches[-1]) < MAX_STATEMENTS and total <= self._room:
                batches[-1].append(n)
                cited, statements = sections, statements + tokens
            else:
                batches.append([n])
                cited, statements = set(self._claims[n].sections), tokens
        return batches

    async def verdicts(self, batch: Sequence[int]) -> dict[int, Verdict]:
        """Return the verdicts on some claims, by their number; none where the model failed."""
        sections = await asyncio.to_thread(self._fitting, batch)
        verdicts = await self._step.run(VerifyClaims(), self._input(batch, sections))
        return {} if verdicts is None else {n: verdicts[k] for k, n in enumerate(batch, start=1)}

    def _fitting(self, batch: Sequence[int]) -> dict[int, Section]:
        """Return the sections of some claims by index, cut around quotes where they do not fit."""
        cited = sorted({k for n in batch for k in self._claims[n].sections})
        sections = {k: self._sections[k] for k in cited}
        statements = sum(map(self._tokens, batch))
        if statements + sum(section.tokens for section in sections.values()) <= self._room:
            return sections
        builder = SectionBuilder(self._step.context, self._question.language)
        quotes = [quote for n in batch for quote in self._claims[n].quotes]
        return {
            k: builder.around(section.excerpt, [(q.start, q.end) for q in quotes if q.section == k])
            for k, section in sections.items()
        }

    def _tokens(self, n: int) -> int:
        return self._count(self._statement(1, n, {}).as_lines(self._texts))

    def _input(self, batch: Sequence[int], sections: Mapping[int, Section]) -> VerifyInput:
        numbers = {index: n for n, index in enumerate(sections, start=1)}
        return VerifyInput(
            question=self._question.text,
            language=self._question.language,
            context=self._question.context,
            passages=numbered(sections.values()),
            statements=tuple(self._statement(k, n, numbers) for k, n in enumerate(batch, start=1)),
        )

    def _statement(self, number: int, n: int, sections: Mapping[int, int]) -> Statement:
        claim = self._claims[n]
        return Statement(
            number=number,
            text=claim.text,
            passages=tuple(sections.get(k, 0) for k in claim.sections),
            made_of=claim.made_of,
            answers=claim.answers,
            doubted=claim.words,
        )
