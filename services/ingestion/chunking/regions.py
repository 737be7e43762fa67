"""Stretches of a document that no chunk crosses: its sections, and the text before the first."""

from collections.abc import Iterator
from dataclasses import dataclass

from services.ingestion.chunking.pieces import paragraphs
from services.ingestion.extraction import label_ahead, letters
from services.types import ParsedDocument, SectionSpan


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of text that shares one label. ``heading_end`` is ``start`` without a heading."""

    start: int
    end: int
    label: str
    path: tuple[str, ...]
    heading_end: int


def regions(parsed: ParsedDocument) -> Iterator[Region]:
    """The stretches that hold text, in order; headings that only introduce others are left out."""
    text, sections = parsed.text, parsed.sections
    first = sections[0].start if sections else 0
    ahead = _trimmed(text, 0, first if sections else len(text))
    if text[slice(*ahead)]:
        yield Region(*ahead, label_ahead(parsed.title, text, first, parsed.pages), (), 0)
    for number, section in enumerate(sections):
        below = sections[number + 1] if number + 1 < len(sections) else None
        if text[section.start : section.end].strip() and not _only_introduces(text, section, below):
            start, end = _trimmed(text, section.start, section.end)
            path = section.heading_path
            yield Region(start, end, section.label, path, _heading_end(text, start, end, path))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _heading_end(text: str, start: int, end: int, path: tuple[str, ...]) -> int:
    """Where the heading ends that the region starts with, else where the region starts."""
    wanted = letters(path[-1]) if path else ""
    if not wanted:
        return start
    first = next(iter(paragraphs(text, (start, end))))
    found, read, place = start, "", start
    for line in text[slice(*first)].splitlines(keepends=True):
        read += letters(line)
        if len(read) > len(wanted):
            break
        if read == wanted:
            found = place + len(line.rstrip("\n"))
        place += len(line)
    return found


def _only_introduces(text: str, section: SectionSpan, below: SectionSpan | None) -> bool:
    """Whether a section is nothing but the heading of the subsections that follow it."""
    if below is None or below.level <= section.level:
        return False
    return letters(text[section.start : section.end]) == letters(section.title)
