"""Documents, sections and chunks of whole collections, for readers of every text."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from sqlalchemy import func, or_, select, union

from services.catalog.access import visible
from services.catalog.database import Repository, cached, one_of
from services.catalog.graph import built_parts, current_texts
from services.catalog.graph_models import GraphNodeRow, GraphPartRow
from services.catalog.metadata import matching
from services.catalog.models import (
    ChunkRow,
    ContentRow,
    MembershipRow,
    PageLabelsRow,
    SectionRow,
    TextRow,
)
from services.catalog.texts import sections_of
from services.domain import Language, Scope, SearchFilter
from services.graph.values import node_id

NAMING: Final = ("term", "abbreviation", "entity")
"""Kinds of graph nodes that a document names on purpose, unlike other nouns."""


class CorpusDocument(NamedTuple):
    """A document that a request sees; ``sections`` is their number."""

    document_id: str
    document: str
    text_id: str
    title: str
    language: str
    sections: int
    pages: Sequence[int]
    page_labels: Sequence[str] | None = None


class SectionLine(NamedTuple):
    """A section and its span in the text."""

    label: str
    title: str
    start: int
    end: int


class ChunkPlace(NamedTuple):
    """A chunk and its span in the text; ``end`` is exclusive."""

    text_id: str
    chunk_id: str
    start: int
    end: int


class Corpus(Repository):
    """Reads the current texts of a scope. Pending and retired documents are absent."""

    def documents(self, scope: Scope, only: SearchFilter) -> list[CorpusDocument]:
        """Return the documents that the filter allows, except by section labels, by file name."""
        text = TextRow
        query = (
            select(MembershipRow.content_id, MembershipRow.document, text.text_id)
            .add_columns(text.title, text.language, text.sections, text.pages, PageLabelsRow.labels)
            .join(ContentRow, ContentRow.content_id == MembershipRow.content_id)
            .join(TextRow)
            .outerjoin(PageLabelsRow)
            .where(matching(only, scope))
            .order_by(MembershipRow.document, MembershipRow.content_id)
        )
        documents: dict[str, CorpusDocument] = {}
        for row in self._database.rows(query):
            documents.setdefault(row[0], CorpusDocument(*row))
        return list(documents.values())

    @cached()
    def languages(self, scope: Scope) -> tuple[Language, ...]:
        """Return the languages of the documents, the most frequent first."""
        query = (
            select(TextRow.language)
            .where(TextRow.text_id.in_(current_texts(scope)))
            .group_by(TextRow.language)
            .order_by(func.count().desc(), TextRow.language)
        )
        return tuple(self._database.scalars(query))

    def lengths(self, scope: Scope) -> dict[str, int]:
        """Return how many characters every text of the scope has, by its id."""
        query = select(TextRow.text_id, func.length(TextRow.text))
        return dict(self._database.rows(query.where(TextRow.text_id.in_(current_texts(scope)))))

    def names(self, scope: Scope) -> dict[str, str]:
        """Return the file name of every document of the scope, by its id."""
        documents = self.documents(scope, SearchFilter())
        return {document.document_id: document.document for document in documents}

    def named_phrases(self, phrases: Collection[str], scope: Scope) -> frozenset[str]:
        """Return the phrases, in lower case, that the documents name or have in a heading.

        One query, which reads no text; terms, abbreviations and entities of a graph count too.
        """
        folded = {" ".join(phrase.casefold().split()) for phrase in phrases} - {""}
        if not folded:
            return frozenset()
        # SQLite does not fold umlauts, so the query has both spellings of the first letter.
        spellings = {*folded, *(phrase[:1].upper() + phrase[1:] for phrase in folded), *phrases}
        ids = [node_id(kind, phrase) for phrase in folded for kind in NAMING]
        built = built_parts(scope).with_only_columns(GraphPartRow.part_id).order_by(None)
        nodes = select(GraphNodeRow.name.label("name")).where(
            GraphNodeRow.part_id.in_(built), GraphNodeRow.node_id.in_(ids)
        )
        has_phrase = (
            SectionRow.title.icontains(spelling, autoescape=True) for spelling in spellings - {""}
        )
        headings = select(SectionRow.title.label("name")).where(
            SectionRow.text_id.in_(current_texts(scope)), or_(*has_phrase)
        )
        names = [str(row[0]).casefold() for row in self._database.rows(union(nodes, headings))]
        return frozenset(
            phrase
            for phrase in folded
            if any(re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", name) for name in names)
        )

    def sections(self, text_id: str) -> list[SectionLine]:
        """Return the sections of a text in their order."""
        query = sections_of(text_id).with_only_columns(
            SectionRow.label, SectionRow.title, SectionRow.start, SectionRow.end
        )
        return [SectionLine(*row) for row in self._database.rows(query)]

    def chunk_places(self, scope: Scope) -> list[ChunkPlace]:
        """Return every chunk of the scope without its text, of one cut a text, in text order."""
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

    def labelled(self, text_ids: Iterable[str], prefix: str) -> list[tuple[str, str]]:
        """Return text id and label of sections whose label has a prefix, once for a series."""
        previous = func.lag(SectionRow.label, 1, "").over(
            partition_by=SectionRow.text_id, order_by=SectionRow.n
        )
        columns = select(SectionRow.text_id, SectionRow.label, previous.label("previous"))
        with self._database.read() as session:
            rows = columns.where(one_of(session, SectionRow.text_id, text_ids)).subquery()
            query = select(rows.c.text_id, rows.c.label).where(
                rows.c.label.startswith(prefix, autoescape=True), rows.c.label != rows.c.previous
            )
            return [(row.text_id, row.label) for row in session.execute(query)]
