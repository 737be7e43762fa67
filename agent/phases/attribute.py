"""Attribution: the report, in which every sentence names the place that it comes from."""

from agent.context import Context
from agent.models import FinalReport, Finding, SectionDraft
from agent.prompts import worded
from agent.sources import place, sources_of, unproven, with_case
from agent.state import ResearchState
from agent.step import Step, Update, node


@node("attribute")
async def attribute_sources(state: ResearchState, step: Step) -> Update:
    """Assembles answer, findings and sources from the checked drafts."""
    drafts = state["drafts"]
    language = state["detected_language"]
    sentences = tuple(sentence for draft in drafts for sentence in draft.sentences)
    gaps = [gap for summary in state.get("task_summaries", []) for gap in summary.gaps]
    report = FinalReport(
        answer=render(drafts, gaps, language, step.context),
        sentences=sentences,
        findings=tuple(_findings(drafts)),
        sources=tuple(sources_of(sentences, step.context)),
        gaps=tuple(gaps),
        warnings=tuple(state.get("warnings", [])),
        degraded=tuple(_degraded(state)),
    )
    return {"final_report": report}


def render(drafts: list[SectionDraft], gaps: list[str], language: str, context: Context) -> str:
    """The answer as Markdown, each sentence followed by its places in brackets."""
    parts: list[str] = []
    for draft in drafts:
        if draft.sentences:
            parts.extend([f"## {draft.heading}"] if draft.heading else [])
            parts.append(_paragraphs(draft, language, context))
    if not parts:
        parts.append(
            worded(
                language,
                de="In den Dokumenten wurde nichts gefunden, was die Frage beantwortet.",
                en="Nothing was found in the documents that answers the question.",
                fr="Rien de ce qui répond à la question n'a été trouvé dans les documents.",
                es="En los documentos no se ha encontrado nada que responda a la pregunta.",
            )
        )
    elif gaps:
        title = worded(
            language,
            de="Nicht in den Dokumenten gefunden",
            en="Not found in the documents",
            fr="Introuvable dans les documents",
            es="No encontrado en los documentos",
        )
        parts.append(f"## {title}\n\n" + "\n".join(f"- {gap}" for gap in gaps))
    return "\n\n".join(parts)


def _paragraphs(draft: SectionDraft, language: str, context: Context) -> str:
    """Prose as one paragraph, verbatim quotes as block quotes below it."""
    prose: list[str] = []
    quotes: list[str] = []
    for sentence in draft.sentences:
        marks = "; ".join(dict.fromkeys(place(c, language, context) for c in sentence.citations))
        if sentence.quoted:
            quotes.append(f"> {with_case(sentence)} [{marks}]")
        elif sentence.supported:
            prose.append(f"{sentence.text} [{marks}]")
        else:
            prose.append(f"{sentence.text} [⚠ {unproven(sentence, language)}]")
    return "\n\n".join([*([" ".join(prose)] if prose else []), *quotes])


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


def _degraded(state: ResearchState) -> list[str]:
    """What was done by fallback or left out, so that the reader can judge the rest."""
    fallbacks = [f"{u.task}: {u.fallback}" for u in state.get("usage", []) if u.fallback]
    left_out = [f"{d.heading or 'lead'}: {d.degraded}" for d in state["drafts"] if d.degraded]
    return [*fallbacks, *left_out]
