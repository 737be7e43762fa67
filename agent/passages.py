"""From chunks to the sentences that can be quoted, and to names that people recognise."""

import re

from agent.context import Context
from agent.models import ContextEntry, PreservedQuote, SourceType
from services.evidence import EvidenceSentence
from services.text import clauses, is_heading, sentences
from services.types import Chunk, Citation

Located = ContextEntry | EvidenceSentence | PreservedQuote | Citation
PARAGRAPH_NUMBER = re.compile(r"\(\d+[a-z]?\)\s+|\s+")
LEAD_IN = re.compile(r"\b(?!(?:und|oder|sowie|and|or|et|ou|y|o)\s*$)\w+\s*$|:\s*$")
"""How a stub ends that leads into a list; an item may end with the ``and`` before the last one."""
LONG_SENTENCE = 700
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
    way: str = "",
    led_from: str = "",
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
        way=way,
        led_from=led_from,
    )


def quotable(chunk: Chunk, context: Context) -> list[EvidenceSentence]:
    """The sentences of a chunk, each clipped to one page; long enumerations item by item.

    A sentence that runs over a page border is quoted from the page that holds more of it, so
    that a reader who opens the stated page finds the whole quote there.
    """
    pages = _pages(chunk, context)
    found = []
    for start, end in _spans(chunk.text):
        page, start, end = _on_one_page(chunk.start + start, chunk.start + end, pages)
        text = chunk.text[start - chunk.start : end - chunk.start]
        marker = PARAGRAPH_NUMBER.match(text)
        start, text = (start + marker.end(), text[marker.end() :]) if marker else (start, text)
        if len(text) >= SHORTEST_QUOTE and not _says_nothing(text):
            found.append(
                EvidenceSentence(
                    document_id=chunk.document_id,
                    document=chunk.document,
                    section=chunk.section,
                    page=page,
                    start=start,
                    end=end,
                    text=text,
                    context="\n".join([*chunk.heading_path, chunk.text]),
                    heading=chunk.heading_path[-1] if chunk.heading_path else "",
                )
            )
    return found


def _says_nothing(text: str) -> bool:
    """Whether a span is no statement: a title, a cell, a ruler, or the lead-in of a list."""
    return text.rstrip().endswith(":") or is_heading(text)


def _spans(text: str) -> list[tuple[int, int]]:
    """Sentences; the longest of them by their items, without the stub that leads in."""
    spans: list[tuple[int, int]] = []
    for start, end in sentences(text):
        if end - start <= LONG_SENTENCE:
            spans.append((start, end))
        else:
            items = clauses(text, start, end)
            spans += [item for item in items if not LEAD_IN.search(text[item[0] : item[1]])]
    return spans


def _pages(chunk: Chunk, context: Context) -> list[tuple[int, int]]:
    """Pages that a chunk touches as (page, end offset), in order; empty without pages."""
    if chunk.page is None:
        return []
    starts = context.catalog.documents.page_starts(chunk.text_id)
    pages: list[tuple[int, int]] = []
    for page in range(chunk.page, len(starts) + 1):
        border = starts[page] if page < len(starts) else chunk.end
        pages.append((page, border))
        if border >= chunk.end:
            break
    return pages


def _on_one_page(start: int, end: int, pages: list[tuple[int, int]]) -> tuple[int | None, int, int]:
    """The page of a span, and the larger part of the span if it runs over a border."""
    for page, border in pages:
        if end <= border:
            return page, start, end
        if start < border:
            halves = (page, start, border), (page + 1, border, end)
            return max(halves, key=lambda half: half[2] - half[1])
    return None, start, end


def short_name(document_id: str, document: str, context: Context) -> str:
    """``StrlSchG`` where the registry knows an abbreviation, else the file's stem."""
    return context.registry.name_of(document_id) or document.rsplit(".", 1)[0]


def origin(entry: Located, context: Context) -> str:
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
