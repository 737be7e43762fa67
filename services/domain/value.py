"""The base of all values, and where in a document something stands."""

from typing import Final, TypedDict

from pydantic import BaseModel, ConfigDict, Field

Language = str
"""ISO 639-1 code, e.g. ``de`` or ``en``."""

Span = tuple[int, int]
"""First character and end, exclusive."""

BETWEEN_CELLS: Final = " | "
"""What the text of a document has between the cells of a table's row."""


class Value(BaseModel):
    """Immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


PAGE: Final = "p. {page}"
LABELLED_PAGE: Final = "p. {label} (page {page} of {count})"


class PageFields(TypedDict):
    """The fields of a location that say on which page it is."""

    page: int | None
    page_label: str
    page_count: int


class Location(Value):
    """Where people find something.

    ``document`` is the file name, ``section`` the section's label, ``page`` counts from 1 and is
    None in a format without pages. Where the document prints another label on the page (``iv``),
    ``page_label`` is that and ``page_count`` the number of pages; else both are left out.
    """

    document: str
    section: str
    page: int | None
    page_label: str = Field("", exclude_if=lambda label: not label)
    page_count: int = Field(0, exclude_if=lambda count: not count)

    def page_name(self, plain: str = PAGE, labelled: str = LABELLED_PAGE) -> str:
        """Return the page as readers name it; "" in a format without pages."""
        return page_name(self.page, self.page_label, self.page_count, plain, labelled)


def page_name(
    page: int | None,
    label: str = "",
    count: int = 0,
    plain: str = PAGE,
    labelled: str = LABELLED_PAGE,
) -> str:
    """Return ``p. 6``, or ``p. iv (page 6 of 212)`` for a page with another label than its index.

    ``plain`` names ``{page}``; ``labelled`` also ``{label}`` and ``{count}``.
    """
    if page is None:
        return ""
    return (labelled if label else plain).format(page=page, label=label, count=count)


def page_number(page: int | None, label: str = "") -> str:
    """Return ``6``, or ``iv (6)``, as a table names a page."""
    if page is None:
        return ""
    return f"{label} ({page})" if label else str(page)


class DocumentSpan(Value):
    """Characters of a document's text; ``end`` is exclusive."""

    document_id: str
    start: int
    end: int

    def overlaps(self, other: "DocumentSpan") -> bool:
        same = self.document_id == other.document_id
        return same and self.start < other.end and other.start < self.end

    def contains(self, other: "DocumentSpan") -> bool:
        same = self.document_id == other.document_id
        return same and self.start <= other.start and other.end <= self.end
