"""The way to an answer: words, gather, read, prove, verify, and again for what is missing."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import shorten
from typing import Final, Literal

from agent.ask.step import asked
from agent.prompts.reading import (
    DraftClaim,
    NameSearches,
    ReadInput,
    ReadPassages,
    Statement,
    VerifyClaims,
    VerifyInput,
    WordsInput,
    whole_claims,
)
from agent.reading.gather import Gatherer, Section, fused, numbered
from agent.reading.prove import Claim, proven
from agent.step import Step
from services.domain import Language, Passage
from services.models.base import count_prompt, passage_tokens
from services.models.output import language_name
from services.retrieval.context import LONGEST_TITLE

MOST_TITLES: Final = 10
LEAST_ROOM: Final = 1_000
"""Tokens of passages that are read however slow the model is."""


@dataclass(frozen=True)
class Depth:
    """How often a reading looks, and the tokens of passages that it may read at a time."""

    rounds: int
    room: int


DEPTHS: Final[Mapping[str, Depth]] = {
    "fast": Depth(rounds=1, room=3_000),
    "enhanced": Depth(rounds=2, room=6_000),
    "structured": Depth(rounds=2, room=6_000),
    "agent": Depth(rounds=1, room=6_000),
}
"""Of the structured route, of each piece; of the agent, of its last step."""

Ranking = Sequence[Passage]
Search = Callable[[str], Awaitable[Ranking]]
Tell = Callable[[Sequence[Claim]], None]
"""Is told the claims so far; one that is still to be verified has the fault ``unread``."""


@dataclass(frozen=True)
class Question:
    """What is asked, in which language it is answered, and of which documents as a whole.

    ``instructions`` of a person take the place of the reader's.
    """

    text: str
    language: Language
    documents: tuple[str, ...] = ()
    instructions: str = ""


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

    def take(self, claims: Sequence[Claim], sections: Sequence[Section]) -> None:
        """Adds claims with the sections that they were made from, each section once."""
        places = []
        for section in sections:
            if section not in self.sections:
                self.sections.append(section)
            places.append(self.sections.index(section))
        self.claims += [claim.moved(places) for claim in claims]

    @property
    def is_proven(self) -> bool:
        """Whether the first claim, which answers most directly, is proven."""
        return bool(self.claims) and not self.claims[0].fault

    def add(self, other: "Reading") -> None:
        """Takes in another reading, which read other sections or some of these again."""
        self.take(other.claims, other.sections)
        self.searches += other.searches
        self.rounds += other.rounds
        answers = {each.answered for each in (self, other) if each.rounds}
        self.answered = answers.pop() if len(answers) == 1 else "partly"


class Reader:
    """Answers one question by what a model reads in sections of the documents.

    Args:
        question: what is asked.
        search: finds passages, best first.
        step: of the graph, in which the model is asked.
        tell: is told the claims as they are made.
    """

    def __init__(
        self, question: Question, search: Search, step: Step, tell: Tell = lambda _: None
    ) -> None:
        model = step.context.tasks.model
        if model is None:
            raise ValueError("without a model nobody reads")
        self._question, self._search, self._step, self._tell = question, search, step, tell
        self._model = model
        self._gatherer = Gatherer(step.context, model.count_tokens, question.language)

    async def read(self, depth: Depth, found: Sequence[Ranking] = ()) -> Reading:
        """Look, read, and look again for what is missing, as often as the depth allows.

        Args:
            depth: how often, and how much at a time.
            found: what other searches found before.
        """
        reading, question = Reading(), self._question.text
        rankings = [await self._search(question), *found]
        while True:
            words = await self._words(reading, fused(rankings))
            rankings += await asyncio.gather(*map(self._search, words))
            reading.searches += words
            read = await self._read(fused(rankings), depth.room, reading)
            if not read or not reading.missing or reading.rounds >= depth.rounds:
                return reading

    async def read_found(self, ranked: Ranking, depth: Depth) -> Reading:
        """Read what was found already, and look for nothing more."""
        reading = Reading()
        await self._read(ranked, depth.room, reading)
        return reading

    async def _words(self, reading: Reading, found: Ranking) -> list[str]:
        """Searches in the words of the documents, for the question or what of it is missing.

        The titles of what was found tell the model what kind of documents there are.
        """
        context, question, missing = self._step.context, self._question, reading.missing
        languages = await asyncio.to_thread(context.catalog.corpus.languages, context.scope)
        inp = WordsInput(
            question=question.text,
            language=question.language,
            missing=missing,
            tried=tuple(reading.searches) if missing else (),
            languages=", ".join(map(language_name, languages)),
            titles=tuple(dict.fromkeys(map(_titled, found)))[:MOST_TITLES],
        )
        words = await asked(self._step, NameSearches(), inp)
        return words.searches(missing or question.text)

    async def _read(self, ranked: Ranking, most: int, reading: Reading) -> bool:
        """Adds what sections not shown before say, proven and verified; False if there are none."""
        question = self._question
        inp = ReadInput(
            question=question.text,
            language=question.language,
            passages="",
            known=tuple(claim.text for claim in reading.proof),
            missing=reading.missing,
            instructions=question.instructions,
        )
        fresh = await asyncio.to_thread(
            self._gatherer.sections,
            ranked,
            self._room(inp, most),
            whole=question.documents,
            but=reading.sections,
        )
        reading.rounds += 1
        if not fresh:
            return False
        inp = inp.model_copy(update={"passages": numbered(fresh)})
        written = self._writing(fresh, reading)
        draft = await asked(self._step, ReadPassages(), inp, on_text=written)
        if draft is None:
            reading.failed = True
            return False
        claims = [self._proven(each, fresh) for each in draft.claims]
        self._tell([*reading.claims, *map(_to_be_read, claims)])
        reading.take(await self.verified(claims, fresh), fresh)
        reading.missing = draft.missing.strip()
        answers = {reading.answered, draft.answered} - {"no"}
        reading.answered = "no" if not answers else "partly" if reading.missing else "yes"
        self._tell(reading.claims)
        return True

    def _room(self, inp: ReadInput, most: int) -> int:
        """Tokens of passages by the depth, the window of the model and its measured speed."""
        task, services = ReadPassages(), self._step.context.services
        allowed = passage_tokens(
            self._model,
            fixed_tokens=count_prompt(self._model, task.render(inp)),
            max_tokens=task.max_tokens,
            deadline_s=services.settings.call_deadline_s,
        )
        return min(most, max(allowed, LEAST_ROOM))

    def _writing(self, fresh: Sequence[Section], reading: Reading) -> Callable[[str], None]:
        """Tells each claim as soon as it is whole, while the reply is written."""
        count = 0

        def written(text: str) -> None:
            nonlocal count
            drafts = whole_claims(text)
            if len(drafts) != count:
                count = len(drafts)
                claims = [_to_be_read(self._proven(each, fresh)) for each in drafts]
                self._tell([*reading.claims, *claims])

        return written

    def _proven(self, draft: DraftClaim, sections: Sequence[Section]) -> Claim:
        return proven(draft, sections, self._question.text, self._question.language)

    async def verified(self, claims: list[Claim], sections: Sequence[Section]) -> list[Claim]:
        """The claims as a reading beside all their sections leaves them."""
        numbers = {n: claim for n, claim in enumerate(claims, start=1) if not claim.fault}
        if not numbers:
            return claims
        cited = sorted({section for claim in numbers.values() for section in claim.sections})
        place = {section: n for n, section in enumerate(cited, start=1)}
        inp = VerifyInput(
            question=self._question.text,
            language=self._question.language,
            passages=numbered(sections[section] for section in cited),
            statements=tuple(
                Statement(
                    number=n, text=claim.text, passages=tuple(place[s] for s in claim.sections)
                )
                for n, claim in numbers.items()
            ),
        )
        missing = await asked(self._step, VerifyClaims(), inp)
        return [
            claim if claim.fault else claim.verified(None if missing is None else missing[n])
            for n, claim in enumerate(claims, start=1)
        ]


def _titled(passage: Passage) -> str:
    return shorten(passage.title or passage.document, LONGEST_TITLE, placeholder="…")


def _to_be_read(claim: Claim) -> Claim:
    """A claim that nobody has verified yet."""
    return claim if claim.fault else claim.verified(None)
