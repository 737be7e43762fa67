"""The names under which people know passages and documents, and what an answer cites."""

from collections import defaultdict
from collections.abc import Sequence
from textwrap import shorten

from agent.context import Context
from agent.models import Source
from agent.prompts import say
from services.domain import (
    Citation,
    CitedSentence,
    Evidence,
    EvidenceSentence,
    Language,
    PassageSpan,
)
from services.retrieval.context import LONGEST_TITLE, location_of

Located = PassageSpan | Citation


def short_name(document_id: str, document: str, context: Context) -> str:
    """``StrlSchG`` where the registry knows an abbreviation, else the file's stem."""
    return context.registry.name_of(document_id) or document.rsplit(".", 1)[0]


def origin(found: Located, context: Context) -> str:
    """``StrlSchG § 78``: the name under which a section is cited."""
    name = short_name(found.document_id, found.document, context)
    return name if found.section in ("", name) else f"{name} {found.section}"


def titled_origin(found: Located, heading: str, context: Context) -> str:
    """``StrlSchG § 78: Grenzwerte …``."""
    name, title = origin(found, context), heading.removeprefix(found.section).strip()
    return f"{name}: {title}" if title else name


def section_names(entries: Sequence[Evidence], context: Context) -> dict[str, Evidence]:
    """The sections of the entries, each once, in order: ``StrlSchG § 78: Grenzwerte …`` with the
    first entry in it."""
    passages = context.passages.get(entry.chunk_id for entry in entries)
    names: dict[str, Evidence] = {}
    for entry in entries:
        path = passages[entry.chunk_id].heading_path if entry.chunk_id in passages else ()
        names.setdefault(titled_origin(entry, path[-1] if path else "", context), entry)
    return names


def place(citation: Citation, language: Language, context: Context) -> str:
    """``StrlSchG § 78, S. 50``."""
    name = origin(citation, context)
    return name if citation.page is None else f"{name}, {say(language, 'page', citation.page)}"


def full_title(title: str, name: str) -> str:
    """A title with the short name of its document, if it does not hold it."""
    if not title or name.casefold() in title.casefold():
        return title or name
    return f"{shorten(title, LONGEST_TITLE, placeholder='…')} ({name})"


def header(found: PassageSpan | EvidenceSentence, language: Language, context: Context) -> str:
    """Above a passage in a prompt: title, section with its heading, page and day."""
    (passage,) = context.passages.get([found.chunk_id]).values() or (None,)
    heading = found.heading if isinstance(found, EvidenceSentence) else ""
    if passage is not None and passage.heading_path:
        heading = passage.heading_path[-1]
    name = short_name(found.document_id, found.document, context)
    return location_of(
        full_title(passage.title if passage is not None else "", name),
        "" if found.section == name else found.section,
        heading,
        "" if found.page is None else say(language, "page", found.page),
        context.passages.day(found.document_id),
    )


def sources_of(sentences: Sequence[CitedSentence], context: Context) -> list[Source]:
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
