"""Answer a question: search, gather, read, prove, verify, and again for what is missing."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import shorten
from typing import Final, Literal

from agent.context import Context
from agent.prompts.reading import (
    DraftClaim,
    NameSearches,
    ReadInput,
    ReadPassages,
    WordsInput,
    whole_claims,
)
from agent.reading.gather import Followed, Gatherer, fuse_rankings
from agent.reading.prove import Claim, prove_claim
from agent.reading.sections import Section, numbered
from agent.reading.verify import Question, passage_room, verify_claims
from agent.step import Step
from services.domain import Passage
from services.models.output import language_name
from services.retrieval.context import LONGEST_TITLE

MAX_TITLES: Final = 10


@dataclass(frozen=True)
class Depth:
    """How much a reading may do: ``rounds``, tokens of passages in each (``room``), and ``hops``,
    the references that are followed one after the other."""

    rounds: int
    room: int
    hops: int = 1


DEPTHS: Final[Mapping[str, Depth]] = {
    "fast": Depth(rounds=1, room=4_500),
    "auto": Depth(rounds=2, room=4_500),
    "enhanced": Depth(rounds=2, room=6_000),
    "structured": Depth(rounds=2, room=6_000),
    "agent": Depth(rounds=1, room=6_000),
    "research": Depth(rounds=3, room=12_000, hops=2),
}
"""What one reading may do. ``auto`` is a quick answer that may look again for what is missing. The
structured route reads once for each piece of the question, the agent once in its last step, a
research once for each task. Where a server counts tokens, rooms are of estimated ones, of which
English has 1.6 and German 1.15 times as many."""

Ranking = Sequence[Passage]
Search = Callable[[str], Awaitable[Ranking]]
OnClaims = Callable[[Sequence[Claim]], None]
"""Called with the claims so far; one that is still to be verified has the fault ``unread``."""
OnRead = Callable[[Sequence[Section]], None]
"""Called with the sections that the model is about to read."""


@dataclass
class Reading:
    """What was read, and what it says.

    ``sections`` are all that were shown, ``followed`` the references that led on from them;
    ``claims`` are in their order, proven or not; ``missing`` is what of the question they leave
    unanswered; ``searches`` are those that the model named.
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
        """Return the claims that are proven."""
        return [claim for claim in self.claims if not claim.fault]

    @property
    def is_proven(self) -> bool:
        """Return whether the first claim, which answers most directly, is proven."""
        return bool(self.claims) and not self.claims[0].fault

    def add_claims(self, claims: Sequence[Claim], sections: Sequence[Section]) -> None:
        """Add claims with the sections that they were made from, each section once."""
        indexes = []
        for section in sections:
            if section not in self.sections:
                self.sections.append(section)
            indexes.append(self.sections.index(section))
        self.claims += [claim.reindexed(indexes) for claim in claims]


