"""Extracted texts: storing them with sections and references, and reading spans of them."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, ScalarSelect, Select, delete, false, or_, select, update
from sqlalchemy.orm import Session

from services.caches import SizedCache
from services.catalog import ids
from services.catalog.access import visible
from services.catalog.database import (
    Database,
    Repository,
    cached,
    cached_each,
    insert_missing,
    one_of,
)
from services.catalog.models import (
    AliasRow,
    ContentRow,
    ExtractionRow,
    MembershipRow,
    PageLabelsRow,
    RecognisedRow,
    ReferenceRow,
    SectionRow,
    TextRow,
)
from services.catalog.values import Alias
from services.domain import DetectedReference, Language, ParsedDocument, Scope, SectionSpan
from services.domain.errors import NotFound
from services.domain.passages import page_at, page_fields
from services.domain.value import PageFields

Row = dict[str, Any]
"""A row of a table by column."""

CAPACITY = 16_000_000
"""Characters in the cache of texts: some 20 long laws, 16 to 64 MB."""
CACHED_LAYOUTS = 512
CACHED_DOCUMENTS = 8
"""Parsed documents in the cache, for reading a document page by page."""


NewText = tuple[ParsedDocument, Sequence[DetectedReference]]
"""A text to store, and the references in it."""


def store_texts(session: Session, texts: Sequence[NewText]) -> list[str]:
    """Store texts with their sections, references and recognised pages; return their ids.

    Stored texts stay, except those that are being deleted (not ``complete``), which are rewritten.
    """
    text_ids = [ids.text_id(parsed) for parsed, _ in texts]
    pairs = zip(text_ids, texts, strict=True)
    by_id = dict(sorted(pairs, key=itemgetter(0)))  # in one order, so that none deadlock
    insert_missing(session, TextRow, [_row(key, parsed) for key, (parsed, _) in by_id.items()])
    incomplete = select(TextRow.text_id).where(~TextRow.complete)
    new = list(session.scalars(incomplete.where(one_of(session, TextRow.text_id, by_id))))
    sections, references, pages, labels = list[Row](), list[Row](), list[Row](), list[Row]()
    for key in new:
        parsed, detected = by_id[key]
        sections += _numbered(key, parsed.sections)
        references += _numbered(key, detected)
        recognised = parsed.recognised.items()
        pages += ({"text_id": key, "page": page, "lines": lines} for page, lines in recognised)
        if parsed.page_labels:
            labels.append({"text_id": key, "labels": parsed.page_labels})
    tables = (
        (SectionRow, sections),
        (ReferenceRow, references),
        (RecognisedRow, pages),
        (PageLabelsRow, labels),
    )
    for model, rows in tables:
        session.execute(delete(model).where(one_of(session, model.text_id, new)))
        insert_missing(session, model, rows)
    session.execute(
        update(TextRow).where(one_of(session, TextRow.text_id, new)).values(complete=True)
    )
    return text_ids


def _row(text_id: str, parsed: ParsedDocument) -> Row:
    fields = parsed.model_dump(include={"parser_version", "title", "language", "text", "pages"})
    state = {"sections": len(parsed.sections), "complete": False, "created_at": ids.now()}
    return {"text_id": text_id} | fields | state


def _numbered(text_id: str, spans: Sequence[SectionSpan | DetectedReference]) -> Iterator[Row]:
    return ({"text_id": text_id, "n": n} | span.model_dump() for n, span in enumerate(spans))


class TitledText(NamedTuple):
    """A text with its title and the printed labels of its pages, if these are not their index."""

    title: str
    text: str
    page_labels: Sequence[str]


class TextLayout(NamedTuple):
    """The language of a text, where its pages begin, what is printed on them, and its sections."""

    language: Language
    pages: tuple[int, ...]
    page_labels: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


class TextCache:
    """Recently read texts, which never change.

    Cutting a passage in SQL reads its text from the start for every span (10 ms for 10 passages of
    a law), and so does reading the text each time; in memory it takes microseconds.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._cache: SizedCache[str, TitledText] = SizedCache(capacity, lambda text: len(text.text))

    def get(self, session: Session, text_ids: Iterable[str]) -> dict[str, TitledText]:
        """Return the texts with these ids, from memory or the session's database."""
        unique_ids = list(dict.fromkeys(text_ids))
        texts = self._cache.get(unique_ids)
        if missing := [key for key in unique_ids if key not in texts]:
            query = select(TextRow.text_id, TextRow.title, PageLabelsRow.labels, TextRow.text)
            query = query.outerjoin(PageLabelsRow).where(one_of(session, TextRow.text_id, missing))
            for key, title, labels, text in session.execute(query):
                texts[key] = TitledText(title, text, labels or ())
                self._cache.put(key, texts[key])
        return texts


