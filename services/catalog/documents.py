"""Documents: adding them to collections, removing and listing them."""

import os
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, delete, func, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session, selectinload

from services.catalog.access import openable, visible
from services.catalog.chunks import release_cut, store_chunks
from services.catalog.collections import bumped
from services.catalog.deletions import move_to_bin
from services.catalog.memberships import (
    ATTACHMENT_SEPARATOR,
    Memberships,
    put_contents,
    put_members,
)
from services.catalog.metadata import metadata_of
from services.catalog.models import (
    OF_MEMBER,
    ChunkingRow,
    ChunkRow,
    ContentRow,
    MembershipRow,
    ReferenceRow,
    TextRow,
)
from services.catalog.texts import store_texts, text_id_of
from services.catalog.values import NewDocument, NewMember
from services.domain import Chunking, DetectedReference, DocumentInfo, Language, Scope
from services.domain.errors import NotFound
from services.domain.passages import title_of

DEFAULT = Chunking().key


class Documents(Memberships):
    """Documents by id, which is the SHA-256 of their bytes, and their texts (see ``Texts``).

    A document enters a collection as ``pending`` and is invisible there until it is ``indexed``.
    Its content and text are stored once, however many collections hold it; each collection has its
    own chunking. A newer version of a file makes the older one ``retired``: searches no longer find
    it, but reports that cite it can still open it.
    """

    def add(self, collection_id: str, *new: NewDocument, chunking: str = DEFAULT) -> None:
        """Store documents and make them pending members, all or none; again it changes nothing.

        A text by another parser version becomes the current one: the document is then pending in
        all its collections, and the old text stays for the reports that cite it.
        """
        with self._database.write() as session:
            text_ids = store_texts(session, [(added.parsed, added.references) for added in new])
            by_text = [*zip(text_ids, new, strict=True)]
            store_chunks(session, chunking, {text_id: added.chunks for text_id, added in by_text})
            put_contents(session, by_text)
            put_members(session, collection_id, [added.member for added in new], chunking)

    def attach(self, collection_id: str, member: NewMember, chunking: str = DEFAULT) -> None:
        """Make a stored document a pending member; an indexed one keeps its chunking."""
        with self._database.write() as session:
            put_members(session, collection_id, [member], chunking)
            session.execute(bumped(collection_id))

    def relate(
        self, collection_id: str, document_id: str, references: Mapping[int, DetectedReference]
    ) -> None:
        """Set what a document's text does to which documents, by the numbers of its references."""
        of_text = ReferenceRow.text_id == text_id_of(document_id)
        with self._database.write() as session:
            for n, reference in references.items():
                fields = reference.model_dump(include={"relation", "document"})
                numbered = update(ReferenceRow).where(of_text, ReferenceRow.n == n)
                session.execute(numbered.values(**fields))
            session.execute(bumped(collection_id))

    def read_by(self, document_id: str) -> str | None:
        """Return the parser version of the document's current text, None without a text."""
        query = select(TextRow.parser_version).join(ContentRow)
        return self._database.scalar(query.where(ContentRow.content_id == document_id))

    def read_in(self, document_id: str) -> Language | None:
        """Return the language of the document's current text, None without a text."""
        query = select(TextRow.language).join(ContentRow)
        return self._database.scalar(query.where(ContentRow.content_id == document_id))

    def pages(self, document_id: str) -> int:
        """Return the number of pages of the current text, 0 for a format without pages."""
        query = select(TextRow.pages).join(ContentRow)
        return len(self._database.scalar(query.where(ContentRow.content_id == document_id)) or ())

    def remove(self, collection_id: str, document_id: str, *, by: str | None = None) -> None:
        """Remove a document, its retired versions and its attachments from a collection.

        Texts stay while reports cite them. Chunks that the collection no longer uses become its
        leftovers. What a user removes (``by``) goes to the bin.
        """
        with self._database.write() as session:
            row = session.get(MembershipRow, (collection_id, document_id))
            if row is None:
                return
            attached, in_use = attached_to(row), MembershipRow.status != "retired"
            for member in [row, *session.scalars(select(MembershipRow).where(attached, in_use))]:
                remove_member(session, member, by)
            session.execute(delete(MembershipRow).where(attached))
            session.execute(bumped(collection_id))

    def info(self, document_id: str, *, scope: Scope | None = None) -> DocumentInfo:
        """Return a document, retired or not, that a scope (None: any) may open; raise NotFound."""
        of_document = MembershipRow.content_id == document_id
        members = of_document if scope is None else of_document & openable(scope)
        in_use_first = (MembershipRow.status == "retired", MembershipRow.document)
        infos = self._infos(members, *in_use_first, MembershipRow.ingested_at)
        if not infos:
            raise NotFound(
                "There is no document {document}… that you can read.", document=document_id[:12]
            )
        return infos[0]

    def versions(self, scope: Scope, document: str) -> list[DocumentInfo]:
        """Return indexed and retired documents of a file name: current ones first, then newest."""
        name = unicodedata.normalize("NFC", document)
        named = openable(scope) & (MembershipRow.document == name)
        in_use_first = MembershipRow.status == "retired"
        return self._infos(named, in_use_first, MembershipRow.ingested_at.desc())

    def _infos(
        self, members: ColumnElement[bool], *order: ColumnElement[Any] | InstrumentedAttribute[Any]
    ) -> list[DocumentInfo]:
        with self._database.read() as session:
            return list(map(as_info, session.execute(described().where(members).order_by(*order))))

    def unfinished(self, collection_id: str) -> list[str]:
        """Return the file names of documents whose ingestion broke off, sorted."""
        query = select(MembershipRow.document).where(
            MembershipRow.collection_id == collection_id, MembershipRow.status == "pending"
        )
        return sorted(self._database.scalars(query))

    def with_section(self, label: str, scope: Scope) -> Sequence[str]:
        """Return the ids of documents with a chunk of that section label, by file name."""
        query = (
            select(ContentRow.content_id)
            .join(ChunkRow, ChunkRow.text_id == ContentRow.text_id)
            .join(MembershipRow, MembershipRow.content_id == ContentRow.content_id)
            .where(ChunkRow.section == label, visible(scope))
            .order_by(MembershipRow.document, ContentRow.content_id)
        )
        return list(dict.fromkeys(self._database.scalars(query)))

    def collections_of(self, document_id: str) -> list[str]:
        """Return the ids of collections that hold the document, pending or indexed."""
        query = select(MembershipRow.collection_id).where(
            MembershipRow.content_id == document_id, MembershipRow.status != "retired"
        )
        return sorted(self._database.scalars(query))

    def list(self, scope: Scope, *, pending_in: Sequence[str] = ()) -> list[DocumentInfo]:
        """Return the documents that a request sees, each once, by file name.

        ``pending_in`` are ids of collections whose pending documents are listed too, for those who
        fill them.
        """
        pending = MembershipRow.collection_id.in_(pending_in) & (MembershipRow.status == "pending")
        member = MembershipRow  # of several of a document the last one counts
        last = (member.status == "indexed", member.document.desc(), member.ingested_at.desc())
        infos = self._infos(or_(visible(scope), pending), *last)
        once = {info.document_id: info for info in infos}
        return sorted(once.values(), key=lambda info: (info.document, info.document_id))


