"""Pack stretches of a text into chunks that the embedder can take.

Spans are offsets into the whole text, and their pieces cover all but white space.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from services.domain.errors import InvalidInput
from services.domain.value import Span
from services.retrieval.embedders import Embedder

SCRAP: Final = 0.2
"""Share of the wanted size below which a chunk is too little to stand alone."""
_BREAKS: Final = tuple(map(re.compile, (r"\n+", r"(?<=[;:|])\s+", r"(?<=,)\s+", r"\s+")))
"""Places for a cut inside a sentence, the best first."""
_MARGIN: Final = 0.25  # share of a text at either end where a cut is not wanted


def trimmed(text: str, start: int, end: int) -> Span:
    stretch = text[start:end]
    return start + len(stretch) - len(stretch.lstrip()), start + len(stretch.rstrip())


def paragraphs(text: str, span: Span) -> list[Span]:
    blank_lines = re.finditer(r"\n[ \t]*\n", text[slice(*span)])
    return _cut(text, span, (match.end() for match in blank_lines))


def sentence_parts(text: str, span: Span) -> list[Span]:
    """Return the sentences; headings, list items and rows of tables count as such."""
    from services.language.text.sentences import sentences

    return _cut(text, span, (start for start, _ in sentences(text[slice(*span)])))


def clause_parts(text: str, span: Span) -> list[Span]:
    """Return the items of a list within a sentence, and the words before the list."""
    from services.language.text.sentences import clauses

    return _cut(text, span, (start - span[0] for start, _ in clauses(text, *span)))


def halves(text: str, span: Span) -> list[Span]:
    """Return two halves, cut at the best break near the middle; one for a single character."""
    return _cut(text, span, [_best_cut(text[slice(*span)])])


def _best_cut(stretch: str) -> int:
    """Return the offset of the best break away from the ends, else any break, else the middle."""
    margin = int(_MARGIN * len(stretch))
    for low, high in ((margin, len(stretch) - margin), (0, len(stretch))):
        for pattern in _BREAKS:
            offsets = [m.end() for m in pattern.finditer(stretch) if low < m.end() < high]
            if offsets:
                return min(offsets, key=lambda offset: abs(offset - len(stretch) // 2))
    return len(stretch) // 2


def _cut(text: str, span: Span, offsets: Iterable[int]) -> list[Span]:
    """Return the trimmed pieces of a span between offsets, without empty ones."""
    start, end = span
    inside = {start + offset for offset in offsets if 0 < offset < end - start}
    borders = pairwise(sorted({start, end} | inside))
    return [trimmed(text, *piece) for piece in borders if text[slice(*piece)].strip()]


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of text that shares one label. ``heading_end`` is ``start`` without a heading."""

    start: int
    end: int
    label: str
    path: tuple[str, ...]
    heading_end: int


@dataclass(frozen=True, slots=True)
class Packer:
    """A region, the wanted ``size`` in characters, the ``prefix`` embedded with each chunk."""

    text: str
    region: Region
    prefix: str
    embedder: Embedder
    size: int

    @property
    def span(self) -> Span:
        return self.region.start, self.region.end

    def fits(self, span: Span) -> bool:
        text = self.prefix + self.text[slice(*span)]
        return self.embedder.count_tokens(text) <= self.embedder.max_tokens

    def pack(self, pieces: Sequence[Span], *, spill: float = 1.0) -> Iterator[Span]:
        """Yield chunks of whole pieces up to the wanted size; none is a scrap or a mere heading.

        The last chunk may take ``spill`` times the wanted size to leave no rest.
        """
        pieces = self._with_heading(pieces)
        current: list[Span] = []
        for number, piece in enumerate(pieces, start=1):
            limit = self.size * (spill if number == len(pieces) else 1)
            if current and self._is_enough(current) and piece[1] - current[0][0] > limit:
                yield from self.fitted(current)
                current = []
            current.append(piece)
        if current:
            yield from self.fitted(current)

    def fitted(self, pieces: Sequence[Span]) -> Iterator[Span]:
        """Yield one chunk of the pieces if the embedder can take it, else several."""
        span = (pieces[0][0], pieces[-1][1])
        if self.fits(span):
            yield span
        elif len(pieces) == 1:
            yield from self.fitted(self._finer(span))
        else:
            for half in self._halves(pieces):
                yield from self.fitted(half)

    def _halves(self, pieces: Sequence[Span]) -> tuple[Sequence[Span], Sequence[Span]]:
        """Split the pieces near the middle; where that leaves a scrap, cut the longest first."""
        middle = _middle(pieces)
        if not (self._is_enough(pieces[:middle]) and self._is_enough(pieces[middle:])):
            longest = max(range(len(pieces)), key=lambda n: pieces[n][1] - pieces[n][0])
            finer = self._finer(pieces[longest])
            pieces = [*pieces[:longest], *finer, *pieces[longest + 1 :]]
            middle = _middle(pieces)
        return pieces[:middle], pieces[middle:]

    def _is_enough(self, pieces: Sequence[Span]) -> bool:
        return pieces[-1][1] - pieces[0][0] >= SCRAP * self.size

    def _with_heading(self, pieces: Sequence[Span]) -> list[Span]:
        heading = sum(piece[1] <= self.region.heading_end for piece in pieces)
        if not heading or len(pieces) == heading:
            return list(pieces)
        return [(pieces[0][0], pieces[heading][1]), *pieces[heading + 1 :]]

    def _finer(self, span: Span) -> list[Span]:
        """Cut a piece: at sentences, else at the items of a list, else near the middle."""
        for split in (sentence_parts, clause_parts, halves):
            pieces = self._with_heading(split(self.text, span))
            if len(pieces) > 1:
                return pieces
        pieces = halves(self.text, span)
        if len(pieces) > 1:
            return pieces
        raise no_room()


def no_room() -> InvalidInput:
    return InvalidInput(
        "The headings alone reach the token limit of the embedding model; use an embedding model "
        "that accepts longer texts."
    )


def _middle(pieces: Sequence[Span]) -> int:
    """Return how many pieces are in the first half by length: at least one and not all."""
    centre = (pieces[0][0] + pieces[-1][1]) / 2
    before = sum(piece[1] <= centre for piece in pieces)
    return min(max(before, 1), len(pieces) - 1)
