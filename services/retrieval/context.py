"""Passages for a language model: widened by their neighbours, and fitted into a token budget."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import shorten
from typing import Final

from services.domain import Passage
from services.language.text import sentences

CountTokens = Callable[[str], int]
LONGEST_TITLE = 80
PLACE: Final = re.compile(r"=== (.{1,300}?) ===")
"""A line of `place_line`, its place as the first group."""


def place_line(place: str) -> str:
    """What stands above the texts of a place."""
    return f"=== {place} ==="


def blocks(lines: Iterable[tuple[str, str]]) -> str:
    """Texts as every prompt shows them: under the place where they stand, each place once.

    ``=== Strahlenschutzgesetz, § 78 Grenzwerte, p. 71, 2017-06-27 ===``, then the texts, a line
    each; places in the order of their first text.
    """
    grouped: dict[str, list[str]] = {}
    for place, text in lines:
        grouped.setdefault(place, []).append(text)
    return "\n".join("\n".join((place_line(place), *own)) for place, own in grouped.items())


def place_of(title: str, section: str, heading: str, page: str, day: str) -> str:
    """Title, section with its heading, page and day of a passage, as far as there are any."""
    named = heading if heading.startswith(section) else f"{section} {heading}".strip()
    shown = shorten(title, LONGEST_TITLE, placeholder="…"), "" if named == title else named
    return ", ".join(part for part in (*shown, page, day) if part)


def assemble_context(
    hits: Sequence[Passage],
    max_tokens: int,
    count_tokens: CountTokens,
    days: Mapping[str, str] | None = None,
) -> str:
    """The hits in their order, as many as fit into the budget, as ``blocks``.

    Passages go in whole. The first that does not fit is cut after its last sentence that does,
    and ends the context; nothing of a worse passage takes its place. ``days`` are those of
    documents, by id.
    """
    places: dict[tuple[str, str], str] = {}
    lines: list[tuple[str, str]] = []
    for hit in hits:
        place = places.setdefault(
            (hit.document_id, hit.section), _place(hit, len(places) + 1, days or {})
        )
        ends = [end for _, end in sentences(hit.text)]
        for end in (len(hit.text), *reversed(ends[:-1])):
            line = (place, hit.text[:end])
            if count_tokens(blocks([*lines, line])) <= max_tokens:
                lines.append(line)
                break
        else:
            break
        if end < len(hit.text):
            break
    return blocks(lines)


def _place(hit: Passage, number: int, days: Mapping[str, str]) -> str:
    """``1: Strahlenschutzgesetz, § 78 Grenzwerte, p. 71, 2017-06-27``."""
    heading = hit.heading_path[-1] if hit.heading_path else ""
    page = "" if hit.page is None else f"p. {hit.page}"
    title = hit.title or hit.document
    return f"{number}: {place_of(title, hit.section, heading, page, days.get(hit.document_id, ''))}"


def with_neighbours(
    hits: Iterable[Passage], beside: Callable[[str], list[Passage]]
) -> list[Passage]:
    """Each hit among the chunks beside it, in text order; every character of a text once.

    Args:
        beside: the neighbours of a chunk id without itself, in text order, such as
            ``catalog.chunks.neighbours`` with its scope filled in.
    """
    widened: list[Passage] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for hit in hits:
        group = sorted([*beside(hit.chunk_id), hit], key=lambda chunk: chunk.start)
        for chunk in group:
            spans = taken.setdefault(chunk.text_id, [])
            if (rest := _outside(chunk, spans)) is not None:
                spans.append((rest.start, rest.end))
                widened.append(rest)
    return widened


def _outside(chunk: Passage, spans: Sequence[tuple[int, int]]) -> Passage | None:
    """What of a chunk lies outside the spans, None when nothing does.

    Where a span lies in the middle of the chunk, the longer part beside it.
    """
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
