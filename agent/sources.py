"""What an answer cites, as its reader sees it: documents, sections and pages."""

from collections import defaultdict
from collections.abc import Sequence

from agent.context import Context
from agent.models import Source
from agent.passages import origin, short_name
from agent.prompts import worded
from services.export.layout import case_of
from services.types import Citation, Sentence


def place(citation: Citation, language: str, context: Context) -> str:
    """``StrlSchG § 78, S. 50``."""
    name = origin(citation, context)
    if citation.page is None:
        return name
    return f"{name}, {worded(language, de='S.', en='p.', fr='p.', es='p.')} {citation.page}"


def unsupported(language: str) -> str:
    """The mark of a sentence for which no place was found."""
    return worded(
        language, de="ohne Beleg", en="no support found", fr="sans preuve", es="sin respaldo"
    )


def unproven(sentence: Sentence, language: str) -> str:
    """The mark of a sentence that is cited and no proof, or for which no place was found."""
    match sentence.standing:
        case "contradicts":
            return worded(
                language,
                de="die Stelle widerspricht",
                en="the passage contradicts it",
                fr="le passage le contredit",
                es="el pasaje lo contradice",
            )
        case "loose" if sentence.citations:
            return worded(
                language,
                de="folgt nicht erkennbar",
                en="not shown to follow",
                fr="n'en découle pas clairement",
                es="no se deduce claramente",
            )
    return unsupported(language)


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
