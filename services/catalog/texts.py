"""Extracted texts: storing them with their parts; reading spans, sections and references."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import ScalarSelect, Select, delete, or_, select, update
from sqlalchemy.orm import Session

from services.caches import SizedCache
from services.catalog import ids
from services.catalog.access import visible
from services.catalog.database import Database, Repository, insert_missing, one_of
from services.catalog.models import (
    AliasRow,
    ContentRow,
    ExtractionRow,
    MembershipRow,
    RecognisedRow,
    ReferenceRow,
    SectionRow,
    TextRow,
)
from services.catalog.values import Alias
from services.domain import DetectedReference, Language, ParsedDocument, Scope, SectionSpan
from services.domain.errors import NotFound

Row = dict[str, Any]
"""Of a table, by column."""

CAPACITY = 16_000_000
"""Characters that are kept: some 20 long laws, 16 to 64 MB."""
TEXTS_REMEMBERED = 512
"""Texts whose pages and sections are kept in memory as numbers."""
SCOPES_REMEMBERED = 8
"""Scopes whose names of documents are kept in memory."""
PARSED_REMEMBERED = 8
"""Texts that are kept with their sections, for who reads in a document page by page."""


Text = tuple[ParsedDocument, Sequence[DetectedReference]]
"""A text that is to be stored, and the references in it."""


def store_texts(session: Session, texts: Sequence[Text]) -> list[str]:
    """Store texts and their parts unless they are there; their ids.

    Those that are being deleted, and so are not ``complete``, are begun anew.
    """
    text_ids = [ids.text_id(parsed) for parsed, _ in texts]
    named = zip(text_ids, texts, strict=True)
    by_id = dict(sorted(named, key=itemgetter(0)))  # in one order, so that none deadlock
    insert_missing(session, TextRow, [_row(key, parsed) for key, (parsed, _) in by_id.items()])
    lacking = select(TextRow.text_id).where(~TextRow.complete)
    new = list(session.scalars(lacking.where(one_of(session, TextRow.text_id, by_id))))
    sections, references, pages = list[Row](), list[Row](), list[Row]()
    for key in new:
        parsed, found = by_id[key]
        sections += _numbered(key, parsed.sections)
        references += _numbered(key, found)
        read = parsed.recognised.items()
        pages += ({"text_id": key, "page": page, "lines": lines} for page, lines in read)
    parts = ((SectionRow, sections), (ReferenceRow, references), (RecognisedRow, pages))
    for model, rows in parts:
        session.execute(delete(model).where(one_of(session, model.text_id, new)))
        insert_missing(session, model, rows)
    session.execute(
        update(TextRow).where(one_of(session, TextRow.text_id, new)).values(complete=True)
    )
    return text_ids


def _row(text_id: str, parsed: ParsedDocument) -> Row:
    fields = parsed.model_dump(include={"parser_version", "title", "language", "text", "pages"})
    made = {"sections": len(parsed.sections), "complete": False, "created_at": ids.now()}
    return {"text_id": text_id} | fields | made


def _numbered(text_id: str, parts: Sequence[SectionSpan | DetectedReference]) -> Iterator[Row]:
    return ({"text_id": text_id, "n": n} | each.model_dump() for n, each in enumerate(parts))


class KeptText(NamedTuple):
    title: str
    text: str


class Layout(NamedTuple):
    """The language of a text, where its pages begin, and where its sections begin and end."""

    language: Language
    pages: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


class TextCache:
    """Whole texts that were read lately.

    A passage is a span of its text. Cutting it in SQL reads the text from its start for every
    span (10 ms for 10 passages of a law), reading the texts each time is no better; in memory it
    takes microseconds. Texts never change, so what is kept is never stale.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._kept: SizedCache[str, KeptText] = SizedCache(capacity, lambda kept: len(kept.text))

    def get(self, session: Session, text_ids: Iterable[str]) -> dict[str, KeptText]:
        """The texts with these ids, from memory or the session's database."""
        wanted = list(dict.fromkeys(text_ids))
        found = self._kept.get(wanted)
        if missing := [key for key in wanted if key not in found]:
            query = select(TextRow.text_id, TextRow.title, TextRow.text)
            for key, *text in session.execute(
                query.where(one_of(session, TextRow.text_id, missing))
            ):
                found[key] = KeptText(*text)
                self._kept.put(key, found[key])
        return found


