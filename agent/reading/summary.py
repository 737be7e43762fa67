"""Summarise a document: note claims of all its sections, write over them, prove and verify."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from agent.context import reading_model
from agent.prompts import say
from agent.prompts.reading import NoteClaims, NoteInput, SummaryDraft, SummaryInput, WriteSummary
from agent.reading.prove import Claim, prove_claim
from agent.reading.reader import DEPTHS
from agent.reading.sections import Section, SectionBuilder, all_sections, numbered, packed
from agent.reading.sentences import check_written, cite, proven_sentence
from agent.reading.values import SectionExcerpt
from agent.reading.verify import VERIFIABLE, Question, passage_room, verify_claims
from agent.step import Step
from services.domain import Passage, Value
from services.domain.answers import DocumentSummary

PROMPTS: Final = "1"
"""Version of the prompts and of what is done with their replies."""
ROOM: Final = DEPTHS["research"].room
"""Tokens of sections that are read at a time, at most."""
MAX_QUESTIONS: Final = 3


class Notes(Value):
    """What was noted of a document up to the character ``end`` of its text.

    The quotes of the claims count ``excerpts``; ``unread`` are the starts of sections of which the
    model gave nothing usable.
    """

    end: int = 0
    unread: tuple[int, ...] = ()
    excerpts: tuple[SectionExcerpt, ...] = ()
    claims: tuple[Claim, ...] = ()


class Summarizer:
    """Summarises one document, given all of its passages in the order of its text; ``keep`` takes
    the notes so far, in a thread, and may raise to stop."""

    def __init__(
        self, passages: Sequence[Passage], step: Step, keep: Callable[[Notes], None]
    ) -> None:
        self._passages, self._step, self._keep = passages, step, keep
        self._model = reading_model(step.context)
        self._documents = step.context.catalog.documents
        self._language = language = self._documents.language_of(passages[0].text_id)
        self._title = passages[0].title or passages[0].document
        text = say(language, "summary_question", self._title)
        self._question = Question(text=text, language=language)
        self._builder = SectionBuilder(step.context, language)

    async def summarise(self, notes: Notes) -> DocumentSummary:
        """Read what the notes do not cover yet, and write."""
        inp = NoteInput(title=self._title, language=self._language)
        room = min(ROOM, passage_room(NoteClaims(), inp, self._step))
        for batch in await asyncio.to_thread(self._batches, room):
            if batch[-1].pieces[-1][1] > notes.end:
                await asyncio.to_thread(self._keep, notes)
                notes = await self._read(batch, notes, inp)
        await asyncio.to_thread(self._keep, notes)
        return await self._write(notes)

    def _batches(self, room: int) -> list[list[Section]]:
        sections = all_sections(self._builder, self._passages, room)
        return list(packed(sections, lambda section: section.tokens, room))

    async def _read(self, batch: Sequence[Section], notes: Notes, inp: NoteInput) -> Notes:
        """Return the notes with the claims of a batch whose quotes stand there."""
        end, question = batch[-1].pieces[-1][1], self._question
        inp = inp.model_copy(update={"passages": numbered(batch)})
        if (drafts := await self._step.run(NoteClaims(), inp)) is None:
            unread = {*notes.unread, *(section.start for section in batch)}
            return notes.model_copy(update={"end": end, "unread": tuple(sorted(unread))})
        first = len(notes.excerpts)
        proven = (prove_claim(draft, batch, question.text, self._language) for draft in drafts)
        indexes = range(first, first + len(batch))
        claims = [claim.reindexed(indexes) for claim in proven if claim.fault in VERIFIABLE]
        return Notes(
            end=end,
            unread=notes.unread,
            excerpts=(*notes.excerpts, *(section.excerpt for section in batch)),
            claims=(*notes.claims, *claims),
        )

    async def _write(self, notes: Notes) -> DocumentSummary:
        """Return the sentences that are proven, and questions that proven claims answer."""
        sections = await asyncio.to_thread(lambda: [*map(self._builder.with_text, notes.excerpts)])
        claims, draft = await self._draft(notes.claims, sections)
        written = check_written(draft.sentences, claims, sections, self._question)
        questions = check_written(draft.questions, claims, sections, self._question)
        answers = {n: claims[n - 1] for question in draft.questions for n in question.claims}
        statements = [*written, *answers.values()]
        verified = await verify_claims(statements, sections, self._question, self._step)
        sentences, proofs = verified[: len(written)], verified[len(written) :]
        proven = {n for n, proof in zip(answers, proofs, strict=True) if not proof.fault}
        answered = (
            claim.text
            for claim, question in zip(questions, draft.questions, strict=True)
            if not claim.fault and proven.issuperset(question.claims)
        )
        context = self._step.context
        parsed = await asyncio.to_thread(self._documents.parsed, self._passages[0].document_id)
        starts = {section.start for section in parsed.sections} or {0}
        return DocumentSummary(
            sentences=tuple(
                proven_sentence(claim.text, [cite(q, sections, context) for q in claim.quotes])
                for claim in sentences
                if not claim.fault
            ),
            questions=tuple(answered)[:MAX_QUESTIONS],
            sections_read=len(starts.difference(notes.unread)),
            sections=len(starts),
            model=self._model.name,
        )

    async def _draft(
        self, claims: Sequence[Claim], sections: Sequence[Section]
    ) -> tuple[Sequence[Claim], SummaryDraft]:
        """Return a summary over claims, and those that it is over: where there are more than the
        model has room for, they are summed up first, group by group."""
        inp = SummaryInput(title=self._title, language=self._language)
        room = passage_room(WriteSummary(), inp, self._step)
        count = self._model.count_tokens
        while groups := list(packed(claims, lambda c: count(f"[999] {c.text}\n"), room)):
            drafts = []
            for group in groups:
                texts = tuple(claim.text for claim in group)
                run = self._step.run(WriteSummary(), inp.model_copy(update={"claims": texts}))
                drafts.append(await run)
            if len(groups) == 1:
                return claims, drafts[0]
            if len(groups) == len(claims):  # none is shorter than those that it is over
                break
            claims = [
                claim
                for group, draft in zip(groups, drafts, strict=True)
                for claim in check_written(
                    draft.sentences[: max(len(group) // 2, 1)], group, sections, self._question
                )
                if claim.fault in VERIFIABLE
            ]
        return claims, WriteSummary().fallback(inp)
