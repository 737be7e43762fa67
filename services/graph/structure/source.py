"""A text as the readers of its structure see it, and the windows in which they look."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Self

from services.domain import Language, ParsedDocument, SectionSpan

WINDOW: Final = 4_000
"""Most characters in which words count as standing together; longer sections are cut."""
PASSAGE: Final = 1_500
"""Most characters that a model reads at once: a small one keeps that apart."""
_SHORTEST: Final = 40
_TELLS: Final = 80
"""Characters of a passage below which nothing is related: headings."""


class Source(NamedTuple):
    """A parsed text with the id that the catalog gave it."""

    text_id: str
    title: str
    text: str
    language: Language
    sections: Sequence[SectionSpan] = ()

    @classmethod
    def of(cls, text_id: str, parsed: ParsedDocument) -> Self:
        """A document as the catalog gives it."""
        return cls(text_id, parsed.title, parsed.text, parsed.language, parsed.sections)

    @property
    def document_node(self) -> str:
        """Id of the node that stands for the whole text."""
        return f"document:{self.text_id}"

    def section_node(self, n: int) -> str:
        """Id of the node of the ``n``-th section."""
        return f"section:{self.text_id}:{n}"


class Window(NamedTuple):
    """A piece of the text that belongs to one section, or to the document outside of them."""

    owner: str
    start: int
    end: int


def windows(source: Source, size: int = WINDOW) -> Iterator[Window]:
    """The text from start to end: sections, what lies outside of them, the long ones in pieces.

    Args:
        source: a text.
        size: most characters of a piece.
    """
    found, reached = [], 0
    for n, section in enumerate(source.sections):
        if section.start - reached > _SHORTEST:
            found.append(Window(source.document_node, reached, section.start))
        found.append(Window(source.section_node(n), section.start, section.end))
        reached = max(reached, section.end)
    if len(source.text) - reached > (_SHORTEST if reached else 0):
        found.append(Window(source.document_node, reached, len(source.text)))
    return (piece for window in found for piece in _pieces(source.text, size, window))


def passages(source: Source) -> Iterator[Window]:
    """What a model is given of a text, piece by piece.

    The pieces of a section depend on its own text alone, so that they stay the same where others
    change.
    """
    return (each for each in windows(source, PASSAGE) if each.end - each.start >= _TELLS)


def _pieces(text: str, size: int, window: Window) -> Iterator[Window]:
    """Cut at the last end of a paragraph, line or word before the limit."""
    start = window.start
    while window.end - start > size:
        limit = start + size
        borders = (text.rfind(mark, start + size // 2, limit) for mark in ("\n\n", "\n", " "))
        border = next((found for found in borders if found > 0), limit)
        yield Window(window.owner, start, border)
        start = border
    if start < window.end:
        yield Window(window.owner, start, window.end)
