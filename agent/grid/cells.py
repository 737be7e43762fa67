"""Read the cells of a row: all of its text, until each question is answered.

Without a model that reads, the words that come closest are shown, which claim nothing.
"""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final, TypeVar

from agent.context import Context, reading_model
from agent.grid.models import GridOptions
from agent.grid.rows import FIRST_HITS, changes_of
from agent.prompts.grids import DraftValue, FillIn, RowInput
from agent.prompts.reading import DraftClaim
from agent.reading.gather import Gatherer, fuse_rankings
from agent.reading.prove import Claim, prove_claim
from agent.reading.reader import DEPTHS
from agent.reading.sections import Section, SectionBuilder, all_sections, numbered, packed
from agent.reading.sentences import cite, whole_units
from agent.reading.verify import Question, passage_room, verify_claims
from agent.sentences import RankedSentence, distinct, rank_passages
from agent.step import Step
from services.domain import Citation, EvidenceSentence, Passage, SearchFilter
from services.domain.grids import CellReading, CellState, Column, Finding, Form, GridRow, SweepGroup
from services.language.forms import normalise, unstated
from services.models.base import CHARS_PER_TOKEN

ROOM: Final = DEPTHS["research"].room
"""Tokens of sections that are read at a time, at most."""
MOST_QUESTIONS: Final = 8
"""Questions that are put to the same sections in one call."""
AMENDING: Final = ("amends", "repeals")
HITS: Final = 20
"""Passages that are searched for with each question."""
CALLS_PER_BATCH: Final = 2
"""One call reads a batch of sections, another verifies what it says."""
T = TypeVar("T")
Outcome = Finding | frozenset[int]
"""What became of a drafted value: a finding, or the indexes of sections in which its quotes were
not found; none of a value that answers another question."""
CLOSEST_HITS: Final = 10
MOST_LISTED: Final = 20
"""Places of a sweep."""


@dataclass
class ColumnReading:
    """What sections say to a question, and how many of them the model did not misquote."""

    findings: list[Finding] = field(default_factory=list)
    read: int = 0
    misquoted: bool = False

    def add(self, other: "ColumnReading") -> None:
        self.findings += other.findings
        self.read += other.read
        self.misquoted |= other.misquoted


