"""Read every section of a scope for one question, and put together what they say.

Contradictions are findings that cannot both hold for the same case.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

from agent.context import reading_model
from agent.grid.cells import HITS, ROOM, halves, prove_values, state_of
from agent.grid.models import GridOptions
from agent.prompts.grids import (
    CountsInput,
    FindContradictions,
    GroupInput,
    GroupStatements,
    LookInput,
    LookThrough,
    SayWhatCounts,
    StatementsInput,
)
from agent.reading.gather import Gatherer
from agent.reading.reader import DEPTHS
from agent.reading.sections import Section, SectionBuilder, all_sections, numbered, packed
from agent.reading.verify import Question, passage_room
from agent.step import Step
from services.domain import Language
from services.domain.grids import (
    SWEPT,
    CellReading,
    Column,
    Contradiction,
    Finding,
    GridRow,
    SweepGroup,
)
from services.domain.notices import Notice
from services.retrieval.retriever import EVERYWHERE

MOST_GROUPED: Final = 60
"""Statements that are put together in one call."""
BLOCK: Final = 30
"""Findings of a block; each block is compared with each other one, two in a call."""
MOST_COMPARED: Final = 240
"""Findings that are compared with each other: 28 calls for all pairs of eight blocks."""


async def what_counts(question: str, options: GridOptions, step: Step) -> str:
    """Return what a sweep lists and what not, from passages that a search finds."""
    context = step.context
    hits = await asyncio.to_thread(
        context.retriever.search, question, scope=context.scope, k=HITS, only=EVERYWHERE
    )
    gatherer = Gatherer(question, context, options.language)
    sections, _ = await asyncio.to_thread(gatherer.gather, hits, DEPTHS["fast"].room)
    inp = CountsInput(question=question, language=options.language, passages=numbered(sections))
    return await step.run(SayWhatCounts(), inp)


class SectionReader:
    """Looks through sections for all that they say to the question of a sweep."""

    def __init__(self, question: str, options: GridOptions, step: Step) -> None:
        self._step, self._model = step, reading_model(step.context)
        self._question = Question(question, options.language)
        self._column = Column(id=SWEPT, question=question)
        self._builder = SectionBuilder(step.context, options.language)
        self._inp = LookInput(question=question, language=options.language, counts=options.counts)

    @property
    def room(self) -> int:
        """The tokens of sections that are read at a time."""
        return min(ROOM, passage_room(LookThrough(), self._inp, self._step))

    async def read(self, rows: Sequence[GridRow]) -> dict[str, CellReading]:
        """Return what was read in each section, by row; one of which the model failed is missing.

        So is one of which it quotes only words that are not there. A section that says nothing
        beneath its heading counts as read.
        """
        room = self.room
        sections = await asyncio.to_thread(self._sections, rows, room)
        failed: set[str] = set()
        findings: dict[str, list[Finding]] = {row.id: [] for row in rows}
        for batch in packed(sections, lambda section: section.tokens, room):
            of_batch, unread = await self._read_batch(batch)
            failed |= unread
            for finding in of_batch:
                findings[finding.row].append(finding)
        return {id: self._reading(of_row) for id, of_row in findings.items() if id not in failed}

    def _sections(self, rows: Sequence[GridRow], room: int) -> list[Section]:
        context = self._step.context
        sections: list[Section] = []
        for row in rows:
            passages = context.passages.between(row.document_id, row.start, row.end)
            inside = [p for p in passages if row.start <= p.start < row.end]
            sections += all_sections(self._builder, inside, room)
        return sections

    async def _read_batch(self, sections: Sequence[Section]) -> tuple[list[Finding], set[str]]:
        """Return what some sections say, and the rows of those of which the model failed.

        Where it gives nothing usable, as for too much to write, it is asked about half of them.
        """
        inp = self._inp.model_copy(update={"passages": numbered(sections), "count": len(sections)})
        drafts = await self._step.run(LookThrough(), inp)
        if drafts is not None:
            values = [(self._column, draft) for draft in drafts]
            outcomes = await prove_values(values, sections, self._question, self._step)
            findings = [outcome for outcome in outcomes if isinstance(outcome, Finding)]
            misquoted = frozenset[int]().union(*(o for o in outcomes if isinstance(o, frozenset)))
            rows = {_row_of(sections[n]) for n in misquoted}
            return findings, rows.difference(finding.row for finding in findings)
        if len(sections) == 1 or self._step.context.tasks.gone:
            return [], set(map(_row_of, sections))
        (first, failed), (second, failed_too) = [
            await self._read_batch(half) for half in halves(sections)
        ]
        return [*first, *second], failed | failed_too

    def _reading(self, findings: Sequence[Finding]) -> CellReading:
        return CellReading(
            state=state_of(findings),
            findings=tuple(findings),
            sections_read=1,
            sections=1,
            model=self._model.name,
        )


def _row_of(section: Section) -> str:
    return f"{section.text_id}:{section.start}"


async def group_findings(
    findings: Sequence[Finding], question: str, options: GridOptions, step: Step
) -> list[SweepGroup]:
    """Put findings together that say the same, in their order.

    Equal values are put together by code. A model puts together the rest, in several rounds where
    they are many: the groups of one round are the statements of the next, as long as these get
    fewer.
    """
    groups = _group_by_value(findings)
    while len(groups) > 1:
        merged: list[SweepGroup] = []
        for first in range(0, len(groups), MOST_GROUPED):
            merged += await _merge(groups[first : first + MOST_GROUPED], question, options, step)
        is_done = len(groups) <= MOST_GROUPED or len(merged) == len(groups)
        groups = merged
        if is_done:
            break
    return groups


def _group_by_value(findings: Iterable[Finding]) -> list[SweepGroup]:
    by_claim: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        by_claim.setdefault((finding.normal, finding.claim), []).append(finding)
    return [_group(of_claim[0].value, of_claim) for of_claim in by_claim.values()]


async def _merge(
    groups: Sequence[SweepGroup], question: str, options: GridOptions, step: Step
) -> list[SweepGroup]:
    inp = GroupInput(
        question=question,
        language=options.language,
        statements=tuple(f"{group.value}: {group.text}" for group in groups),
    )
    drafts = await step.run(GroupStatements(), inp)
    merged = [
        _group(
            draft.value or groups[draft.numbers[0] - 1].value,
            [finding for n in draft.numbers for finding in groups[n - 1].findings],
        )
        for draft in drafts
    ]
    order: Mapping[int, int] = {id(f): n for n, g in enumerate(groups) for f in g.findings}
    return sorted(merged, key=lambda group: min(order[id(f)] for f in group.findings))


def _group(value: str, findings: Sequence[Finding]) -> SweepGroup:
    """Return findings as a group, worded as the first that is proven."""
    best = next((finding for finding in findings if not finding.doubt), findings[0])
    return SweepGroup(value=value, text=best.claim, findings=tuple(findings))


async def find_contradictions(
    findings: Sequence[Finding], language: Language, step: Step
) -> list[Contradiction]:
    """Return pairs of findings that cannot both hold for the same case.

    A rule and its exception, an older and a newer version, and statements about different cases
    are none: the model tells these apart, beside document, section and wording of each.
    """
    if len(findings) > MOST_COMPARED:
        step.warn(
            Notice.of(
                "Only the first {most} of {all} statements were compared with each other.",
                most=MOST_COMPARED,
                all=len(findings),
            )
        )
    compared = findings[:MOST_COMPARED]
    blocks = [compared[first : first + BLOCK] for first in range(0, len(compared), BLOCK)]
    pairs = combinations(blocks, 2) if len(blocks) > 1 else [(compared, ())]
    contradictions: dict[tuple[int, int], Contradiction] = {}
    for one, other in pairs:  # two findings of one block meet several times
        for contradiction in await _compare([*one, *other], language, step):
            key = id(contradiction.first), id(contradiction.second)
            contradictions.setdefault(key, contradiction)
    return list(contradictions.values())


async def _compare(
    findings: Sequence[Finding], language: Language, step: Step
) -> list[Contradiction]:
    if len(findings) < 2:
        return []
    inp = StatementsInput(language=language, statements=tuple(map(_statement, findings)))
    pairs = await step.run(FindContradictions(), inp)
    return [
        Contradiction(
            first=findings[min(pair.first, pair.second) - 1],
            second=findings[max(pair.first, pair.second) - 1],
            why=pair.why,
        )
        for pair in pairs
        if pair.relation == "contradiction"
    ]


def _statement(finding: Finding) -> str:
    origins = "; ".join(f"{c.document}, {c.section_title}" for c in finding.citations)
    quotes = " … ".join(" ".join(c.full_quote.split()) for c in finding.citations)
    return f"{finding.claim} ({origins})\n   {quotes}"
