"""The chunks of one document in memory, and the passages that they are to readers."""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any, NamedTuple

from sqlalchemy import Row

from services.catalog.texts import TitledText
from services.domain import Passage
from services.domain.passages import page_fields


class Cut(NamedTuple):
    """A document as one chunking of a scope cuts its current text."""

    document_id: str
    text_id: str
    chunking: str
    document: str


class DocumentChunks:
    """The chunks of a document, read once; their passages are made when they are asked for."""

    def __init__(self, cut: Cut, rows: Sequence[Row[Any]], text: TitledText) -> None:
        self._cut, self._rows, self._text = cut, rows, text
        self._places = [(row.section, row.start, row.end) for row in rows]

    def of_section(self, label: str) -> list[Passage]:
        """Return the chunks with exactly this section label, in text order."""
        return self._passages(section == label for section, _, _ in self._places)

    def between(self, start: int, end: float) -> list[Passage]:
        """Return the chunks that touch a span of the text, in text order."""
        return self._passages(last > start and first < end for _, first, last in self._places)

    def _passages(self, selected: Iterable[bool]) -> list[Passage]:
        name, document_id = self._cut.document, self._cut.document_id
        rows = compress(self._rows, selected)
        return [passage_of(row, name, document_id, self._text) for row in rows]


def passage_of(row: Row[Any], document: str, document_id: str, text: TitledText) -> Passage:
    """Return a stored chunk of a document as a passage."""
    return Passage(
        chunk_id=row.chunk_id,
        document_id=document_id,
        text_id=row.text_id,
        document=document,
        title=text.title,
        section=row.section,
        heading_path=tuple(row.heading_path),
        start=row.start,
        end=row.end,
        text=text.text[row.start : row.end],
        **page_fields(row.page, text.page_labels),
    )