class Texts(Repository):
    """What is said where in a document.

    Every method means the text that the newest parser made of the document. ``parsed`` opens an
    older one by its parser version, for reports that cite it.
    Whoever calls has checked that the reader may see the document.

    All methods raise NotFound for a document that was never ingested, or a text that is not there.
    """

    def __init__(self, database: Database, texts: TextCache) -> None:
        super().__init__(database)
        self._texts = texts
        self._layout = lru_cache(maxsize=TEXTS_REMEMBERED)(self._read_layout)
        self._parsed = lru_cache(maxsize=PARSED_REMEMBERED)(self._read_parsed)
        self._kept_current = database.cached(TEXTS_REMEMBERED, self._read_current)

    def text(self, document_id: str) -> str:
        """The whole extracted text."""
        return self.text_of(self._current(document_id))

    def text_of(self, text_id: str) -> str:
        """A whole text, which a passage names by its id."""
        with self._database.read() as session:
            found = self._texts.get(session, [text_id])
        if text_id not in found:
            raise unknown_text(text_id)
        return found[text_id].text

    def text_slice(self, document_id: str, start: int, end: int) -> str:
        """The characters from ``start`` to ``end`` (exclusive), shorter past the end."""
        return self.text(document_id)[max(start, 0) : max(end, 0)]

    def page_starts(self, text_id: str) -> tuple[int, ...]:
        """Where the pages of a text begin; a text never changes, so this is read once."""
        return self._layout(text_id).pages

    def language_of(self, text_id: str) -> Language:
        """The language that a text is in."""
        return self._layout(text_id).language

    def _read_layout(self, text_id: str) -> Layout:
        whole = select(TextRow.language, TextRow.pages)
        found = self._database.rows(whole.where(TextRow.text_id == text_id, TextRow.complete))
        if not found:  # or it is being deleted, and must not be remembered
            raise unknown_text(text_id)
        language, pages = found[0]
        spans = sections_of(text_id).with_only_columns(SectionRow.start, SectionRow.end)
        rows = self._database.rows(spans)
        return Layout(language, tuple(pages), *(tuple(row[n] for row in rows) for n in (0, 1)))

    def section_around(self, text_id: str, offset: int) -> tuple[int, int]:
        """The span of the section that holds a character; what stands ahead of the first is one."""
        _, _, starts, ends = self._layout(text_id)
        n = bisect_right(starts, offset) - 1
        if n >= 0:
            return starts[n], ends[n]
        return 0, starts[0] if starts else len(self.text_of(text_id))

    def section_of(self, document_id: str, offset: int) -> tuple[int, int]:
        """The same of a document's current text."""
        return self.section_around(self._current(document_id), offset)

    def parsed(self, document_id: str, *, parser_version: str | None = None) -> ParsedDocument:
        """The document as its parser returned it."""
        return self._parsed(self._current(document_id, parser_version))

    def with_pictures(self, text_ids: Iterable[str]) -> set[str]:
        """Those of some texts of which a page at least was read from a picture."""
        found = select(RecognisedRow.text_id).where(RecognisedRow.text_id.in_(text_ids))
        return set(self._database.scalars(found))

    def _read_parsed(self, text_id: str) -> ParsedDocument:
        with self._database.read() as session:
            row = session.get(TextRow, text_id)
            if row is None or not row.complete:  # it is being deleted, and must not be remembered
                raise unknown_text(text_id)
            return read_text(session, row)

    def _current(self, document_id: str, parser_version: str | None = None) -> str:
        return self._kept_current(document_id, parser_version)

    def _read_current(self, document_id: str, parser_version: str | None) -> str:
        with self._database.read() as session:
            return current_text(session, document_id, parser_version)


def unknown_text(text_id: str) -> NotFound:
    return NotFound("The catalog holds no text {text}….", text=text_id[:12])


