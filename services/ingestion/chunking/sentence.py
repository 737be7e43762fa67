"""By sentences: whole sentences up to the wanted size, wherever paragraphs end."""

from collections.abc import Iterator

from services.ingestion.chunking.packer import Packer
from services.ingestion.chunking.pieces import Span, sentence_parts


def cut(packer: Packer) -> Iterator[Span]:
    """The chunks of a region: none is longer than the wanted size, unless a sentence is."""
    return packer.pack(sentence_parts(packer.text, packer.span))
