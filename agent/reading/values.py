"""Values of a reading that are kept in checkpoints. The path of this module is frozen."""

from typing import Literal

from services.domain import DocumentSpan, Language, Value

How = Literal["search", "whole", "reference", "named by", "change", "beside"]


class ReadSpan(Value):
    """A section, or a part of it, that a model was shown, and how it was come by."""

    document: str
    section: str
    start: int
    end: int
    tokens: int
    how: How = "search"


class Replaced(Value):
    """A section of a document; ``by`` is a later one that has the same title but for numbers."""

    document: str
    section: str
    by: str


class Quote(DocumentSpan):
    """Words of a document; ``section`` is the index of their section among those that were read."""

    section: int
    text: str


class Way(Value):
    """How a section came to be read: found by a search, or led to by another section.

    ``source`` names that section, of that ``document`` and label; ``text`` are its words, where it
    refers to this one; ``depth`` counts the references from what a search found.
    """

    how: How = "search"
    depth: int = 0
    source: str = ""
    document: str = ""
    label: str = ""
    text: str = ""


class Cut(DocumentSpan):
    """A section, and which of its text is read.

    ``place`` names document, headings, page and day. ``pieces`` are the spans of the document's
    text that are shown, in order; between two of them something is left out.
    """

    document: str
    text_id: str
    label: str
    heading_path: tuple[str, ...]
    language: Language
    place: str
    pieces: tuple[tuple[int, int], ...]
    way: Way = Way()

    @property
    def key(self) -> tuple[str, int]:
        """The same for all ways to cut the same section."""
        return self.text_id, self.start

    @property
    def is_cut(self) -> bool:
        """Whether something of the section is left out."""
        return self.pieces != ((self.start, self.end),)

    @property
    def headings(self) -> str:
        """What stands above the text: the place, and the headings from the outermost on."""
        return "\n".join((self.place, *self.heading_path))

    def shows(self, start: int, end: int) -> bool:
        """Whether a span of the document's text, or a part of it, is shown."""
        return any(first < end and start < last for first, last in self.pieces)
