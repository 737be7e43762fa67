"""The base of all values, and where in a document something stands."""

from pydantic import BaseModel, ConfigDict

Language = str
"""ISO 639-1 code, e.g. ``de`` or ``en``."""

Span = tuple[int, int]
"""First character and end, exclusive."""


class Value(BaseModel):
    """Immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Location(Value):
    """Where people find something.

    ``document`` is the file name, ``section`` the section's label, ``page`` counts from 1 and is
    None in a format without pages.
    """

    document: str
    section: str
    page: int | None


class DocumentSpan(Value):
    """Characters of a document's text; ``end`` is exclusive."""

    document_id: str
    start: int
    end: int

    def overlaps(self, other: "DocumentSpan") -> bool:
        """Return whether both share characters of a document."""
        same = self.document_id == other.document_id
        return same and self.start < other.end and other.start < self.end

    def contains(self, other: "DocumentSpan") -> bool:
        """Return whether the other one lies within this one."""
        same = self.document_id == other.document_id
        return same and self.start <= other.start and other.end <= self.end
