"""The texts of a scope as they are now, for whoever reads all of them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import func, select

from services.catalog.access import visible
from services.catalog.database import Database, one_of
from services.catalog.filters import meeting
from services.catalog.models import ChunkRow, ContentRow, MembershipRow, SectionRow, TextRow
from services.catalog.text_cache import TextCache
from services.types import Scope, SearchFilter


class CorpusDocument(NamedTuple):
    """A document that a request sees; ``sections`` is the number of them."""

    document_id: str
    document: str
    text_id: str
    title: str
    language: str
    sections: int
    pages: Sequence[int]


class SectionLine(NamedTuple):
    """A section's place in its text."""

    label: str
    title: str
    start: int
    end: int


class ChunkPlace(NamedTuple):
    """Where a chunk lies; ``end`` is exclusive."""

    text_id: str
    chunk_id: str
    start: int
    end: int


class Corpus:
    """Current texts alone: what is pending, retired or outside the scope is not there."""

    def __init__(self, database: Database, texts: TextCache) -> None:
        self._database = database
        self._texts = texts

    def documents(self, scope: Scope, only: SearchFilter) -> list[CorpusDocument]:
        """The documents that the filter allows by file name, each once.

        Labels of the filter are left to whoever reads the texts.
        """
        query = (
            select(
                MembershipRow.content_id,
                MembershipRow.document,
                TextRow.text_id,
                TextRow.title,
                TextRow.language,
                TextRow.sections,
                TextRow.pages,
            )
            .join(ContentRow, ContentRow.content_id == MembershipRow.content_id)
            .join(TextRow, TextRow.text_id == ContentRow.text_id)
            .where(meeting(only, scope))
            .order_by(MembershipRow.document, MembershipRow.content_id)
        )
        with self._database.read() as session:
            found = [CorpusDocument(*row) for row in session.execute(query)]
        return list({each.document_id: each for each in reversed(found)}.values())[::-1]

    def names(self, scope: Scope) -> dict[str, str]:
        """The file name of every document of the scope, by its id."""
        return {each.document_id: each.document for each in self.documents(scope, SearchFilter())}

    def text(self, text_id: str) -> str:
        with self._database.read() as session:
            return self._texts.get(session, [text_id])[text_id].text

    def sections(self, text_id: str) -> list[SectionLine]:
        """The sections in the order of the text."""
        query = (
            select(SectionRow.label, SectionRow.title, SectionRow.start, SectionRow.end)
            .where(SectionRow.text_id == text_id)
            .order_by(SectionRow.n)
        )
        with self._database.read() as session:
            return [SectionLine(*row) for row in session.execute(query)]

    def chunk_places(self, scope: Scope) -> list[ChunkPlace]:
        """Every chunk of the scope without its text, by text and place.

        Where collections of the scope cut a text in different ways, one of them counts.
        """
        cut = (
            select(ContentRow.text_id, func.min(MembershipRow.chunking).label("chunking"))
            .join(MembershipRow, MembershipRow.content_id == ContentRow.content_id)
            .where(visible(scope))
            .group_by(ContentRow.text_id)
            .subquery()
        )
        query = (
            select(ChunkRow.text_id, ChunkRow.chunk_id, ChunkRow.start, ChunkRow.end)
            .join(cut, (cut.c.text_id == ChunkRow.text_id) & (cut.c.chunking == ChunkRow.chunking))
            .order_by(ChunkRow.text_id, ChunkRow.n)
        )
        with self._database.read() as session:
            return [ChunkPlace(*row) for row in session.execute(query)]

    def labelled(self, text_ids: Iterable[str], beginning: str) -> list[tuple[str, str]]:
        """Text and label of every section of these texts whose label begins so.

        Sections that have their label from the one before count as one with it.
        """
        with self._database.read() as session:
            before = func.lag(SectionRow.label, 1, "").over(
                partition_by=SectionRow.text_id, order_by=SectionRow.n
            )
            lines = (
                select(SectionRow.text_id, SectionRow.label, before.label("before"))
                .where(one_of(session, SectionRow.text_id, text_ids))
                .subquery()
            )
            query = select(lines.c.text_id, lines.c.label).where(
                lines.c.label.startswith(beginning, autoescape=True),
                lines.c.label != lines.c.before,
            )
            return [(row.text_id, row.label) for row in session.execute(query)]