def current_text(session: Session, document_id: str, parser_version: str | None = None) -> str:
    """Id of the newest text of a document, or of the one by ``parser_version``.

    Raises:
        NotFound: there is none.
    """
    query = select(ContentRow.text_id).where(ContentRow.content_id == document_id)
    if parser_version is not None:
        query = extracted(document_id, parser_version)
    found = session.scalar(query)
    if found is None:
        raise NotFound(
            "The catalog holds no text of the document {document}….", document=document_id[:12]
        )
    return found


def extracted(document_id: str, parser_version: str) -> Select[str]:
    """The text that a parser version made of a document."""
    this = (ExtractionRow.content_id == document_id) & (TextRow.parser_version == parser_version)
    return select(TextRow.text_id).join(ExtractionRow).where(this)


def read_text(session: Session, row: TextRow) -> ParsedDocument:
    """A text with its sections."""
    sections = session.scalars(sections_of(row.text_id))
    return ParsedDocument(
        title=row.title,
        text=row.text,
        pages=tuple(row.pages),
        sections=tuple(SectionSpan.model_validate(each, from_attributes=True) for each in sections),
        language=row.language,
        parser_version=row.parser_version,
        recognised={
            each.page: each.lines
            for each in session.scalars(select(RecognisedRow).filter_by(text_id=row.text_id))
        },
    )


def sections_of(text_id: str) -> Select[SectionRow]:
    """The sections in the order of the text."""
    return select(SectionRow).where(SectionRow.text_id == text_id).order_by(SectionRow.n)


def text_id_of(document_id: str) -> ScalarSelect[str]:
    """The current text of a document, as part of a query."""
    return select(ContentRow.text_id).where(ContentRow.content_id == document_id).scalar_subquery()


ALIASES = (
    select(AliasRow.content_id.label("document_id"), MembershipRow.document, AliasRow.title)
    .add_columns(AliasRow.alias, AliasRow.kind, AliasRow.series, AliasRow.number)
    .join(MembershipRow)
)
"""The fields of ``Alias``, with the memberships that they belong to."""


class References(Repository):
    """Read references and aliases."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._aliases = database.cached(SCOPES_REMEMBERED, self._read_aliases)

    def within(self, document_id: str, start: int, end: int) -> list[DetectedReference]:
        """References that begin in a span of the document's text, in text order."""
        row = ReferenceRow
        query = (
            select(row.text, row.start, row.end, row.type)
            .add_columns(row.label, row.subdivision, row.document, row.target)
            .where(
                ReferenceRow.text_id == text_id_of(document_id),
                ReferenceRow.start >= start,
                ReferenceRow.start < end,
            )
            .order_by(ReferenceRow.n)
        )
        return self._database.values(DetectedReference, query)

    def naming(
        self, labels: Collection[str], scope: Scope, *, whole: bool = False
    ) -> list[tuple[str, DetectedReference]]:
        """References to sections of these labels, each once with the document it stands in.

        With ``whole`` those to documents as a whole, too.
        """
        wanted = ReferenceRow.label.in_(labels)
        query = (
            select(MembershipRow.content_id, ReferenceRow)
            .join(ContentRow)
            .join(ReferenceRow, ReferenceRow.text_id == ContentRow.text_id)
            .where(visible(scope), or_(wanted, ReferenceRow.label.is_(None)) if whole else wanted)
            .order_by(MembershipRow.content_id, ReferenceRow.n)
        )
        with self._database.read() as session:
            found = dict.fromkeys((document_id, row) for document_id, row in session.execute(query))
            return [
                (document_id, DetectedReference.model_validate(row, from_attributes=True))
                for document_id, row in found
            ]

    def aliases(self, scope: Scope) -> list[Alias]:
        """The names of all documents that a request sees."""
        return list(self._aliases(scope))

    def _read_aliases(self, scope: Scope) -> tuple[Alias, ...]:
        ordered = (MembershipRow.document, AliasRow.content_id, AliasRow.n)
        query = ALIASES.where(visible(scope)).order_by(*ordered)
        return tuple(dict.fromkeys(self._database.values(Alias, query)))
