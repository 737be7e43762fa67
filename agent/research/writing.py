"""A report over findings: sections in the order of the plan, and an answer above them.

A sentence rests on findings, and is proven and verified by their places like any claim. One that is
not proof gives way to its findings, and no finding is lost.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agent.models import SectionDraft, TaskFinding, TaskReading, ToDoItem
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
from agent.reading.saying import following
from agent.reading.sections import Cutter, Section
from agent.reading.together import over
from agent.reading.values import Quote
from agent.reading.verify import Question, verified
from agent.research.state import ResearchState
from agent.step import Step
from services.domain import Certainty, Citation, CitedSentence
from services.domain.notices import Notice

PROSE = "prose"


@dataclass
class _Part:
    """A part of the report while it is written: its findings, and what the model wrote of them.

    ``forms`` are those of the sentences.
    """

    heading: str
    task_id: int
    findings: list[TaskFinding]
    written: list[WrittenSentence] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)

    def take(self, paragraphs: Sequence[Paragraph], unnamed: str) -> None:
        """Adds what the model wrote; a row that has not a cell for each column is an item.

        A column without a name is called ``unnamed``.
        """
        for paragraph in paragraphs:
            columns = [name.strip() or unnamed for name in paragraph.columns]
            for each in paragraph.sentences:
                row = _row(each.text, columns) if paragraph.form == "table" else None
                is_item = paragraph.form == "table" and row is None
                self.written.append(each.model_copy(update={"text": row or each.text}))
                self.forms.append("list" if is_item else paragraph.form)


def _row(text: str, columns: Sequence[str]) -> str | None:
    """A row of a table as it is read alone: ``Column: cell | Column: cell``; None if it is none."""
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    if len(columns) < 2 or len(cells) != len(columns):
        return None
    return " | ".join(f"{name}: {cell}" for name, cell in zip(columns, cells, strict=True))


async def related(
    state: ResearchState, step: Step
) -> tuple[list[TaskFinding], list[Contradiction]]:
    """The findings, with what repeats another one; and what contradicts itself.

    The numbers of a contradiction count the findings that count, from 1.
    """
    findings, anchor = list(state.get("findings", [])), state["query_anchor"]
    open_ = [each for each in findings if each.counts]
    if len({each.task_id for each in open_}) < 2 or not state.get("reads"):
        return _marked(findings, _said_before(open_)), []
    tasks = {task.id: task.task for task in state["todo_list"]}
    lines = (
        f"{n}. ({tasks[each.task_id]}) {each.text} [{_places(each)}]"
        for n, each in enumerate(open_, start=1)
    )
    inp = RelateInput(
        question=anchor.original_query, language=anchor.detected_language, findings=tuple(lines)
    )
    found = await step.run(RelateFindings(), inp)
    better = {open_[r.finding - 1].id: open_[r.of - 1].id for r in found.repeats}
    better = {one: other for one, other in better.items() if other not in better}
    return _marked(findings, better), found.contradictions


def _marked(findings: Iterable[TaskFinding], better: Mapping[str, str]) -> list[TaskFinding]:
    """The findings, each with the id of the one that it repeats."""
    return [each.model_copy(update={"repeats": better.get(each.id, "")}) for each in findings]


def _said_before(findings: Iterable[TaskFinding]) -> dict[str, str]:
    """Findings that say the same at the same places as an earlier one, by their ids."""
    first: dict[tuple[str, tuple[Citation, ...]], str] = {}
    before = {each.id: first.setdefault((each.text, each.citations), each.id) for each in findings}
    return {one: other for one, other in before.items() if one != other}


def _places(finding: TaskFinding) -> str:
    return "; ".join(dict.fromkeys(f"{c.document} {c.section}" for c in finding.citations))


class ReportWriter:
    """Writes one report.

    Args:
        state: with findings and readings.
        findings: of the state, with what repeats another one.
        step: in which the model is asked.
        asks: whether it is; else the findings stand alone.
    """

    def __init__(
        self, state: ResearchState, findings: Sequence[TaskFinding], step: Step, *, asks: bool
    ) -> None:
        self._state, self._step, self._asks = state, step, asks
        self._anchor = state["query_anchor"]
        self._open = [each for each in findings if each.counts]
        self._findings = [each for each in self._open if not each.repeats]
        self._sections = self._read_sections(state.get("readings", []))
        self._question = Question(
            text="\n".join((self._anchor.original_query, *self._anchor.hitl_refinements)),
            context="\n".join(task.task for task in state["todo_list"]),
            language=self._anchor.detected_language,
        )

    def _read_sections(self, readings: Iterable[TaskReading]) -> list[Section]:
        """The sections that findings rest on, each once."""
        model, context = self._step.context.tasks.model, self._step.context
        count = model.count_tokens if model is not None else len
        cutter = Cutter(context, count, self._anchor.detected_language)
        cuts = dict.fromkeys(cut for each in readings for cut in each.sections)
        return [cutter.of_cut(cut) for cut in cuts]

    async def drafts(self, contradictions: Sequence[Contradiction]) -> list[SectionDraft]:
        """The answer, a section for each task in the order of the plan, and what contradicts."""
        tasks = self._state["todo_list"]
        lead = _Part("", 0, self._findings if self._asks else [])
        parts = [_Part(task.task, task.id, self._of(task)) for task in tasks]
        against = _Part(say(self._question.language, "contradicting"), 0, self._open)
        against.written = [WrittenSentence(text=c.text, claims=c.findings) for c in contradictions]
        against.forms = [PROSE] * len(contradictions)
        if self._asks:
            await asyncio.gather(
                self._write(lead, WriteAnswer()),
                *(self._write(part, WriteSection()) for part in parts),
            )
        everything = [lead, *parts, against]
        checked = iter(await self._checked(everything))
        drafts = [
            self._draft(part, [next(checked) for _ in part.written], all_used=bool(part.task_id))
            for part in everything
        ]
        return [*drafts[: 1 + len(parts)], *(each for each in drafts[-1:] if each.sentences)]

    def _of(self, task: ToDoItem) -> list[TaskFinding]:
        return [each for each in self._findings if each.task_id == task.id]

    async def _write(self, part: _Part, task: WriteSection) -> None:
        """Has the model write a part over its findings that are proven."""
        proven = [each for each in part.findings if each.standing == "follows"]
        if not proven:
            return
        quality, options = self._state.get("quality_assessment"), self._state["options"]
        remarks = quality.remarks if quality and self._state.get("revisions") else ()
        inp = WriteInput(
            question=self._anchor.original_query,
            language=self._anchor.detected_language,
            task=part.heading,
            findings=tuple(_line(n, each) for n, each in enumerate(proven, start=1)),
            said=self._anchor.hitl_refinements,
            remarks=tuple(map(str, remarks)),
            instructions=options.synthesis_prompt,
        )
        tell = self._step.text_writer(f"part {part.task_id}" if part.task_id else "lead")
        part.findings = [*proven, *(each for each in part.findings if each not in proven)]
        made = await self._step.run(task, inp, on_text=lambda text: tell(written_so_far(text)))
        part.take(made, say(inp.language, "unnamed_column"))

    async def _checked(self, parts: Iterable[_Part]) -> list[Claim]:
        """All sentences of the report, proven by code and verified by the model."""
        claims: list[Claim] = []
        for part in parts:
            own = [self._claim(each) for each in part.findings]
            claims += over(part.written, own, self._sections, self._question)
        return await verified(claims, self._sections, self._question, self._step)

    def _claim(self, finding: TaskFinding) -> Claim:
        quotes = (self._quote(each) for each in finding.citations)
        return Claim(text=finding.text, quotes=tuple(each for each in quotes if each is not None))

    def _quote(self, cited: Citation) -> Quote | None:
        """A cited place in the section that it was read in."""
        for n, section in enumerate(self._sections):
            if section.document_id == cited.document_id and section.shows(cited.start, cited.end):
                return Quote(
                    section=n,
                    document_id=cited.document_id,
                    start=cited.start,
                    end=cited.end,
                    text=cited.quote,
                )
        return None

    def _draft(self, part: _Part, checked: Sequence[Claim], *, all_used: bool) -> SectionDraft:
        """The part as it stands: its proven sentences, and findings in the place of others."""
        lines: dict[CitedSentence, str] = {}
        used: dict[str, None] = {}
        shown: dict[str, None] = {}
        left_out: list[str] = []
        for written, claim, form in zip(part.written, checked, part.forms, strict=True):
            own = [part.findings[n - 1] for n in dict.fromkeys(written.claims)]
            if claim.fault:
                left_out.append(written.text)
                if all_used:
                    lines |= {_as_it_is(each): PROSE for each in own}
            else:
                cited = dict.fromkeys(place for each in own for place in each.citations)
                lines[following(claim.text, cited)] = form
                used |= dict.fromkeys(each.id for each in own)
            shown |= dict.fromkeys(each.id for each in own)
        if all_used:
            rest = (each for each in part.findings if each.id not in shown)
            lines |= {_as_it_is(each): PROSE for each in rest}
        return SectionDraft(
            heading=part.heading,
            task_id=part.task_id,
            sentences=tuple(lines),
            forms=tuple(lines.values()),
            degraded=_told(left_out, replaced=all_used),
            certainty=_certainty(lines),
            note=self._note(part, bool(lines)) if part.task_id else "",
            used=tuple(used),
        )

    def _note(self, part: _Part, says_something: bool) -> str:
        """Where findings of a section stand elsewhere; what was tried, where it has none."""
        language = self._question.language
        headings = {task.id: task.task for task in self._state["todo_list"]}
        better = {each.id: headings[each.task_id] for each in self._findings}
        repeated = [each.repeats for each in self._open if each.task_id == part.task_id]
        if elsewhere := dict.fromkeys(better[name] for name in repeated if name in better):
            key = "more_under" if says_something else "said_under"
            return say(language, key, "; ".join(elsewhere))
        if says_something:
            return ""
        readings = {each.task_id: each for each in self._state.get("readings", [])}
        reading = readings.get(part.task_id)
        made, read = (len(reading.searches), len(reading.read)) if reading else (0, 0)
        return say(language, "nothing_for_task", made, read)


def _line(number: int, finding: TaskFinding) -> str:
    """A finding as the writer is shown it, with the words that it rests on."""
    quotes = " … ".join(" ".join(each.quote.split()) for each in finding.citations)
    return f"[{number}] {finding.text}\n    ({_places(finding)}: »{quotes}«)"


def _as_it_is(finding: TaskFinding) -> CitedSentence:
    """A finding as a sentence of its own."""
    return CitedSentence(
        text=finding.text, supported=True, standing=finding.standing, citations=finding.citations
    )


def _certainty(lines: Iterable[CitedSentence]) -> Certainty:
    standings = {each.standing for each in lines}
    return "answered" if "follows" in standings else "perhaps" if standings else "refused"


def _told(left_out: Sequence[str], *, replaced: bool) -> Notice | None:
    """What was written and is not shown, or gave way to its findings."""
    if not left_out:
        return None
    sentences = " | ".join(left_out)
    if replaced:
        return Notice.of(
            "replaced by their findings, which do not say all of it: {sentences}",
            sentences=sentences,
        )
    return Notice.of(
        "left out, their findings do not say all of it: {sentences}", sentences=sentences
    )
