"""What an answer cites and what its sentences are worth, as its reader is told."""

from collections import defaultdict
from collections.abc import Sequence

from agent.context import Context
from agent.models import Source
from agent.passages import origin, short_name
from agent.prompts import say
from services.domain import Citation, Language, Sentence
from services.evidence import Judged
from services.export.layout import case_of


def place(citation: Citation, language: Language, context: Context) -> str:
    """``StrlSchG § 78, S. 50``."""
    name = origin(citation, context)
    return name if citation.page is None else f"{name}, {say(language, 'page', citation.page)}"


def reason_of(judged: Judged, language: Language) -> str:
    """Why a sentence is proof or not, in a few words of the reader's language; "" for a quote."""
    if not judged.reason:
        return ""
    return say(language, f"reason: {judged.reason}", ", ".join(judged.words))


def unproven(sentence: Sentence, language: Language) -> str:
    """The mark of a sentence that is cited and no proof, or for which no place was found."""
    match sentence.standing:
        case "contradicts":
            return say(language, "contradicted")
        case "loose" if sentence.citations:
            return say(language, "not_shown")
    return say(language, "no_support")


def sources_of(sentences: Sequence[Sentence], context: Context) -> list[Source]:
    """Cited documents in order of first citation, with their sections and pages."""
    cited: dict[str, list[Citation]] = defaultdict(list)
    for sentence in sentences:
        for citation in sentence.citations:
            cited[citation.document_id].append(citation)
    return [_source(citations, context) for citations in cited.values()]


def _source(citations: Sequence[Citation], context: Context) -> Source:
    first = citations[0]
    info = context.catalog.documents.info(first.document_id)
    return Source(
        document=first.document,
        document_id=first.document_id,
        sha256=info.sha256,
        title=info.title or short_name(first.document_id, first.document, context),
        parser_version=info.parser_version,
        sections=tuple(dict.fromkeys(c.section for c in citations if c.section)),
        pages=tuple(sorted({c.page for c in citations if c.page is not None})),
    )


def with_case(sentence: Sentence) -> str:
    """The sentence; before a quote, for whom or when it holds."""
    text = " ".join(sentence.text.split())
    cases = [case_of(each) for each in sentence.citations if each.quote == sentence.text]
    return f"{cases[0]} »{text}«" if any(cases[:1]) else text
