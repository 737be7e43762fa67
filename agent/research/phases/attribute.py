"""Attribution: the report, in which every sentence names the place that it comes from."""

import asyncio
from collections.abc import Iterable, Sequence

from agent.context import Context
from agent.models import (
    Finding,
    PartAnswered,
    Report,
    ReportTask,
    SectionDraft,
    TaskFinding,
    TaskReading,
)
from agent.prompts import say
from agent.reading.values import Replaced
from agent.research.state import ResearchState
from agent.sentences import paragraphs, readable_alone, standings_of, unproven, with_recognised
from agent.sources import cited_location, sources_of
from agent.step import Step, Update, fallen_back, node, unused
from services.domain import Certainty, CitedSentence
from services.domain.notices import Notice

SURER: tuple[Certainty, ...] = ("answered", "perhaps", "refused")


@node
async def attribute_sources(state: ResearchState, step: Step) -> Update:
    """Assemble answer, sections and sources from the checked drafts."""
    drafts = await asyncio.to_thread(_readable, state["drafts"], step.context)
    language, readings = state["detected_language"], state.get("readings", [])
    certainties = {draft.certainty for draft in drafts}
    best = next((certainty for certainty in SURER if certainty in certainties), SURER[-1])
    sentences = tuple(
        sentence.model_copy(update={"closest": best == "answered" and draft.certainty == "perhaps"})
        for draft in drafts
        for sentence in draft.sentences
    )
    opening = ""
    if best != "answered":
        key = "perhaps_opening" if best == "perhaps" else "refusal"
        opening = say(language, key, len(sentences))
    outcomes = state.get("parts", [])
    gaps = _gaps(drafts, outcomes, readings)
    dropped = {finding.task_id for finding in state.get("findings", []) if not finding.counts}
    dropped_tasks = {task.task for task in state["todo_list"] if task.id in dropped}
    not_found = [gap for gap in gaps if gap not in dropped_tasks]
    replaced = _replaced(readings, sentences)
    pairs = dict.fromkeys((section.document, section.by) for section in replaced)
    newer = [say(language, "replaced_line", *pair) for pair in pairs]
    report = Report(
        answer=render(drafts, opening, not_found, newer, language, step.context),
        opening=opening,
        notes=(*(draft.note for draft in drafts if draft.note), *newer),
        sentences=sentences,
        findings=tuple(_findings(drafts)),
        sources=tuple(sources_of(sentences, step.context)),
        gaps=tuple(gaps),
        warnings=(
            *unused(state.get("usage", []), step.context.tasks.model),
            *map(Notice.model_validate, state.get("warnings", [])),
        ),
        degraded=tuple(_degraded(state)),
        certainty=best,
        standings=standings_of(sentences),
        parts=tuple(outcomes),
        tasks=tuple(_tasks(state)),
        replaced=replaced,
        missing="; ".join(gaps),
    )
    return {"final_report": report}


def _readable(drafts: Sequence[SectionDraft], context: Context) -> list[SectionDraft]:
    """Return drafts with quotes that can be read alone; no section repeats a sentence."""
    texts = context.catalog.documents
    readable = []
    for draft in drafts:
        forms = draft.forms or ("prose",) * len(draft.sentences)
        form_of = dict(zip(draft.sentences, forms, strict=True))
        quotes = [sentence for sentence in form_of if sentence.standing == "quote"]
        lines = {
            with_recognised(sentence, texts): form
            for sentence, form in form_of.items()
            if sentence.standing != "quote"
        }
        lines |= {sentence: "prose" for _, sentence in readable_alone(quotes, texts)}
        update = {"sentences": tuple(lines), "forms": tuple(lines.values())}
        readable.append(draft.model_copy(update=update))
    return readable


def _gaps(
    drafts: Iterable[SectionDraft],
    outcomes: Iterable[PartAnswered],
    readings: Iterable[TaskReading],
) -> list[str]:
    missing = {reading.task_id: reading.missing for reading in readings}
    refused = {outcome.text for outcome in outcomes if outcome.certainty == "refused"}
    gaps = []
    for draft in drafts:
        if draft.task_id and draft.heading in refused:
            gaps.append(draft.heading)
        elif missing.get(draft.task_id):
            gaps.append(f"{draft.heading}: {missing[draft.task_id]}")
    return gaps


def _replaced(
    readings: Iterable[TaskReading], sentences: Sequence[CitedSentence]
) -> tuple[Replaced, ...]:
    cited = {citation.document for sentence in sentences for citation in sentence.citations}
    replaced = dict.fromkeys(section for reading in readings for section in reading.replaced)
    return tuple(section for section in replaced if section.by in cited)


def render(
    drafts: Sequence[SectionDraft],
    opening: str,
    gaps: Sequence[str],
    newer: Sequence[str],
    language: str,
    context: Context,
) -> str:
    """Return the report as Markdown, each sentence followed by its sources in brackets.

    What was not found stands right below the answer, if sections with headings follow it.
    """
    alone = sum(bool(draft.task_id) for draft in drafts) == 1
    blocks = [opening] if opening else []
    missing = [_listed(say(language, "gaps_heading"), gaps)] if gaps else []
    if not any(draft.sentences for draft in drafts):
        missing = []
    for draft in drafts:
        if draft.heading and not (alone and draft.task_id) and (draft.sentences or draft.note):
            blocks.append(f"## {' '.join(draft.heading.split())}")
        lines = (("", form, s) for s, form in zip(draft.sentences, draft.forms, strict=True))
        blocks += paragraphs(lines, lambda sentence: _marks(sentence, language, context))
        blocks += [draft.note] if draft.note else []
        if draft.sentences and not (draft.heading or alone):
            blocks, missing = [*blocks, *missing], []
    if newer:
        blocks.append(_listed(say(language, "replaced_heading"), newer))
    return "\n\n".join([*blocks, *missing])


def _listed(title: str, lines: Iterable[str]) -> str:
    return f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines)


def _marks(sentence: CitedSentence, language: str, context: Context) -> str:
    if not (sentence.quoted or sentence.supported):
        return f"[⚠ {unproven(sentence, language)}]"
    sources = dict.fromkeys(cited_location(c, language, context) for c in sentence.citations)
    return f"[{'; '.join(sources)}]"


def _findings(drafts: Iterable[SectionDraft]) -> list[Finding]:
    return [
        Finding(
            task=draft.heading,
            summary=draft.sentences[0].text,
            sections=tuple(dict.fromkeys(c.section for s in draft.sentences for c in s.citations)),
        )
        for draft in drafts
        if draft.task_id and draft.sentences
    ]


def _tasks(state: ResearchState) -> Iterable[ReportTask]:
    readings = {reading.task_id: reading for reading in state.get("readings", [])}
    findings: list[TaskFinding] = state.get("findings", [])
    for task in state["todo_list"]:
        reading = readings.get(task.id, TaskReading(task_id=task.id, answered="no"))
        yield ReportTask(
            id=task.id,
            task=task.task,
            findings=tuple(finding for finding in findings if finding.task_id == task.id),
            **reading.model_dump(include={"answered", "missing", "rounds", "read", "searches"}),
        )


def _degraded(state: ResearchState) -> list[Notice]:
    """Return what was done by fallback, left out or replaced, so that the reader can judge it."""
    left_out = [
        Notice.of("{step}: {reason}", step=draft.heading or "lead", reason=draft.degraded)
        for draft in state["drafts"]
        if draft.degraded
    ]
    unproven = (notice for reading in state.get("readings", []) for notice in reading.left_out)
    return [*fallen_back(state.get("usage", [])), *left_out, *unproven]
