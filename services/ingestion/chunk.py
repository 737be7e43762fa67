"""Cutting a parsed document into chunks: whole paragraphs of one section, up to a size."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from services.errors import InvalidInput
from services.ingestion.budget import TokenBudget
from services.ingestion.pieces import Span, clause_parts, halves, paragraphs, sentence_parts
from services.types import ChunkSpan, ParsedDocument, SectionSpan

_LONGEST_PREFIX: Final = 320
"""Characters of a heading prefix: about 80 tokens of the embedder's 512."""
_LONGEST_NAME: Final = 140
_TOLERANCE: Final = 1.25
"""How much longer than its target a chunk may be to keep a paragraph or a section whole."""
_SCRAP: Final = 0.2
"""Share of the target below which a chunk is too little to stand alone."""
_JOINER: Final = " › "


@dataclass(frozen=True, slots=True)
class _Region:
    """A stretch of text that shares one label: a section, or the text before the first."""

    start: int
    end: int
    label: str
    path: tuple[str, ...]


def heading_prefix(heading_path: Sequence[str], title: str) -> str:
    """What the embedder reads before a chunk: the document's title and the headings above.

    At most `_LONGEST_PREFIX` characters and a newline: the title and the innermost heading
    stay, outer headings give way first. Empty if there is neither title nor heading.
    """
    inner = [_shorten(name) for name in heading_path[-1:]]
    named = [_shorten(title)] if title else []
    left = _LONGEST_PREFIX - sum(len(name) + len(_JOINER) for name in [*named, *inner])
    outer: list[str] = []
    for name in reversed(heading_path[:-1]):
        left -= len(_shorten(name)) + len(_JOINER)
        if left < 0:
            break
        outer.insert(0, _shorten(name))
    names = [*named, *outer, *inner]
    return _JOINER.join(names) + "\n" if names else ""


def chunk_paragraphs(
    parsed: ParsedDocument,
    *,
    count_tokens: Callable[[str], int],
    max_tokens: int = 512,
    target_chars: int = 1000,
) -> list[ChunkSpan]:
    """Cut a document into chunks in its order.

    Paragraphs are packed up to about ``target_chars``; longer ones are split at the ends of
    sentences, and a sentence beyond ``max_tokens`` at list items, commas or words. Every
    character outside headings that is not white space lies in exactly one chunk, and no chunk
    crosses the border of a section. The first chunk of a section starts with its heading; a
    heading that only introduces its subsections gives no chunk.

    Args:
        parsed: the document.
        count_tokens: counts as the embedder does; no token may stand for less than a byte.
        max_tokens: limit for `heading_prefix` plus chunk.
        target_chars: wanted length of a chunk in characters.

    Raises:
        InvalidInput: ``max_tokens`` leaves no room beside the heading prefix.
    """
    chunks: list[ChunkSpan] = []
    budget = TokenBudget(count_tokens, max_tokens)
    for region in _regions(parsed):
        prefix = heading_prefix(region.path, parsed.title)
        for start, end in _Packer(parsed.text, region, prefix, budget, target_chars).chunks():
            chunks.append(
                ChunkSpan(
                    start=start,
                    end=end,
                    section=region.label,
                    heading_path=region.path,
                    page=_page(parsed.pages, start),
                    page_end=_page(parsed.pages, end - 1),
                )
            )
    return chunks


class _Packer:
    """Packs the paragraphs of a region."""

    def __init__(
        self, text: str, region: _Region, prefix: str, budget: TokenBudget, target_chars: int
    ) -> None:
        self._text = text
        self._prefix = prefix
        self._budget = budget
        self._whole = int(_TOLERANCE * target_chars)
        self._target = target_chars
        self._blocks = paragraphs(text, (region.start, region.end))
        self._heading_end = self._end_of_heading(region)

    def _end_of_heading(self, region: _Region) -> int:
        """Where the heading ends that the region starts with, else where the region starts."""
        first = self._blocks[0]
        headed = region.path and _letters(self._text[slice(*first)]) == _letters(region.path[-1])
        return first[1] if headed else region.start

    def chunks(self) -> Iterator[Span]:
        pieces = self._pieces()
        current: list[Span] = []
        for piece in pieces:
            limit = self._whole if piece is pieces[-1] else self._target
            if current and self._is_enough(current) and piece[1] - current[0][0] > limit:
                yield from self._fitted(current)
                current = []
            current.append(piece)
        yield from self._fitted(current)

    def _is_enough(self, pieces: Sequence[Span]) -> bool:
        """A heading with a line or two is not left alone, whatever follows."""
        return pieces[-1][1] - pieces[0][0] >= _SCRAP * self._target

    def _pieces(self) -> list[Span]:
        """Paragraphs, the long ones in sentences."""
        pieces: list[Span] = []
        for block in self._blocks:
            long = block[1] - block[0] > self._whole
            pieces.extend(sentence_parts(self._text, block) if long else [block])
        return self._with_heading(pieces)

    def _with_heading(self, pieces: list[Span]) -> list[Span]:
        """Keep the heading together with what follows it."""
        if len(pieces) > 1 and pieces[0][1] <= self._heading_end:
            return [(pieces[0][0], pieces[1][1]), *pieces[2:]]
        return pieces

    def _fitted(self, pieces: list[Span]) -> Iterator[Span]:
        """One chunk of the pieces if the embedder can take it, else several."""
        span = (pieces[0][0], pieces[-1][1])
        if self._budget.fits(self._prefix + self._text[slice(*span)]):
            yield span
        elif len(pieces) == 1:
            yield from self._fitted(self._finer(span))
        else:
            middle = _middle(pieces)
            yield from self._fitted(pieces[:middle])
            yield from self._fitted(pieces[middle:])

    def _finer(self, span: Span) -> list[Span]:
        """Cut a piece: at sentences, else at the items of a list, else near the middle."""
        for parts in (sentence_parts, clause_parts, halves):
            pieces = self._with_heading(parts(self._text, span))
            if len(pieces) > 1:
                return pieces
        pieces = halves(self._text, span)
        if len(pieces) > 1:
            return pieces
        raise InvalidInput(
            "The token limit of the embedder leaves no room beside the headings; "
            "use an embedding model that takes longer texts."
        )


def _regions(parsed: ParsedDocument) -> Iterator[_Region]:
    sections = parsed.sections
    first = sections[0].start if sections else len(parsed.text)
    if parsed.text[:first].strip():
        yield _Region(0, first, "", ())
    for number, section in enumerate(sections):
        below = sections[number + 1] if number + 1 < len(sections) else None
        blank = not parsed.text[section.start : section.end].strip()
        if not blank and not _only_introduces(parsed.text, section, below):
            yield _Region(section.start, section.end, section.label, section.heading_path)


def _only_introduces(text: str, section: SectionSpan, below: SectionSpan | None) -> bool:
    """Whether a section is nothing but the heading of the subsections that follow it."""
    if below is None or below.level <= section.level:
        return False
    return _letters(text[section.start : section.end]) == _letters(section.title)


def _middle(pieces: Sequence[Span]) -> int:
    """Number of pieces in the first half, by length; at least one and not all."""
    centre = (pieces[0][0] + pieces[-1][1]) / 2
    before = sum(piece[1] <= centre for piece in pieces)
    return min(max(before, 1), len(pieces) - 1)


def _letters(text: str) -> str:
    """What is the same in a heading as written, underlined or marked up, and as its title."""
    return re.sub(r"[\W_]+", "", text)


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "…"


def _page(pages: Sequence[int], offset: int) -> int | None:
    return bisect_right(pages, offset) if pages else None
