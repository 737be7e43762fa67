"""Synthesis: a section for each approved task, and the answer above them.

A sentence rests on findings, and is proven and verified by their citations like any claim. An
unproven one gives way to its findings, and no finding is lost.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agent.context import reading_model
from agent.models import PartAnswered, SectionDraft, TaskFinding, TaskReading
from agent.prompts import say
from agent.prompts.reading import WrittenSentence
from agent.prompts.research import (
    Contradiction,
    Paragraph,
    RelateFindings,
    RelateInput,
    WriteAnswer,
    WriteInput,
    WriteSection,
    written_so_far,
)
from agent.reading.prove import Claim
from agent.reading.sections import SectionBuilder
from agent.reading.sentences import check_written, proven_sentence
from agent.reading.values import Quote
from agent.reading.verify import Question, verify_claims
from agent.research.state import ResearchState
from agent.research.tables import checked_row, table_row, whole_tables
from agent.step import Step, Update, node
from services.domain import Certainty, Citation, CitedSentence
from services.domain.notices import Notice
from services.models.base import count_prompt

PROSE, PARAGRAPH = "prose", "paragraph"
"""Running text, and running text that begins a paragraph."""
REPLY_DIVISOR = 3
"""The reply has at most this fraction of the window."""
PROMPT_WITHOUT_MODEL = Notice.of(
    "The custom instructions have no effect because no language model is in use."
)


@node
async def synthesize(state: ResearchState, step: Step) -> Update:
    """Write the report in the question's language, over the findings that count."""
    reads = bool(state.get("reads")) and step.context.tasks.model is not None
    if state["options"].synthesis_prompt and not reads and not state.get("revisions"):
        step.warn(PROMPT_WITHOUT_MODEL)
    findings, readings, contradictions = await _relate(state, step)
    writer = await asyncio.to_thread(_ReportWriter, state, findings, step, uses_model=reads)
    drafts = await writer.drafts(contradictions)
    return {
        "drafts": drafts,
        "findings": findings,
        "readings": readings,
        "parts": [_task_outcome(draft, findings) for draft in drafts if draft.task_id],
        "todo_list": [task.model_copy(update={"completed": True}) for task in state["todo_list"]],
    }


def _task_outcome(draft: SectionDraft, findings: list[TaskFinding]) -> PartAnswered:
    counting = [f for f in findings if f.counts and f.task_id == draft.task_id]
    ids = dict.fromkeys(chunk_id for finding in counting for chunk_id in finding.chunk_ids)
    certainty = draft.certainty
    if not draft.sentences and any(finding.repeats for finding in counting):  # said elsewhere
        proven = any(map(_is_proven, counting))
        certainty = "answered" if proven else "perhaps"
    return PartAnswered(text=draft.heading, certainty=certainty, chunk_ids=tuple(ids))


async def _relate(
    state: ResearchState, step: Step
) -> tuple[list[TaskFinding], list[TaskReading], list[Contradiction]]:
    """Return the findings, marked where one repeats another, and the contradictions among them.

    Of what a reading lacks, only that is left which no task found; once, as a revision lacks the
    same. A proven finding gives way to none that is unproven. The numbers of a contradiction count
    the findings that were not dropped, from 1.
    """
    findings, anchor = list(state.get("findings", [])), state["query_anchor"]
    readings = list(state.get("readings", []))
    counting = [finding for finding in findings if finding.counts]
    if len({finding.task_id for finding in counting}) < 2 or not state.get("reads"):
        return _mark_repeats(findings, _verbatim_repeats(counting)), readings, []
    tasks = {task.id: task.task for task in state["todo_list"]}
    lines = (
        f"({tasks[finding.task_id]}) {finding.text} [{_sources(finding)}]" for finding in counting
    )
    lacking = [reading for reading in readings if reading.missing and not state.get("revisions")]
    inp = RelateInput(
        question=anchor.original_query,
        language=anchor.detected_language,
        findings=tuple(lines),
        gaps=tuple(
            f"{n}. ({tasks[reading.task_id]}) {reading.missing}"
            for n, reading in enumerate(lacking, start=1)
        ),
    )
    relations = await step.run(RelateFindings(), inp)
    still_missing = {lacking[gap.number - 1].task_id: gap.open for gap in relations.gaps}
    pairs = [(counting[r.finding - 1], counting[r.of - 1]) for r in relations.repeats]
    repeats = {
        finding.id: of.id for finding, of in pairs if _is_proven(of) or not _is_proven(finding)
    }
    repeats = {repeat: first for repeat, first in repeats.items() if first not in repeats}
    for n, reading in enumerate(readings):
        if (missing := still_missing.get(reading.task_id)) is not None:
            answered = "yes" if reading.answered == "partly" and not missing else reading.answered
            readings[n] = reading.model_copy(update={"missing": missing, "answered": answered})
    return _mark_repeats(findings, repeats), readings, relations.contradictions


