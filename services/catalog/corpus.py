"""Whole collections text by text, for what reads all of them."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from sqlalchemy import func, or_, select, union

from services.catalog.access import visible
from services.catalog.database import Database, Repository, one_of
from services.catalog.graph import built_parts, current_texts
from services.catalog.graph_models import GraphNodeRow, GraphPartRow
from services.catalog.metadata import meeting
from services.catalog.models import ChunkRow, ContentRow, MembershipRow, SectionRow, TextRow
from services.catalog.texts import sections_of
from services.domain import Language, Scope, SearchFilter
from services.graph.names import node_id

NAMING: Final = ("term", "abbreviation", "entity")
"""Kinds of nodes that a document names on purpose; any other noun is none."""


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


SCOPES = 64
"""Scopes whose languages are not read again while the catalog stays as it is."""


class Corpus(Repository):
    """The texts of a scope as they are now, for whoever reads all of them.

    What is pending, retired or outside the scope is not there.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.languages = database.cached(SCOPES, self._languages)

    def documents(self, scope: Scope, only: SearchFilter) -> list[CorpusDocument]:
        """The documents that the filter allows by file name, each once.

        Labels of the filter are left to whoever reads the texts.
        """
        text = TextRow
        query = (
            select(MembershipRow.content_id, MembershipRow.document, text.text_id)
            .add_columns(text.title, text.language, text.sections, text.pages)
            .join(ContentRow, ContentRow.content_id == MembershipRow.content_id)
            .join(TextRow)
            .where(meeting(only, scope))
            .order_by(MembershipRow.document, MembershipRow.content_id)
        )
        found: dict[str, CorpusDocument] = {}
        for row in self._database.rows(query):
            found.setdefault(row[0], CorpusDocument(*row))
        return list(found.values())

    def _languages(self, scope: Scope) -> tuple[Language, ...]:
        """The languages of the documents, that of most of them first."""
        query = (
            select(TextRow.language)
            .where(TextRow.text_id.in_(current_texts(scope)))
            .group_by(TextRow.language)
            .order_by(func.count().desc(), TextRow.language)
        )
        return tuple(self._database.scalars(query))

    def names(self, scope: Scope) -> dict[str, str]:
        """The file name of every document of the scope, by its id."""
        return {each.document_id: each.document for each in self.documents(scope, SearchFilter())}

    def known(self, phrases: Collection[str], scope: Scope) -> frozenset[str]:
        """Which phrases the documents define, abbreviate or name, or have in a heading.

        In small letters. One query, which reads no text and needs no graph; where there is one,
        its names count too.
        """
        wanted = {" ".join(phrase.casefold().split()) for phrase in phrases} - {""}
        if not wanted:
            return frozenset()
        # SQLite folds no umlauts, so those are asked for in small letters and with a capital.
        spelled = {*wanted, *(phrase[:1].upper() + phrase[1:] for phrase in wanted), *phrases} - {
            ""
        }
        ids = [node_id(kind, phrase) for phrase in wanted for kind in NAMING]
        parts = built_parts(scope).with_only_columns(GraphPartRow.part_id).order_by(None)
        named = select(GraphNodeRow.name.label("name")).where(
            GraphNodeRow.part_id.in_(parts), GraphNodeRow.node_id.in_(ids)
        )
        headed = select(SectionRow.title.label("name")).where(
            SectionRow.text_id.in_(current_texts(scope)),
            or_(*(SectionRow.title.icontains(each, autoescape=True) for each in spelled)),
        )
        names = [str(row[0]).casefold() for row in self._database.rows(union(named, headed))]
        return frozenset(
            phrase
            for phrase in wanted
            if any(re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", name) for name in names)
        )

    def sections(self, text_id: str) -> list[SectionLine]:
        """The sections in the order of the text."""
        query = sections_of(text_id).with_only_columns(
            SectionRow.label, SectionRow.title, SectionRow.start, SectionRow.end
        )
        return [SectionLine(*row) for row in self._database.rows(query)]

    def chunk_places(self, scope: Scope) -> list[ChunkPlace]:
        """Every chunk of the scope without its text, by text and place.

        Where collections of the scope cut a text in different ways, one of them counts.
        """
        cut = (
            select(ContentRow.text_id, func.min(MembershipRow.chunking).label("chunking"))
            .join(MembershipRow)
            .where(visible(scope))
            .group_by(ContentRow.text_id)
            .subquery()
        )
        query = (
            select(ChunkRow.text_id, ChunkRow.chunk_id, ChunkRow.start, ChunkRow.end)
            .join(cut, (cut.c.text_id == ChunkRow.text_id) & (cut.c.chunking == ChunkRow.chunking))
            .order_by(ChunkRow.text_id, ChunkRow.n)
        )
        return [ChunkPlace(*row) for row in self._database.rows(query)]

    def labelled(self, text_ids: Iterable[str], beginning: str) -> list[tuple[str, str]]:
        """Text and label of every section of these texts whose label begins so.

        Sections that have their label from the one before count as one with it.
        """
        before = func.lag(SectionRow.label, 1, "").over(
            partition_by=SectionRow.text_id, order_by=SectionRow.n
        )
        lines = select(SectionRow.text_id, SectionRow.label, before.label("before"))
        with self._database.read() as session:
            found = lines.where(one_of(session, SectionRow.text_id, text_ids)).subquery()
            query = select(found.c.text_id, found.c.label).where(
                found.c.label.startswith(beginning, autoescape=True),
                found.c.label != found.c.before,
            )
            return [(row.text_id, row.label) for row in session.execute(query)]
