"""Attribution: the report, in which every sentence names the place that it comes from."""

from collections import defaultdict

from agent.context import Context
from agent.models import FinalReport, Finding, SectionDraft, Source
from agent.passages import origin, short_name
from agent.prompts import in_language
from agent.state import ResearchState
from agent.step import Step, Update, node
from services.types import Citation, Sentence


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
        sources=tuple(_sources(sentences, step.context)),
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
            in_language(
                language,
                de="In den Dokumenten wurde nichts gefunden, was die Frage beantwortet.",
                en="Nothing was found in the documents that answers the question.",
            )
        )
    elif gaps:
        title = in_language(
            language, de="Nicht in den Dokumenten gefunden", en="Not found in the documents"
        )
        parts.append(f"## {title}\n\n" + "\n".join(f"- {gap}" for gap in gaps))
    return "\n\n".join(parts)


def _paragraphs(draft: SectionDraft, language: str, context: Context) -> str:
    """Prose as one paragraph, verbatim quotes as block quotes below it."""
    prose: list[str] = []
    quotes: list[str] = []
    for sentence in draft.sentences:
        marks = "; ".join(dict.fromkeys(_place(c, language, context) for c in sentence.citations))
        verbatim = any(citation.quote == sentence.text for citation in sentence.citations)
        if verbatim:
            quotes.append(f"> {' '.join(sentence.text.split())} [{marks}]")
        elif sentence.supported:
            prose.append(f"{sentence.text} [{marks}]")
        else:
            mark = in_language(language, de="ohne Beleg", en="no support found")
            prose.append(f"{sentence.text} [⚠ {mark}]")
    return "\n\n".join([*([" ".join(prose)] if prose else []), *quotes])


def _place(citation: Citation, language: str, context: Context) -> str:
    """``StrlSchG § 78, S. 50``."""
    name = origin(citation, context)
    if citation.page is None:
        return name
    return f"{name}, {in_language(language, de='S.', en='p.')} {citation.page}"


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


def _sources(sentences: tuple[Sentence, ...], context: Context) -> list[Source]:
    """Cited documents in order of first citation, with their sections and pages."""
    cited: dict[str, list[Citation]] = defaultdict(list)
    for sentence in sentences:
        for citation in sentence.citations:
            cited[citation.document_id].append(citation)
    sources = []
    for document_id, citations in cited.items():
        info = context.catalog.documents.info(document_id)
        sources.append(
            Source(
                document=citations[0].document,
                document_id=document_id,
                sha256=info.sha256,
                title=info.title or short_name(document_id, citations[0].document, context),
                parser_version=info.parser_version,
                sections=tuple(dict.fromkeys(c.section for c in citations if c.section)),
                pages=tuple(sorted({c.page for c in citations if c.page is not None})),
            )
        )
    return sources


def _degraded(state: ResearchState) -> list[str]:
    """What was done by fallback or left out, so that the reader can judge the rest."""
    fallbacks = [f"{u.task}: {u.fallback}" for u in state.get("usage", []) if u.fallback]
    left_out = [f"{d.heading or 'lead'}: {d.degraded}" for d in state["drafts"] if d.degraded]
    return [*fallbacks, *left_out]