class Texts(Repository):
    """Reads the texts of documents. Access has been checked.

    The current text is the one that the newest parser made. All methods raise NotFound for a
    document that was never ingested, or a text that is not stored.
    """

    def __init__(self, database: Database, texts: TextCache) -> None:
        super().__init__(database)
        self._texts = texts
        self._layout = lru_cache(maxsize=CACHED_LAYOUTS)(self._read_layout)
        self._parsed = lru_cache(maxsize=CACHED_DOCUMENTS)(self._read_parsed)

    def text(self, document_id: str) -> str:
        """Return the current text of a document."""
        return self.text_of(self._current(document_id, None))

    def text_of(self, text_id: str) -> str:
        """Return a text by its id, as a passage has it."""
        with self._database.read() as session:
            texts = self._texts.get(session, [text_id])
        if text_id not in texts:
            raise unknown_text(text_id)
        return texts[text_id].text

    def page_fields(self, text_id: str, offset: int) -> PageFields:
        """Return the page of a character as fields of a location."""
        layout = self._layout(text_id)
        return page_fields(page_at(layout.pages, offset), layout.page_labels)

    def language_of(self, text_id: str) -> Language:
        """Return the language of a text."""
        return self._layout(text_id).language

    def _read_layout(self, text_id: str) -> TextLayout:
        of_text = (TextRow.text_id == text_id) & TextRow.complete
        columns = select(TextRow.language, TextRow.pages, PageLabelsRow.labels)
        rows = self._database.rows(columns.outerjoin(PageLabelsRow).where(of_text))
        if not rows:  # or it is being deleted, and must not be cached
            raise unknown_text(text_id)
        language, pages, labels = rows[0]
        query = sections_of(text_id)
        spans = self._database.rows(query.with_only_columns(SectionRow.start, SectionRow.end))
        starts, ends = (tuple(span[n] for span in spans) for n in (0, 1))
        return TextLayout(language, tuple(pages), tuple(labels or ()), starts, ends)

    def section_around(self, text_id: str, offset: int) -> tuple[int, int]:
        """Return the span of the section around a character; the text before the first is one."""
        *_, starts, ends = self._layout(text_id)
        n = bisect_right(starts, offset) - 1
        if n >= 0:
            return starts[n], ends[n]
        return 0, starts[0] if starts else len(self.text_of(text_id))

    def section_of(self, document_id: str, offset: int) -> tuple[int, int]:
        return self.section_around(self._current(document_id, None), offset)

    def parsed(self, document_id: str, *, parser_version: str | None = None) -> ParsedDocument:
        """Return the document as its parser returned it, without ``unread_pages``."""
        return self._parsed(document_id, self._current(document_id, parser_version))

    def with_pictures(self, text_ids: Iterable[str]) -> set[str]:
        """Return those of the texts that have at least one page read from a picture."""
        return {text_id for text_id, has in self._pictures(frozenset(text_ids)).items() if has}

    @cached_each()
    def _pictures(self, text_ids: Collection[str]) -> dict[str, bool]:
        query = select(RecognisedRow.text_id).where(RecognisedRow.text_id.in_(text_ids))
        recognised = set(self._database.scalars(query.distinct()))
        return {text_id: text_id in recognised for text_id in text_ids}

    def _read_parsed(self, document_id: str, text_id: str) -> ParsedDocument:
        with self._database.read() as session:
            row = session.get(TextRow, text_id)
            if row is None or not row.complete:  # it is being deleted, and must not be cached
                raise unknown_text(text_id)
            return read_text(session, row, document_id)

    @cached(CACHED_LAYOUTS)
    def _current(self, document_id: str, parser_version: str | None) -> str:
        with self._database.read() as session:
            return current_text(session, document_id, parser_version)


def unknown_text(text_id: str) -> NotFound:
    return NotFound("The catalog does not contain the text {text}….", text=text_id[:12])


def current_text(session: Session, document_id: str, parser_version: str | None = None) -> str:
    """Return the id of a document's current text, or of a parser version's; raise NotFound."""
    query = select(ContentRow.text_id).where(ContentRow.content_id == document_id)
    if parser_version is not None:
        query = extracted(document_id, parser_version)
    text_id = session.scalar(query)
    if text_id is None:
        raise NotFound(
            "The catalog contains no text of the document {document}….", document=document_id[:12]
        )
    return text_id


def extracted(document_id: str, parser_version: str) -> Select[str]:
    """Select the text that a parser version made of a document."""
    extraction = ExtractionRow.content_id == document_id
    same_parser = TextRow.parser_version == parser_version
    return select(TextRow.text_id).join(ExtractionRow).where(extraction, same_parser)


