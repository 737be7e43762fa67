"""The way to an answer: words, gather, read, prove, verify, and again for what is missing."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import shorten
from typing import Final, Literal

from agent.prompts.reading import (
    DraftClaim,
    NameSearches,
    ReadInput,
    ReadPassages,
    WordsInput,
    whole_claims,
)
from agent.reading.gather import Followed, Gatherer, fused
from agent.reading.prove import Claim, proven
from agent.reading.sections import Section, numbered
from agent.reading.verify import Question, room, verified
from agent.step import Step
from services.domain import Passage
from services.models.output import language_name
from services.retrieval.context import LONGEST_TITLE

MOST_TITLES: Final = 10


@dataclass(frozen=True)
class Depth:
    """How often a reading looks, the tokens of passages that it may read at a time, and how many
    references it follows one after the other."""

    rounds: int
    room: int
    references: int = 1


DEPTHS: Final[Mapping[str, Depth]] = {
    "fast": Depth(rounds=1, room=3_000),
    "enhanced": Depth(rounds=2, room=6_000),
    "structured": Depth(rounds=2, room=6_000),
    "agent": Depth(rounds=1, room=6_000),
    "research": Depth(rounds=3, room=8_000, references=2),
}
"""Of the structured route, of each piece; of the agent, of its last step; of a research, of each
task."""

Ranking = Sequence[Passage]
Search = Callable[[str], Awaitable[Ranking]]
Tell = Callable[[Sequence[Claim]], None]
"""Is told the claims so far; one that is still to be verified has the fault ``unread``."""


@dataclass
class Reading:
    """What was read, and what it says.

    ``sections`` are all that were shown, over all rounds, ``followed`` the references that led on
    from them; ``claims`` are in their order, whether proven or not; ``missing`` is what of the
    question they leave unsaid; ``searches`` are those that the model named.
    """

    answered: Literal["yes", "partly", "no"] = "no"
    claims: list[Claim] = field(default_factory=list)
    missing: str = ""
    rounds: int = 0
    sections: list[Section] = field(default_factory=list)
    searches: list[str] = field(default_factory=list)
    followed: list[Followed] = field(default_factory=list)
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
        self.followed += other.followed
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

    async def read(
        self, depth: Depth, found: Sequence[Ranking] = (), searches: Sequence[str] = ()
    ) -> Reading:
        """Look, read, and look again for what is missing, as often as the depth allows.

        Args:
            depth: how often, and how much at a time.
            found: what other searches found before.
            searches: what is searched for first; the model names them where there are none.
        """
        reading, question = Reading(), self._question.text
        rankings = [await self._search(question), *found]
        words = list(searches)
        while True:
            reading.searches += words
            words = words or await self._words(reading, fused(rankings))
            rankings += await asyncio.gather(*map(self._search, words))
            proposed = await self._read(fused(rankings), depth, reading)
            if proposed is None or not reading.missing or reading.rounds >= depth.rounds:
                return reading
            words = [each for each in proposed if each not in (question, *reading.searches)]

    async def read_found(self, ranked: Ranking, depth: Depth) -> Reading:
        """Read what was found already, and look for nothing more."""
        reading = Reading()
        await self._read(ranked, depth, reading)
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
            context=question.context,
            missing=missing,
            tried=tuple(reading.searches) if missing else (),
            languages=", ".join(map(language_name, languages)),
            titles=tuple(dict.fromkeys(map(_titled, found)))[:MOST_TITLES],
        )
        words = await self._step.run(NameSearches(), inp)
        reading.searches += words.named
        return words.searches(missing or question.text)

    async def _read(self, ranked: Ranking, depth: Depth, reading: Reading) -> list[str] | None:
        """Adds what sections not shown before say, proven and verified; None if there are none.

        Returns:
            What the model would search for next.
        """
        question = self._question
        inp = ReadInput(
            question=question.text,
            language=question.language,
            context=question.context,
            known=tuple(claim.text for claim in reading.proof),
            missing=reading.missing,
            instructions=question.instructions,
        )
        gatherer = Gatherer(
            question.text,
            self._step.context,
            self._model.count_tokens,
            question.language,
            depth.references,
        )
        fresh, followed = await asyncio.to_thread(
            gatherer.gathered,
            ranked,
            min(depth.room, room(ReadPassages(), inp, self._step, self._model)),
            whole=question.documents,
            but=reading.sections,
        )
        reading.rounds += 1
        reading.followed += followed
        if not fresh:
            return None
        inp = inp.model_copy(update={"passages": numbered(fresh)})
        written = self._writing(fresh, reading)
        draft = await self._step.run(ReadPassages(), inp, on_text=written)
        if draft is None:
            reading.failed = True
            return None
        claims = [self._proven(each, fresh) for each in draft.claims]
        self._tell([*reading.claims, *map(_to_be_read, claims)])
        reading.take(await verified(claims, fresh, question, self._step), fresh)
        reading.missing = "" if draft.answered == "yes" else draft.missing.strip()
        answers = {reading.answered, draft.answered} - {"no"}
        reading.answered = "no" if not answers else "partly" if reading.missing else "yes"
        self._tell(reading.claims)
        return [each.strip() for each in draft.searches if each.strip()]

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
        return proven(draft, sections, self._question.said, self._question.language)


def _titled(passage: Passage) -> str:
    return shorten(passage.title or passage.document, LONGEST_TITLE, placeholder="…")


def _to_be_read(claim: Claim) -> Claim:
    """A claim that nobody has verified yet."""
    return claim if claim.fault else claim.verified(None)
