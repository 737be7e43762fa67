"""Values of a reading that checkpoints hold. The path of this module is frozen."""

from typing import Literal

from services.domain import DocumentSpan, Language, Passage, Value

How = Literal["search", "whole", "reference", "named by", "change", "beside"]


class ReadSpan(Value):
    """A section, or an excerpt of it, that a model was shown, and why it was read."""

    document: str
    section: str
    start: int
    end: int
    tokens: int
    how: How = "search"


class Replaced(Value):
    """A section that a later document replaces or changes; ``by`` is the file name of that."""

    document: str
    section: str
    by: str


class Quote(DocumentSpan):
    """Words of a document; ``section`` is the index of their section among those that were read."""

    section: int
    text: str


class Provenance(Value):
    """Why a section was read: a search found it, or ``source`` led to it, which has this
    ``document`` and ``label``; ``text`` are the words of a reference between the two, ``depth``
    counts references from what a search found."""

    how: How = "search"
    depth: int = 0
    source: str = ""
    document: str = ""
    label: str = ""
    text: str = ""


class SectionExcerpt(DocumentSpan):
    """A section, and the spans (``pieces``) of the document's text that are shown of it, in order;
    ``place`` names document, headings, page and day, ``way`` says why it is read."""

    document: str
    text_id: str
    label: str
    heading_path: tuple[str, ...]
    language: Language
    place: str
    pieces: tuple[tuple[int, int], ...]
    way: Provenance = Provenance()

    @property
    def key(self) -> tuple[str, int]:
        """Identify the section, whichever of its text is read."""
        return self.text_id, self.start

    @property
    def is_cut(self) -> bool:
        """Return whether some of the section is left out."""
        return self.pieces != ((self.start, self.end),)

    @property
    def headings(self) -> str:
        """Return what stands above the text: the place, then the headings, outermost first."""
        return "\n".join((self.place, *self.heading_path))

    def shows_passage(self, passage: Passage) -> bool:
        """Return whether any of a passage is shown."""
        return self.text_id == passage.text_id and self.shows(passage.start, passage.end)

    def shows(self, start: int, end: int) -> bool:
        """Return whether any character of a span of the document's text is shown."""
        return any(first < end and start < last for first, last in self.pieces)

    def shows_all_of(self, passage: Passage) -> bool:
        """Return whether all of a passage is shown, as far as it lies in the section."""
        start, end = passage.start, min(passage.end, self.end)
        return self.text_id == passage.text_id and any(
            first <= start < last and end <= last for first, last in self.pieces
        )