class RowReader:
    """Reads the cells of rows; the questions of a row are put to the same sections together."""

    def __init__(self, options: GridOptions, step: Step) -> None:
        self._language, self._step = options.language, step
        self._model = reading_model(step.context)
        self._builder = SectionBuilder(step.context, options.language)

    async def read(self, row: GridRow, columns: Sequence[Column]) -> dict[int, CellReading]:
        """Return what was read for each column; a column of which the model failed is missing."""
        readings: dict[int, CellReading] = {}
        for first in range(0, len(columns), MOST_QUESTIONS):
            readings |= await self._read_group(row, columns[first : first + MOST_QUESTIONS])
        return readings

    async def _read_group(self, row: GridRow, columns: Sequence[Column]) -> dict[int, CellReading]:
        """Put questions to one batch of sections after the other, until each is answered.

        A list is complete only when everything was read.
        """
        room = self.room(row, columns)
        batches, total = await asyncio.to_thread(self._batches, row, columns, room)
        readings = {column.id: ColumnReading() for column in columns}
        failed: set[int] = set()
        left = list(columns)
        for batch in batches:
            answers = await self._read_batch(row, left, batch)
            for column in left:
                if column.id in answers:
                    readings[column.id].add(answers[column.id])
                else:
                    failed.add(column.id)
            left = [c for c in left if c.form == "list" or not _proven(readings[c.id].findings)]
            if not left:
                break
        return {
            column.id: self._reading(column, readings[column.id], total)
            for column in columns
            if column.id not in failed
            or (column.form != "list" and _proven(readings[column.id].findings))
        }

    def room(self, row: GridRow, columns: Sequence[Column]) -> int:
        """Return the tokens of sections that are read at a time for these questions."""
        return min(ROOM, passage_room(FillIn(), self._input(row, columns), self._step))

    def _input(self, row: GridRow, columns: Sequence[Column]) -> RowInput:
        questions: tuple[tuple[str, Form], ...] = tuple((c.question, c.form) for c in columns)
        return RowInput(language=self._language, subject=row.name, columns=questions)

    def _reading(self, column: Column, of_column: ColumnReading, total: int) -> CellReading:
        """Return what was read for a cell; what is doubted gives way to what is proven."""
        findings = of_column.findings
        if column.form != "list":
            findings = _proven(findings) or findings
        return CellReading(
            state=state_of(findings, misquoted=of_column.misquoted),
            findings=tuple(findings),
            sections_read=of_column.read,
            sections=total,
            model=self._model.name,
        )

    def _batches(
        self, row: GridRow, columns: Sequence[Column], room: int
    ) -> tuple[list[list[Section]], int]:
        """Return what a row is read from, in batches that fit, and how many sections it has."""
        context = self._step.context
        if not row.text_id:
            return self._around_subject(row, columns, room)
        passages = context.passages.between(row.document_id, row.start, row.end)
        passages = [passage for passage in passages if passage.start >= row.start]
        sections = list(all_sections(self._builder, passages, room))
        changes = self._amendments(row, columns, room // 2)
        if sum(section.tokens for section in (*changes, *sections)) > room:
            sections = self._best_first((row.document_id,), columns, sections)
        sections = [*changes, *sections]
        return list(packed(sections, lambda section: section.tokens, room)), len(sections)

    def _amendments(self, row: GridRow, columns: Sequence[Column], room: int) -> list[Section]:
        """Return what changes a row's document: the best sections that there is room for.

        What replaces all of it has a row of its own.
        """
        context = self._step.context
        changes = changes_of(row.document_id, context) if row.start == 0 else ()
        ids = tuple(dict.fromkeys(c.document_id for c in changes if c.label or c.kind in AMENDING))
        passages = (context.passages.between(document_id) for document_id in ids)
        sections = [
            s for of_document in passages for s in all_sections(self._builder, of_document, room)
        ]
        if sum(section.tokens for section in sections) > room:
            sections = self._best_first(ids, columns, sections)
        return next(packed(sections, lambda section: section.tokens, room), [])

    def _best_first(
        self, document_ids: tuple[str, ...], columns: Sequence[Column], sections: Sequence[Section]
    ) -> list[Section]:
        """Return sections of documents: first those that searches for the questions find."""
        only = SearchFilter(documents=document_ids)
        hits = self._search((column.question for column in columns), only)

        def rank(section: Section) -> int:
            numbers = (n for n, hit in enumerate(hits) if section.shows_passage(hit))
            return next(numbers, len(hits))

        return sorted(sections, key=rank)

    def _around_subject(
        self, row: GridRow, columns: Sequence[Column], room: int
    ) -> tuple[list[list[Section]], int]:
        """Return the sections that searches find for what a sweep listed: one batch."""
        context = self._step.context
        hits = self._search((f"{row.name}: {c.question}" for c in columns), SearchFilter())
        item = context.passages.between(row.document_id, row.start, row.end)
        gatherer = Gatherer(row.name, context, self._language)
        sections, _ = gatherer.gather([*item, *hits], room)
        documents = context.catalog.corpus.documents(context.scope, SearchFilter())
        return [sections] if sections else [], sum(max(d.sections, 1) for d in documents)

    def _search(self, queries: Iterable[str], only: SearchFilter) -> list[Passage]:
        search, scope = self._step.context.retriever.search, self._step.context.scope
        return fuse_rankings([search(q, scope=scope, k=HITS, only=only) for q in queries])

    async def _read_batch(
        self, row: GridRow, columns: Sequence[Column], sections: Sequence[Section]
    ) -> dict[int, ColumnReading]:
        """Return what sections say to each question, by column.

        Where the model gives nothing usable, as for too much to write, half of the questions are
        put to it, then half of the sections. A column of which it failed all the same is missing.
        """
        inp = self._input(row, columns).model_copy(update={"passages": numbered(sections)})
        drafts = await self._step.run(FillIn(), inp)
        if drafts is not None:
            return await self._prove(row, columns, drafts, sections)
        if self._step.context.tasks.gone or len(columns) == len(sections) == 1:
            return {}
        if len(columns) > 1:
            first, second = halves(columns)
            answers = await self._read_batch(row, first, sections)
            return answers | await self._read_batch(row, second, sections)
        first_half, second_half = [
            await self._read_batch(row, columns, half) for half in halves(sections)
        ]
        for column_id in first_half.keys() & second_half.keys():
            first_half[column_id].add(second_half[column_id])
        return {id: reading for id, reading in first_half.items() if id in second_half}

    async def _prove(
        self,
        row: GridRow,
        columns: Sequence[Column],
        drafts: Sequence[Sequence[DraftValue]],
        sections: Sequence[Section],
    ) -> dict[int, ColumnReading]:
        values = [
            (column, draft)
            for column, of_column in zip(columns, drafts, strict=True)
            for draft in of_column
        ]
        questions = "\n".join((row.name, *dict.fromkeys(column.question for column, _ in values)))
        question = Question(questions, self._language)
        findings: dict[int, list[Finding]] = {column.id: [] for column in columns}
        misquoted: dict[int, set[int]] = {column.id: set() for column in columns}
        outcomes = await prove_values(values, sections, question, self._step)
        for (column, _), outcome in zip(values, outcomes, strict=True):
            if isinstance(outcome, Finding):
                findings[column.id].append(outcome)
            else:
                misquoted[column.id] |= outcome
        return {
            id: ColumnReading(of_column, len(sections) - len(misquoted[id]), bool(misquoted[id]))
            for id, of_column in findings.items()
        }


def calls_for(rows: Sequence[GridRow], columns: int, room: int) -> int:
    """Return the calls that rows take which are read together; repairs come on top."""
    batches = max(1, ceil(sum(tokens_of(row, room) for row in rows) / room))
    return CALLS_PER_BATCH * ceil(columns / MOST_QUESTIONS) * batches


def tokens_of(row: GridRow, room: int) -> int:
    """Return the tokens of a row's text; what a sweep listed is read about in one batch."""
    return ceil((row.end - row.start) / CHARS_PER_TOKEN) if row.text_id else room


def halves(items: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
    middle = len(items) // 2
    return items[:middle], items[middle:]


def _proven(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if not finding.doubt]


def state_of(findings: Sequence[Finding], *, misquoted: bool = False) -> CellState:
    """Return the state of what was read; where a model misquoted, the text may say it."""
    if not findings:
        return "to_check" if misquoted else "absent"
    return "verified" if len(_proven(findings)) == len(findings) else "to_check"


async def prove_values(
    values: Sequence[tuple[Column, DraftValue]],
    sections: Sequence[Section],
    question: Question,
    step: Step,
) -> list[Outcome]:
    """Return the findings of drafted values; what is not proven, or not stated, is their doubt."""
    claims = []
    for column, draft in values:
        claim = prove_claim(
            DraftClaim(text=draft.claim, sources=draft.sources),
            sections,
            question.by_person,
            question.language,
        )
        answers = "" if column.question == question.text else f"{column.question} → {draft.value}"
        claims.append(claim.model_copy(update={"answers": answers}))
    claims = await verify_claims(claims, sections, question, step)
    return [
        _finding(draft, column.form, claim, sections, question, step)
        for (column, draft), claim in zip(values, claims, strict=True)
    ]


def _finding(
    draft: DraftValue,
    form: Form,
    claim: Claim,
    sections: Sequence[Section],
    question: Question,
    step: Step,
) -> Outcome:
    if not claim.quotes or claim.fault == "quote":
        named = {source.passage - 1 for source in draft.sources}
        return frozenset(named.intersection(range(len(sections))) or range(len(sections)))
    if _answers_otherwise(draft, claim):
        return frozenset()
    first = sections[claim.quotes[0].section]
    written_in = first.language if form == "number" else question.language
    normal, amount = normalise(draft.value, form, written_in)
    sources = [(claim.text, question.language)]
    sources += [(quote.text, sections[quote.section].language) for quote in claim.quotes]
    doubt = claim.words or ("?" if claim.fault else "")
    return Finding(
        value=draft.value,
        normal=normal,
        amount=amount,
        claim=claim.text,
        doubt=doubt or unstated(draft.value, form, written_in, *sources),
        citations=_citations(claim, sections, step.context),
        row=f"{first.text_id}:{first.start}",
    )


def _answers_otherwise(draft: DraftValue, claim: Claim) -> bool:
    """Return whether nothing is left of a claim whose value is doubted as a whole."""
    value = rf"(?<!\w){re.escape(draft.value)}(?!\w)"
    is_doubted = re.search(value, claim.words, re.IGNORECASE) is not None
    return claim.fault == "missing" and not claim.better and is_doubted


def _citations(claim: Claim, sections: Sequence[Section], context: Context) -> tuple[Citation, ...]:
    """Return the sentences, items and rows that the quotes of a claim lie in.

    So the same proof is shown however much of a sentence a model quotes, and it can be read alone.
    """
    quotes = [unit for quote in claim.quotes for unit in whole_units(quote, sections, context)]
    return tuple(cite(quote, sections, context) for quote in dict.fromkeys(quotes))


def closest_readings(
    row: GridRow, columns: Sequence[Column], options: GridOptions, context: Context
) -> dict[int, CellReading]:
    """Return the closest quote of a row to the question of each column."""
    only = SearchFilter(documents=(row.document_id,)) if row.text_id else SearchFilter()
    readings: dict[int, CellReading] = {}
    for column in columns:
        subject = "" if row.text_id else f"{row.name}: "
        ranked = _ranked(f"{subject}{column.question}", only, CLOSEST_HITS, options, context)
        inside = [s for _, s in ranked if not row.text_id or row.start <= s.start < row.end]
        findings = tuple(map(_quoted, inside[:1]))
        state: CellState = "closest" if findings else "absent"
        readings[column.id] = CellReading(state=state, findings=findings)
    return readings


def closest_groups(question: str, options: GridOptions, context: Context) -> list[SweepGroup]:
    """Return the places of a scope that come closest to a question, best first."""
    ranked = _ranked(question, SearchFilter(), FIRST_HITS, options, context)
    quotes = [_quoted(sentence) for _, sentence in distinct(ranked)[:MOST_LISTED]]
    return [SweepGroup(value=q.value, text=q.value, findings=(q,)) for q in quotes]


def _ranked(
    question: str, only: SearchFilter, k: int, options: GridOptions, context: Context
) -> list[RankedSentence]:
    hits = context.retriever.search(question, scope=context.scope, k=k, only=only)
    passages = ((hit.relevance, hit) for hit in hits)
    return rank_passages(question, passages, options.language, context)


def _quoted(sentence: EvidenceSentence) -> Finding:
    quote = " ".join(sentence.quote.split())
    citation = sentence.bare()
    return Finding(value=quote, normal=quote.casefold(), claim="", citations=(citation,))