def attached_to(mail: MembershipRow) -> ColumnElement[bool]:
    """Return the condition for attachments of an e-mail at any depth, none for other documents."""
    prefix = mail.document + ATTACHMENT_SEPARATOR
    inside = (MembershipRow.collection_id == mail.collection_id) & (
        MembershipRow.document.startswith(prefix, autoescape=True)
    )
    if mail.source is None:
        return inside
    return inside & MembershipRow.source.startswith(mail.source + os.sep, autoescape=True)


def remove_member(session: Session, row: MembershipRow, by: str | None) -> None:
    """Remove a member with its retired versions, into the bin if a user removes it."""
    document, chunking, text_id = row.document, row.chunking, row.content.text_id
    if by is not None:
        move_to_bin(session, row, by)
    session.delete(row)
    session.flush()
    release_cut(session, [row.collection_id], text_id, chunking)
    drop_retired(session, row.collection_id, document)


def drop_retired(session: Session, collection_id: str, document: str) -> None:
    """Remove the retired versions of a file name unless another document still has the name."""
    named = (MembershipRow.collection_id == collection_id) & (MembershipRow.document == document)
    in_use = select(MembershipRow.content_id).where(named, MembershipRow.status != "retired")
    if session.scalar(in_use.limit(1)) is None:
        session.execute(delete(MembershipRow).where(named))


def described() -> Select[*tuple[Any, ...]]:
    text = TextRow
    return (
        select(MembershipRow, text.title, text.sections, text.pages, text.language)
        .add_columns(text.parser_version, func.coalesce(ChunkingRow.chunks, 0).label("chunks"))
        .join(ContentRow, ContentRow.content_id == MembershipRow.content_id)
        .join(TextRow)
        .outerjoin(ChunkingRow, OF_MEMBER)
        .options(selectinload(MembershipRow.facets))
    )


def as_info(row: Row[*tuple[Any, ...]]) -> DocumentInfo:
    text = row._asdict()
    member: MembershipRow = text.pop("MembershipRow")
    text["title"] = title_of(row.title, member.document)
    return DocumentInfo(
        **text | dict(metadata_of(member)) | {"pages": len(row.pages) or None},
        document_id=member.content_id,
        sha256=member.content_id,
        document=member.document,
        status=member.status,
        ingested_at=member.ingested_at,
    )
