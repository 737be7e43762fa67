"""Passages for a language model: widened by their neighbours, fitted into a token budget."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import shorten
from typing import Final

from services.domain import Passage
from services.language.text.sentences import sentences

CountTokens = Callable[[str], int]
LONGEST_TITLE = 80
LOCATION_LINE: Final = re.compile(r"=== (.{1,300}?) ===")
"""Matches the line that heads the texts of a location, its first group."""


def blocks(passages: Iterable[tuple[str, str]]) -> str:
    """Return pairs of location and text as prompts show them, grouped under their locations."""
    texts: dict[str, list[str]] = {}
    for location, text in passages:
        texts.setdefault(location, []).append(text)
    return "\n".join("\n".join((f"=== {head} ===", *lines)) for head, lines in texts.items())


def location_of(title: str, section: str, heading: str, page: str, day: str) -> str:
    """Join title, section with its heading, page and day, leaving out the empty ones."""
    label = heading if heading.startswith(section) else f"{section} {heading}".strip()
    short_title = shorten(title, LONGEST_TITLE, placeholder="…")
    fields = (short_title, "" if label == title else label, page, day)
    return ", ".join(field for field in fields if field)


def assemble_context(
    hits: Sequence[Passage],
    max_tokens: int,
    count_tokens: CountTokens,
    days: Mapping[str, str] | None = None,
) -> str:
    """Return as many hits as fit into the budget, in their order, formatted by `blocks`.

    The first hit that does not fit is cut after its last sentence that does, and ends the
    context. ``days`` are dates of documents by document id.
    """
    locations: dict[tuple[str, str], str] = {}
    lines: list[tuple[str, str]] = []
    for hit in hits:
        location = locations.setdefault(
            (hit.document_id, hit.section), _location(hit, len(locations) + 1, days or {})
        )
        ends = [end for _, end in sentences(hit.text)]
        for end in (len(hit.text), *reversed(ends[:-1])):
            line = (location, hit.text[:end])
            if count_tokens(blocks([*lines, line])) <= max_tokens:
                lines.append(line)
                break
        else:
            break
        if end < len(hit.text):
            break
    return blocks(lines)


def _location(hit: Passage, number: int, days: Mapping[str, str]) -> str:
    heading = hit.heading_path[-1] if hit.heading_path else ""
    page = hit.page_name()
    title = hit.title or hit.document
    day = days.get(hit.document_id, "")
    return f"{number}: {location_of(title, hit.section, heading, page, day)}"


def with_neighbours(
    hits: Iterable[Passage], neighbours: Callable[[str], list[Passage]]
) -> list[Passage]:
    """Return each hit with its neighbours in text order, every character of a text once."""
    widened: list[Passage] = []
    used_spans: dict[str, list[tuple[int, int]]] = {}
    for hit in hits:
        for chunk in sorted([*neighbours(hit.chunk_id), hit], key=lambda chunk: chunk.start):
            spans = used_spans.setdefault(chunk.text_id, [])
            if (unused := _outside(chunk, spans)) is not None:
                spans.append((unused.start, unused.end))
                widened.append(unused)
    return widened


def _outside(chunk: Passage, spans: Sequence[tuple[int, int]]) -> Passage | None:
    """Return the (longer) stretch of a chunk outside the spans, or None if they cover it."""
    start, end = chunk.start, chunk.end
    for first, last in sorted(spans):
        if first <= start < last:
            start = last
        elif start < first < end and first - start >= end - last:
            end = first
        elif start < first < end:
            start = last
    if start >= end:
        return None
    if (start, end) == (chunk.start, chunk.end):
        return chunk
    text = chunk.text[start - chunk.start : end - chunk.start]
    return chunk.model_copy(update={"text": text, "start": start, "end": end})