class Reader:
    """Answers one question by what a model reads in sections of the documents."""

    def __init__(
        self,
        question: Question,
        search: Search,
        step: Step,
        on_claims: OnClaims = lambda _: None,
        on_read: OnRead = lambda _: None,
    ) -> None:
        self._question, self._search, self._step = question, search, step
        self._on_claims, self._on_read = on_claims, on_read

    async def read(
        self, depth: Depth, rankings: Sequence[Ranking] = (), searches: Sequence[str] = ()
    ) -> Reading:
        """Search, read, and search again for what is missing, as often as the depth allows.

        ``rankings`` are of earlier searches; the model names the first ``searches`` if there are
        none.
        """
        reading, question = Reading(), self._question.text
        results = [await self._search(question), *rankings]
        queries = list(searches)
        while True:
            reading.searches += queries
            queries = queries or await self._name_searches(reading, fuse_rankings(results))
            new = await asyncio.gather(*map(self._search, queries))
            results += new
            ranked = fuse_rankings(results)
            if reading.rounds:  # what is left of earlier searches did not lead there
                ranked = _each_once([*fuse_rankings(new), *ranked])
            proposed = await self._read(ranked, depth, reading)
            if proposed is None or not reading.missing or reading.rounds >= depth.rounds:
                return reading
            queries = [query for query in proposed if query not in (question, *reading.searches)]

    async def read_passages(self, ranked: Ranking, depth: Depth) -> Reading:
        """Read passages without searching for more."""
        reading = Reading()
        await self._read(ranked, depth, reading)
        return reading

    async def _name_searches(self, reading: Reading, ranked: Ranking) -> list[str]:
        """Return searches in the words of the documents, whose titles the model is shown."""
        context, question, missing = self._step.context, self._question, reading.missing
        titles = (shorten(p.title or p.document, LONGEST_TITLE, placeholder="…") for p in ranked)
        inp = WordsInput(
            question=question.text,
            language=question.language,
            context=question.context,
            missing=missing,
            tried=tuple(reading.searches) if missing else (),
            languages=await languages_of(context),
            titles=tuple(dict.fromkeys(titles))[:MAX_TITLES],
        )
        words = await self._step.run(NameSearches(), inp)
        reading.searches += words.named
        return words.searches(missing or question.text)

    async def _read(self, ranked: Ranking, depth: Depth, reading: Reading) -> list[str] | None:
        """Add what new sections say, and return the next searches; None if there was nothing."""
        question = self._question
        inp = ReadInput(
            question=question.text,
            language=question.language,
            context=question.context,
            known=tuple(claim.text for claim in reading.proof),
            missing=reading.missing,
            instructions=question.instructions,
        )
        sought = reading.missing or question.text
        gatherer = Gatherer(sought, self._step.context, question.language, depth.hops)
        sections, followed = await asyncio.to_thread(
            gatherer.gather,
            ranked,
            min(depth.room, passage_room(ReadPassages(), inp, self._step)),
            named=question.documents,
            chosen=self._step.context.scope.documents or (),
            already_read=reading.sections,
        )
        reading.rounds += 1
        reading.followed += followed
        if not sections:
            reading.failed = bool(ranked) and not reading.sections
            return None
        self._on_read(sections)
        inp = inp.model_copy(update={"passages": numbered(sections)})
        draft = await self._step.run(
            ReadPassages(), inp, on_text=self._report_drafts(sections, reading)
        )
        if draft is None:
            reading.failed = True
            return None
        claims = [self._prove(claim, sections) for claim in draft.claims]
        self._on_claims([*reading.claims, *map(_unverified, claims)])
        verified = await verify_claims(claims, sections, question, self._step)
        reading.add_claims(verified, sections)
        still_missing = draft.missing.strip() or reading.missing
        reading.missing = "" if draft.answered == "yes" else still_missing
        answers = {reading.answered, draft.answered} - {"no"}
        reading.answered = "no" if not answers else "partly" if reading.missing else "yes"
        self._on_claims(reading.claims)
        return [query.strip() for query in draft.searches if query.strip()]

    def _report_drafts(
        self, sections: Sequence[Section], reading: Reading
    ) -> Callable[[str], None]:
        """Return what reports each claim as soon as it is whole, while the reply is written."""
        claims: list[Claim] = []

        def report(text: str) -> None:
            drafts = whole_claims(text)
            if len(drafts) != len(claims):
                del claims[len(drafts) :]  # a reply that begins anew has fewer
                new = drafts[len(claims) :]
                claims.extend(_unverified(self._prove(draft, sections)) for draft in new)
                self._on_claims([*reading.claims, *claims])

        return report

    def _prove(self, draft: DraftClaim, sections: Sequence[Section]) -> Claim:
        question = self._question
        return prove_claim(draft, sections, question.by_person, question.language)


async def languages_of(context: Context) -> str:
    """Return the names of the languages that the documents are in."""
    languages = await asyncio.to_thread(context.catalog.corpus.languages, context.scope)
    return ", ".join(map(language_name, languages))


def _each_once(passages: Ranking) -> list[Passage]:
    return list({passage.chunk_id: passage for passage in passages}.values())


def _unverified(claim: Claim) -> Claim:
    return claim if claim.fault else claim.verified(None)
