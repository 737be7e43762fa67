"""From chunks to the sentences that can be quoted, and to names that people recognise."""

from services.citations import EvidenceSentence

from agent.context import Context
from agent.models import ContextEntry, SourceType
from services.text import clauses, sentences
from services.types import Chunk

LONG_SENTENCE = 600
SHORTEST_QUOTE = 25


def as_entry(
    chunk: Chunk,
    *,
    tier: int,
    weight: float,
    score: float,
    source_type: SourceType,
    query: str,
    rank: int,
    depth: int = 0,
    task_id: int | None = None,
) -> ContextEntry:
    """Evidence for a chunk: where it lies and how it was found, without its text."""
    return ContextEntry(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        document=chunk.document,
        section=chunk.section,
        page=chunk.page,
        start=chunk.start,
        end=chunk.end,
        tier=tier,
        weight=weight,
        score=round(score, 4),
        depth=depth,
        source_type=source_type,
        task_id=task_id,
        query=query,
        rank=rank,
    )


def quotable(chunk: Chunk, context: Context) -> list[EvidenceSentence]:
    """The sentences of a chunk, each clipped to one page; long enumerations item by item.

    A sentence that runs over a page border is quoted from the page that holds more of it, so
    that a reader who opens the stated page finds the whole quote there.
    """
    spans: list[tuple[int, int]] = []
    for start, end in sentences(chunk.text):
        long = end - start > LONG_SENTENCE
        spans.extend(clauses(chunk.text, start, end) if long else [(start, end)])
    found = []
    for start, end in spans:
        page, start, end = _on_one_page(chunk, chunk.start + start, chunk.start + end, context)
        text = chunk.text[start - chunk.start : end - chunk.start]
        if len(text) >= SHORTEST_QUOTE and text not in chunk.heading_path:
            found.append(
                EvidenceSentence(
                    document_id=chunk.document_id,
                    document=chunk.document,
                    section=chunk.section,
                    page=page,
                    start=start,
                    end=end,
                    text=text,
                    context=chunk.text,
                )
            )
    return found


def _on_one_page(
    chunk: Chunk, start: int, end: int, context: Context
) -> tuple[int | None, int, int]:
    documents = context.catalog.documents
    page = documents.page_of(chunk.document_id, start)
    if page is None:
        return None, start, end
    _, border = documents.page_span(chunk.document_id, page)
    if end <= border:
        return page, start, end
    text = chunk.text[start - chunk.start : end - chunk.start]
    before, after = text[: border - start].rstrip(), text[border - start :]
    if len(before) >= len(after):
        return page, start, start + len(before)
    skipped = len(after) - len(after.lstrip())
    return page + 1, border + skipped, end


def short_name(document_id: str, document: str, context: Context) -> str:
    """``StrlSchG`` where the registry knows an abbreviation, else the file's stem."""
    return context.registry.name_of(document_id) or document.rsplit(".", 1)[0]


def origin(entry: ContextEntry | EvidenceSentence, context: Context) -> str:
    """``StrlSchG § 78``: the name under which a section is cited."""
    name = short_name(entry.document_id, entry.document, context)
    return name if entry.section in ("", name) else f"{name} {entry.section}"


def section_names(entries: list[ContextEntry], context: Context) -> list[str]:
    """``StrlSchG § 78: Grenzwerte …`` for the sections of the entries, each once, in order."""
    chunks = context.catalog.chunks.get([e.chunk_id for e in entries], scope=context.scope)
    names: dict[str, None] = {}
    for entry in entries:
        chunk = chunks.get(entry.chunk_id)
        heading = chunk.heading_path[-1] if chunk and chunk.heading_path else ""
        heading = heading.removeprefix(entry.section).strip()
        name = origin(entry, context)
        names[f"{name}: {heading}" if heading else name] = None
    return list(names)
