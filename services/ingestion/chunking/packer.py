"""Packing the pieces of a region into chunks that the embedder can take."""

from collections.abc import Iterator, Sequence
from typing import Final

from services.errors import InvalidInput
from services.ingestion.chunking.budget import TokenBudget
from services.ingestion.chunking.pieces import Span, clause_parts, halves, sentence_parts
from services.ingestion.chunking.regions import Region

SCRAP: Final = 0.2
"""Share of the wanted size below which a chunk is too little to stand alone."""


class Packer:
    """What every strategy works with: a region of the text, its wanted size, its token limit.

    Args:
        text: the whole text; spans count in it.
        region: the stretch to cut.
        prefix: what the embedder reads before every chunk of the region.
        budget: the embedder's limit.
        size: wanted length of a chunk in characters.
    """

    def __init__(
        self, text: str, region: Region, prefix: str, budget: TokenBudget, size: int
    ) -> None:
        self.text = text
        self.region = region
        self.size = size
        self._prefix = prefix
        self._budget = budget

    @property
    def span(self) -> Span:
        return self.region.start, self.region.end

    def fits(self, span: Span) -> bool:
        """Whether the embedder can take the span with its heading prefix."""
        return self._budget.fits(self._prefix + self.text[slice(*span)])

    def pack(self, pieces: Sequence[Span], *, spill: float = 1.0) -> Iterator[Span]:
        """Chunks of whole pieces, up to the wanted size where the pieces allow it.

        A heading, or another scrap, is never left alone, whatever follows it. A chunk that the
        embedder cannot take is cut further.

        Args:
            pieces: spans in order that hold everything of the region, or of a part of it.
            spill: how many times the wanted size the last chunk may take to leave no rest.
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
        """One chunk of the pieces if the embedder can take it, else several."""
        span = (pieces[0][0], pieces[-1][1])
        if self.fits(span):
            yield span
        elif len(pieces) == 1:
            yield from self.fitted(self._finer(span))
        else:
            for half in self._halves(pieces):
                yield from self.fitted(half)

    def _halves(self, pieces: Sequence[Span]) -> tuple[Sequence[Span], Sequence[Span]]:
        """The pieces in two, near the middle.

        Where that would leave a scrap alone, such as a heading before a long paragraph, the
        longest piece is cut first.
        """
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
        """Join the pieces of the heading with the first one that follows it."""
        heading = sum(piece[1] <= self.region.heading_end for piece in pieces)
        if not heading or len(pieces) == heading:
            return list(pieces)
        return [(pieces[0][0], pieces[heading][1]), *pieces[heading + 1 :]]

    def _finer(self, span: Span) -> list[Span]:
        """Cut a piece: at sentences, else at the items of a list, else near the middle."""
        for parts in (sentence_parts, clause_parts, halves):
            pieces = self._with_heading(parts(self.text, span))
            if len(pieces) > 1:
                return pieces
        pieces = halves(self.text, span)
        if len(pieces) > 1:
            return pieces
        raise no_room()


def no_room() -> InvalidInput:
    """What is wrong when not even one character fits beside the headings."""
    return InvalidInput(
        "The token limit of the embedder leaves no room beside the headings; "
        "use an embedding model that takes longer texts."
    )


def _middle(pieces: Sequence[Span]) -> int:
    """Number of pieces in the first half, by length; at least one and not all."""
    centre = (pieces[0][0] + pieces[-1][1]) / 2
    before = sum(piece[1] <= centre for piece in pieces)
    return min(max(before, 1), len(pieces) - 1)