def _mark_repeats(findings: Iterable[TaskFinding], repeats: Mapping[str, str]) -> list[TaskFinding]:
    return [
        finding.model_copy(update={"repeats": repeats.get(finding.id, "")}) for finding in findings
    ]


def _verbatim_repeats(findings: Iterable[TaskFinding]) -> dict[str, str]:
    """Return which findings have text and citations of an earlier one, by their ids."""
    first: dict[tuple[str, tuple[Citation, ...]], str] = {}
    earliest = {f.id: first.setdefault((f.text, f.citations), f.id) for f in findings}
    return {repeat: original for repeat, original in earliest.items() if repeat != original}


def _sources(finding: TaskFinding) -> str:
    return "; ".join(dict.fromkeys(f"{c.document} {c.section}" for c in finding.citations))


@dataclass
class _ReportSection:
    """A section that is being written: its findings, and sentences with their forms."""

    heading: str
    task_id: int
    findings: list[TaskFinding]
    written: list[tuple[WrittenSentence, str]] = field(default_factory=list)

    def add(self, paragraphs: Sequence[Paragraph], unnamed: str) -> None:
        """Add what the model wrote; a row without a cell for each column becomes a list item. A
        column without a name is called ``unnamed``."""
        for paragraph in paragraphs:
            columns = [name.strip() or unnamed for name in paragraph.columns]
            form = PARAGRAPH if paragraph.form == PROSE else paragraph.form
            for sentence in paragraph.sentences:
                row = table_row(sentence.text, columns) if form == "table" else None
                is_item = form == "table" and row is None
                text = {"text": row or sentence.text}
                self.written.append((sentence.model_copy(update=text), "list" if is_item else form))
                form = PROSE if form == PARAGRAPH else form


def _append(
    lines: dict[CitedSentence, str], sentences: Mapping[CitedSentence, str], *, begins: bool
) -> bool:
    """Add new sentences, the first as a paragraph if one ``begins``; say if it still does."""
    new = {sentence: form for sentence, form in sentences.items() if sentence not in lines}
    first = next(iter(new), None)
    for sentence, form in new.items():
        is_first = begins and sentence is first and form == PROSE
        lines[sentence] = PARAGRAPH if is_first else form
    return begins and not new


