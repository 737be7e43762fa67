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
from agent.research.report import fallen_back, unused
from agent.research.state import ResearchState
from agent.sentences import (
    readable_alone,
    standings_of,
    unproven,
    with_case,
    with_recognised,
)
from agent.sources import cited_location, sources_of
from agent.step import Step, Update, node
from services.domain import Certainty, CitedSentence
from services.domain.notices import Notice

SURER: tuple[Certainty, ...] = ("answered", "perhaps", "refused")


@node
async def attribute_sources(state: ResearchState, step: Step) -> Update:
    """Assembles answer, sections and sources from the checked drafts."""
    drafts = await asyncio.to_thread(_readable, state["drafts"], step.context)
    language, readings = state["detected_language"], state.get("readings", [])
    told = {draft.certainty for draft in drafts}
    sure = next((each for each in SURER if each in told), SURER[-1])
    sentences = tuple(
        sentence.model_copy(update={"closest": sure == "answered" and draft.certainty == "perhaps"})
        for draft in drafts
        for sentence in draft.sentences
    )
    opening = opening_of(sure, language)
    parts = state.get("parts", [])
    gaps = _gaps(drafts, parts, readings)
    replaced = _replaced(readings, sentences)
    newer = _newer(replaced, language)
    report = Report(
        answer=render(drafts, opening, gaps, newer, language, step.context),
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
        certainty=sure,
        standings=standings_of(sentences),
        parts=tuple(parts),
        tasks=tuple(_tasks(state)),
        replaced=replaced,
        missing="; ".join(gaps),
    )
    return {"final_report": report}


def _readable(drafts: Sequence[SectionDraft], context: Context) -> list[SectionDraft]:
    """The drafts with quotes that can be read alone; a section says no sentence twice."""
    texts = context.catalog.documents
    readable = []
    for draft in drafts:
        forms = draft.forms or ("prose",) * len(draft.sentences)
        whole = dict(zip(draft.sentences, forms, strict=True))
        quotes = [each for each in whole if each.standing == "quote"]
        lines = {each: form for each, form in whole.items() if each.standing != "quote"}
        lines = {with_recognised(each, texts): form for each, form in lines.items()}
        lines |= {sentence: "prose" for _, sentence in readable_alone(quotes, texts)}
        update = {"sentences": tuple(lines), "forms": tuple(lines.values())}
        readable.append(draft.model_copy(update=update))
    return readable


def opening_of(sure: Certainty, language: str) -> str:
    """What stands before quotes that claim nothing, or in the place of an answer."""
    if sure == "answered":
        return ""
    return say(language, "perhaps_opening" if sure == "perhaps" else "refusal")


def _gaps(
    drafts: Iterable[SectionDraft], parts: Iterable[PartAnswered], readings: Iterable[TaskReading]
) -> list[str]:
    """The tasks that nothing was found for, and what is missing of others."""
    missing = {each.task_id: each.missing for each in readings}
    refused = {each.text for each in parts if each.certainty == "refused"}
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
    """What later documents change, as far as the report cites them."""
    cited = {each.document for sentence in sentences for each in sentence.citations}
    found = dict.fromkeys(one for reading in readings for one in reading.replaced)
    return tuple(each for each in found if each.by in cited)


def _newer(replaced: Iterable[Replaced], language: str) -> list[str]:
    """Which document is a newer version of which, a line each."""
    pairs = dict.fromkeys((each.document, each.by) for each in replaced)
    return [say(language, "replaced_line", *pair) for pair in pairs]


def render(
    drafts: Sequence[SectionDraft],
    opening: str,
    gaps: Sequence[str],
    newer: Sequence[str],
    language: str,
    context: Context,
) -> str:
    """The report as Markdown, each sentence followed by its places in brackets.

    The section of an only task needs no heading. What was not found stands right below the answer,
    for whoever reads nothing else, where sections follow it that have one.
    """
    alone = sum(bool(each.task_id) for each in drafts) == 1
    parts = [opening] if opening else []
    missing = [_listed(say(language, "gaps_heading"), gaps)] if gaps else []
    if not any(draft.sentences for draft in drafts):
        missing = []
    for draft in drafts:
        if draft.heading and not (alone and draft.task_id) and (draft.sentences or draft.note):
            parts.append(f"## {' '.join(draft.heading.split())}")
        parts += _paragraphs(draft, language, context)
        parts += [draft.note] if draft.note else []
        if draft.sentences and not (draft.heading or alone):
            parts, missing = [*parts, *missing], []
    if newer:
        parts.append(_listed(say(language, "replaced_heading"), newer))
    return "\n\n".join([*parts, *missing])


def _listed(title: str, lines: Iterable[str]) -> str:
    return f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines)


def _paragraphs(draft: SectionDraft, language: str, context: Context) -> list[str]:
    """The sentences as they stand together: prose runs on, items and rows below each other."""
    parts: list[str] = []
    before = ""
    for sentence, form in zip(draft.sentences, draft.forms, strict=True):
        form = "quote" if sentence.quoted else form
        text = f"{with_case(sentence)} {_marks(sentence, language, context)}"
        text = {"quote": f"> {text}", "prose": text}.get(form, f"- {text}")
        if form == before == "prose":
            parts[-1] += f" {text}"
        elif form == before and form != "quote":
            parts[-1] += f"\n{text}"
        else:
            parts.append(text)
        before = form
    return parts


def _marks(sentence: CitedSentence, language: str, context: Context) -> str:
    if not (sentence.quoted or sentence.supported):
        return f"[⚠ {unproven(sentence, language)}]"
    places = dict.fromkeys(cited_location(each, language, context) for each in sentence.citations)
    return f"[{'; '.join(places)}]"


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
    """The approved tasks with what was read and found for each."""
    readings = {each.task_id: each for each in state.get("readings", [])}
    findings: list[TaskFinding] = state.get("findings", [])
    for task in state["todo_list"]:
        reading = readings.get(task.id, TaskReading(task_id=task.id, answered="no"))
        yield ReportTask(
            id=task.id,
            task=task.task,
            findings=tuple(each for each in findings if each.task_id == task.id),
            **reading.model_dump(include={"answered", "missing", "rounds", "read", "searches"}),
        )


def _degraded(state: ResearchState) -> list[Notice]:
    """What was done by fallback, left out or replaced, so that the reader can judge the rest."""
    left_out = [
        Notice.of("{step}: {reason}", step=each.heading or "lead", reason=each.degraded)
        for each in state["drafts"]
        if each.degraded
    ]
    read = (notice for each in state.get("readings", []) for notice in each.left_out)
    return [*fallen_back(state.get("usage", [])), *left_out, *read]
