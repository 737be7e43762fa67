"""Attribution: the report, in which every sentence names the place that it comes from."""

import asyncio

from agent.context import Context
from agent.drafting import paragraphs, standings_of, unproven
from agent.models import Finding, Report, SectionDraft
from agent.prompts import say
from agent.quoting import readable_alone
from agent.research.outline import overall
from agent.research.report import fallen_back, unused
from agent.research.state import ResearchState
from agent.sources import place, sources_of
from agent.step import Step, Update, node
from services.domain import Certainty, CitedSentence
from services.domain.notices import Notice


@node
async def attribute_sources(state: ResearchState, step: Step) -> Update:
    """Assembles answer, findings and sources from the checked drafts."""
    drafts = await asyncio.to_thread(_readable, state["drafts"], step.context)
    language = state["detected_language"]
    parts = [
        part.model_copy(update={"certainty": draft.certainty})
        for part, draft in zip(state.get("parts", []), drafts[1:], strict=False)
    ]
    gaps = [part.text for part in parts if part.certainty == "refused"]
    sure = overall(part.certainty for part in parts)
    if not parts:  # of a thread whose drafts are older than these
        gaps = [gap for summary in state.get("task_summaries", []) for gap in summary.gaps]
        sure = "answered" if any(draft.sentences for draft in drafts) else "refused"
    sentences = tuple(
        sentence.model_copy(update={"closest": sure == "answered" and draft.certainty == "perhaps"})
        for draft in drafts
        for sentence in draft.sentences
    )
    opening = opening_of(sure, language)
    report = Report(
        answer=render(drafts, gaps, opening, language, step.context),
        opening=opening,
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
    )
    return {"final_report": report}


def _readable(drafts: list[SectionDraft], context: Context) -> list[SectionDraft]:
    """The drafts with their quotes as they can be read alone; none stands in two of them."""
    owners = [str(n) for n, draft in enumerate(drafts) for _ in draft.sentences]
    sentences = [sentence for draft in drafts for sentence in draft.sentences]
    lines: list[tuple[str, CitedSentence]] = []
    for number, sentence in readable_alone(sentences, context.catalog.documents, owners):
        inside = [n for n, (_, other) in enumerate(lines) if _holds(sentence, other)]
        if inside:  # the wider one takes the place of the first that it holds
            lines[inside[0]] = lines[inside[0]][0], sentence
            lines = [line for n, line in enumerate(lines) if n not in inside[1:]]
        elif not any(_holds(other, sentence) for _, other in lines):
            lines.append((owners[number], sentence))
    return [
        draft.model_copy(update={"sentences": tuple(s for own, s in lines if own == str(n))})
        for n, draft in enumerate(drafts)
    ]


def _holds(one: CitedSentence, other: CitedSentence) -> bool:
    """Whether a quote is part of another."""
    here, there = one.quoted, other.quoted
    return here is not None and there is not None and here.contains(there)


def opening_of(sure: Certainty, language: str) -> str:
    """What stands before quotes that claim nothing, or in the place of an answer."""
    if sure == "answered":
        return ""
    return say(language, "perhaps_opening" if sure == "perhaps" else "refusal")


def render(
    drafts: list[SectionDraft], gaps: list[str], opening: str, language: str, context: Context
) -> str:
    """The answer as Markdown, each sentence followed by its places in brackets.

    The only part of a question needs no heading.
    """
    alone = len(drafts) <= 2
    lines = [
        ("" if alone or not draft.heading else _heading(draft, opening, language), sentence)
        for draft in drafts
        for sentence in sorted(draft.sentences, key=lambda each: each.quoted is not None)
    ]

    def marks(sentence: CitedSentence) -> str:
        if not (sentence.quoted or sentence.supported):
            return f"[⚠ {unproven(sentence, language)}]"
        places = dict.fromkeys(place(each, language, context) for each in sentence.citations)
        return f"[{'; '.join(places)}]"

    parts = [*([opening] if opening else []), *paragraphs(lines, marks)]
    if gaps and len(parts) > 1:
        title = say(language, "gaps_heading")
        parts.append(f"## {title}\n\n" + "\n".join(f"- {gap}" for gap in gaps))
    return "\n\n".join(parts)


def _heading(draft: SectionDraft, opening: str, language: str) -> str:
    """A part of the question; said to be unsure where the report as a whole is not."""
    if draft.certainty != "perhaps" or opening:
        return draft.heading
    return f"{draft.heading} ({say(language, 'closest_passages')})"


def _findings(drafts: list[SectionDraft]) -> list[Finding]:
    return [
        Finding(
            task=draft.heading,
            summary=draft.sentences[0].text,
            sections=tuple(dict.fromkeys(c.section for s in draft.sentences for c in s.citations)),
        )
        for draft in drafts
        if draft.heading and draft.sentences
    ]


def _degraded(state: ResearchState) -> list[Notice]:
    """What was done by fallback or left out, so that the reader can judge the rest."""
    left_out = [
        Notice.of("{step}: {reason}", step=each.heading or "lead", reason=each.degraded)
        for each in state["drafts"]
        if each.degraded
    ]
    return [*fallen_back(state.get("usage", [])), *left_out]
