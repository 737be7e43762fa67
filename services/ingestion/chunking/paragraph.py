"""By paragraphs: whole paragraphs up to the wanted size, overlong ones in sentences."""

from collections.abc import Iterator
from typing import Final

from services.ingestion.chunking.packer import Packer
from services.ingestion.chunking.pieces import Span, paragraphs, sentence_parts
from services.types import ParsedDocument

LONG: Final = 1.5
"""Times the wanted size beyond which a paragraph is cut at the ends of its sentences."""
SPILL: Final = 1.25
"""Times the wanted size that the last chunk of a section may take to leave no rest."""
_MASSIVE: Final = 10
"""Times the wanted size from which a text without paragraphs counts as very large."""
_FEW: Final = 3


def cut(packer: Packer) -> Iterator[Span]:
    """The chunks of a region."""
    return pack_paragraphs(packer, packer.span)


def pack_paragraphs(packer: Packer, span: Span) -> Iterator[Span]:
    """The chunks of a part of a region that begins and ends with a paragraph."""
    pieces: list[Span] = []
    for block in paragraphs(packer.text, span):
        long = block[1] - block[0] > LONG * packer.size
        pieces.extend(sentence_parts(packer.text, block) if long else [block])
    return packer.pack(pieces, spill=SPILL)


def has_no_paragraphs(parsed: ParsedDocument, size: int) -> bool:
    """Whether a document is very large and has fewer than three paragraphs."""
    if len(parsed.text) <= _MASSIVE * size:
        return False
    return len(paragraphs(parsed.text, (0, len(parsed.text)))) < _FEW