def read_text(session: Session, row: TextRow, document_id: str) -> ParsedDocument:
    """Return a text of a document with its sections and the warnings of its parser."""
    extraction = session.get(ExtractionRow, (document_id, row.text_id))
    sections = session.scalars(sections_of(row.text_id))
    pages = session.scalars(select(RecognisedRow).filter_by(text_id=row.text_id))
    labels = session.get(PageLabelsRow, row.text_id)
    return ParsedDocument(
        title=row.title,
        text=row.text,
        pages=tuple(row.pages),
        sections=tuple(SectionSpan.model_validate(span, from_attributes=True) for span in sections),
        language=row.language,
        parser_version=row.parser_version,
        page_labels=tuple(labels.labels) if labels else (),
        recognised={page.page: page.lines for page in pages},
        warnings=(extraction and extraction.warnings) or (),
    )


def warning_row(parsed: ParsedDocument) -> Row:
    return parsed.model_dump(mode="json", include={"warnings"})


def sections_of(text_id: str) -> Select[SectionRow]:
    """Select the sections of a text in their order."""
    return select(SectionRow).where(SectionRow.text_id == text_id).order_by(SectionRow.n)


def text_id_of(document_id: str) -> ScalarSelect[str]:
    """Return a subquery for the current text of a document."""
    return select(ContentRow.text_id).where(ContentRow.content_id == document_id).scalar_subquery()


ALIASES = (
    select(AliasRow.content_id.label("document_id"), MembershipRow.document, AliasRow.title)
    .add_columns(AliasRow.alias, AliasRow.kind, AliasRow.series, AliasRow.number)
    .join(MembershipRow)
)
"""Selects the fields of ``Alias``, joined to the memberships to which they belong."""


class References(Repository):
    """Reads references and aliases."""

    def within(self, document_id: str, start: int, end: int) -> list[DetectedReference]:
        """Return the references that begin in a span of the document's text, in text order."""
        row = ReferenceRow
        query = (
            select(row.text, row.start, row.end, row.type)
            .add_columns(row.label, row.subdivision, row.document, row.target, row.relation)
            .where(
                ReferenceRow.text_id == text_id_of(document_id),
                ReferenceRow.start >= start,
                ReferenceRow.start < end,
            )
            .order_by(ReferenceRow.n)
        )
        return self._database.values(DetectedReference, query)

    def of_spans(
        self, spans: Collection[tuple[str, int, int]]
    ) -> list[tuple[str, DetectedReference]]:
        """Return the references that begin in spans (text id, start, end), with the text's id."""
        row = ReferenceRow
        inside = (
            (row.text_id == text_id) & (row.start >= start) & (row.start < end)
            for text_id, start, end in spans
        )
        query = select(row).where(or_(false(), *inside)).order_by(row.text_id, row.n)
        with self._database.read(once=True) as session:
            return [
                (row.text_id, DetectedReference.model_validate(row, from_attributes=True))
                for row in session.scalars(query)
            ]

    def naming(
        self, labels: Collection[str], scope: Scope, *, with_documents: bool = False
    ) -> list[tuple[str, DetectedReference]]:
        """Return the references to sections of these labels, once for each citing document."""
        condition: ColumnElement[bool] = ReferenceRow.label.in_(labels)
        if with_documents:
            condition = or_(condition, ReferenceRow.label.is_(None))
        return self._citing(condition, scope)

    def relations(self, scope: Scope) -> list[tuple[str, DetectedReference]]:
        """Return the references to what a text replaces, amends or repeals, as ``naming`` does."""
        return self._citing(ReferenceRow.relation.is_not(None), scope)

    def _citing(
        self, condition: ColumnElement[bool], scope: Scope
    ) -> list[tuple[str, DetectedReference]]:
        query = (
            select(MembershipRow.content_id, ReferenceRow)
            .join(ContentRow)
            .join(ReferenceRow, ReferenceRow.text_id == ContentRow.text_id)
            .where(visible(scope), condition)
            .order_by(MembershipRow.content_id, ReferenceRow.n)
        )
        with self._database.read() as session:
            pairs = dict.fromkeys((document_id, row) for document_id, row in session.execute(query))
            return [
                (document_id, DetectedReference.model_validate(row, from_attributes=True))
                for document_id, row in pairs
            ]

    def aliases(self, scope: Scope) -> list[Alias]:
        """Return the names of all documents that a request sees."""
        return list(self._aliases(scope))

    @cached(8)
    def _aliases(self, scope: Scope) -> tuple[Alias, ...]:
        ordered = (MembershipRow.document, AliasRow.content_id, AliasRow.n)
        query = ALIASES.where(visible(scope)).order_by(*ordered)
        return tuple(dict.fromkeys(self._database.values(Alias, query)))