class _ReportWriter:
    """Writes one report over findings, which stand alone unless it ``uses_model``."""

    def __init__(
        self, state: ResearchState, findings: Sequence[TaskFinding], step: Step, *, uses_model: bool
    ) -> None:
        self._state, self._step, self._uses_model = state, step, uses_model
        self._anchor = state["query_anchor"]
        self._counting = [finding for finding in findings if finding.counts]
        self._dropped = [finding for finding in findings if not finding.counts]
        self._findings = [finding for finding in self._counting if not finding.repeats]
        self._question = Question(
            text="\n".join((self._anchor.original_query, *self._anchor.hitl_refinements)),
            context="\n".join(task.task for task in state["todo_list"]),
            language=self._anchor.detected_language,
        )
        builder = SectionBuilder(step.context, self._anchor.detected_language)
        readings = state.get("readings", [])
        excerpts = dict.fromkeys(excerpt for reading in readings for excerpt in reading.sections)
        self._sections = [builder.with_text(excerpt) for excerpt in excerpts]

    async def drafts(self, contradictions: Sequence[Contradiction]) -> list[SectionDraft]:
        """Return the answer, a section for each task in plan order, and the contradictions."""
        lead = _ReportSection("", 0, self._findings if self._uses_model else [])
        sections = [
            _ReportSection(task.task, task.id, [f for f in self._findings if f.task_id == task.id])
            for task in self._state["todo_list"]
        ]
        heading = say(self._question.language, "contradicting")
        contradicting = _ReportSection(heading, 0, self._counting)
        contradicting.written = [
            (WrittenSentence(text=contradiction.text, claims=contradiction.findings), PROSE)
            for contradiction in contradictions
        ]
        if self._uses_model:
            await asyncio.gather(
                self._write(lead, WriteAnswer()),
                *(self._write(section, WriteSection()) for section in sections),
            )
        everything = [lead, *sections, contradicting]
        checked = iter(await self._check(everything))
        drafts = [
            self._draft(section, [next(checked) for _ in section.written]) for section in everything
        ]
        return drafts if drafts[-1].sentences else drafts[:-1]

    async def _write(self, section: _ReportSection, task: WriteSection) -> None:
        """Have the model write a section over its proven findings."""
        proven = list(filter(_is_proven, section.findings))
        if not proven:
            return
        quality, options = self._state.get("quality_assessment"), self._state["options"]
        remarks = quality.remarks if quality and self._state.get("revisions") else ()
        inp = WriteInput(
            question=self._anchor.original_query,
            language=self._anchor.detected_language,
            task=section.heading,
            findings=tuple(map(_line, proven)),
            said=self._anchor.hitl_refinements,
            remarks=tuple(map(str, remarks)),
            instructions=options.synthesis_prompt,
        )
        model = reading_model(self._step.context)
        task.max_tokens = min(task.max_tokens, model.context_tokens // REPLY_DIVISOR)
        if count_prompt(model, task.render(inp)) + task.max_tokens > model.context_tokens:
            lines = tuple(_line(finding, quoted=False) for finding in proven)
            inp = inp.model_copy(update={"findings": lines})
        write = self._step.text_writer(f"part {section.task_id}" if section.task_id else "lead")
        unproven = [finding for finding in section.findings if finding not in proven]
        section.findings = [*proven, *unproven]
        paragraphs = await self._step.run(
            task, inp, on_text=lambda text: write(written_so_far(text))
        )
        section.add(paragraphs, say(inp.language, "unnamed_column"))

    async def _check(self, sections: Iterable[_ReportSection]) -> list[Claim]:
        """Return all sentences of the report, proven by code and verified by the model."""
        claims: list[Claim] = []
        for section in sections:
            sources = [self._claim(finding) for finding in section.findings]
            written = [sentence for sentence, _ in section.written]
            claims += check_written(written, sources, self._sections, self._question)
        return await verify_claims(claims, self._sections, self._question, self._step)

    def _claim(self, finding: TaskFinding) -> Claim:
        quotes = map(self._quote, finding.citations)
        return Claim(text=finding.text, quotes=tuple(filter(None, quotes)))

    def _quote(self, citation: Citation) -> Quote | None:
        for n, section in enumerate(self._sections):
            same = section.document_id == citation.document_id
            if same and section.shows(citation.start, citation.end):
                return Quote(
                    section=n,
                    document_id=citation.document_id,
                    start=citation.start,
                    end=citation.end,
                    text=citation.quote,
                )
        return None

    def _draft(self, section: _ReportSection, checked: Sequence[Claim]) -> SectionDraft:
        """Return a section with its proven sentences, and findings in place of the others.

        That of a task shows all its findings, the answer proven ones; of contradictions none stands
        in.
        """
        shows_all, is_answer = bool(section.task_id), not section.heading
        language = self._question.language
        lines: dict[CitedSentence, str] = {}
        used: dict[str, None] = {}
        mentioned: dict[str, None] = {}
        left_out: list[str] = []
        begins = False
        lines_checked = zip(section.written, checked, strict=True)
        written_lines = ((written, claim, form) for (written, form), claim in lines_checked)
        for written, claim, form in whole_tables(written_lines):
            findings = [section.findings[n - 1] for n in dict.fromkeys(written.claims)]
            ids = dict.fromkeys(finding.id for finding in findings)
            mentioned |= ids
            if claim.fault:
                left_out.append(written.text)
                instead = (f for f in findings if shows_all or (is_answer and _is_proven(f)))
                new = dict.fromkeys(map(_as_sentence, instead), "list" if form == "list" else PROSE)
            else:
                cited = dict.fromkeys(c for finding in findings for c in finding.citations)
                row = checked_row(written.text, claim.text, language) if form == "table" else None
                is_item = form == "table" and row is None
                new = {proven_sentence(row or claim.text, cited): "list" if is_item else form}
                used |= ids
            begins = _append(lines, new, begins=begins or form == PARAGRAPH)
        if shows_all:
            unused = (finding for finding in section.findings if finding.id not in mentioned)
            _append(lines, dict.fromkeys(map(_as_sentence, unused), PROSE), begins=True)
        return SectionDraft(
            heading=section.heading,
            task_id=section.task_id,
            sentences=tuple(lines),
            forms=tuple(lines.values()),
            degraded=_degraded(left_out, replaced=shows_all or is_answer),
            certainty=_certainty(lines),
            note=self._note(section, bool(lines)) if section.task_id else "",
            used=tuple(used),
        )

    def _note(self, section: _ReportSection, has_sentences: bool) -> str:
        """Say where repeated findings stand, or why a section is empty."""
        language = self._question.language
        headings = {task.id: task.task for task in self._state["todo_list"]}
        others = (f for f in self._findings if f.task_id != section.task_id)
        elsewhere = {finding.id: headings[finding.task_id] for finding in others}
        repeats = [f.repeats for f in self._counting if f.task_id == section.task_id]
        if named := dict.fromkeys(elsewhere[name] for name in repeats if name in elsewhere):
            key = "more_under" if has_sentences else "said_under"
            return say(language, key, "; ".join(named))
        if has_sentences:
            return ""
        if dropped := sum(finding.task_id == section.task_id for finding in self._dropped):
            return say(language, "dropped_for_task", dropped)
        readings = {reading.task_id: reading for reading in self._state.get("readings", [])}
        reading = readings.get(section.task_id)
        if reading is None and self._state.get("cancelled"):
            return say(language, "task_not_reached")
        searches, sections = (len(reading.searches), len(reading.read)) if reading else (0, 0)
        return say(language, "nothing_for_task", searches, sections)


def _line(finding: TaskFinding, *, quoted: bool = True) -> str:
    """Return a finding as the writer is shown it, ``quoted`` with the words that it rests on."""
    quotes = " … ".join(" ".join(citation.quote.split()) for citation in finding.citations)
    words = f": »{quotes}«" if quoted else ""
    return f"{finding.text}\n    ({_sources(finding)}{words})"


def _is_proven(finding: TaskFinding) -> bool:
    return finding.standing == "follows"


def _as_sentence(finding: TaskFinding) -> CitedSentence:
    return CitedSentence(
        text=finding.text, supported=True, standing=finding.standing, citations=finding.citations
    )


def _certainty(lines: Iterable[CitedSentence]) -> Certainty:
    standings = {sentence.standing for sentence in lines}
    return "answered" if "follows" in standings else "perhaps" if standings else "refused"


def _degraded(left_out: Sequence[str], *, replaced: bool) -> Notice | None:
    """Name the written sentences that are not shown, or gave way to their findings."""
    if not left_out:
        return None
    sentences = " | ".join(left_out)
    if replaced:
        return Notice.of(
            "sentences replaced by their findings, which support only part of them: {sentences}",
            sentences=sentences,
        )
    return Notice.of(
        "sentences left out because their findings support only part of them: {sentences}",
        sentences=sentences,
    )
