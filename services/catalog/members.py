"""Writing which text a content has, and which collections hold it under which name."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.chunkings import leave
from services.catalog.database import insert_missing
from services.catalog.metadata import refresh
from services.catalog.models import (
    AliasRow,
    CollectionRow,
    ContentRow,
    ExtractionRow,
    MembershipRow,
)
from services.catalog.values import Alias
from services.errors import NotFound


def make_current(session: Session, content_id: str, text_id: str) -> None:
    """Point a content to its newest text; a change makes it pending wherever it is a member."""
    insert_missing(session, ExtractionRow, [{"content_id": content_id, "text_id": text_id}])
    row = session.get_one(ContentRow, content_id)
    if row.text_id == text_id:
        return
    before, row.text_id = row.text_id, text_id
    members = select(MembershipRow).where(
        MembershipRow.content_id == content_id, MembershipRow.status != "retired"
    )
    leaving: defaultdict[str, list[str]] = defaultdict(list)
    for member in session.scalars(members).all():
        member.status = "pending"
        leaving[member.chunking].append(member.collection_id)
    session.flush()
    for chunking, collections in leaving.items():
        leave(session, collections, before, chunking)


def put_member(
    session: Session,
    collection_id: str,
    content_id: str,
    document: str,
    source: Path | None,
    aliases: Sequence[Alias],
    chunking: str,
) -> None:
    """Make a content a pending member, or rename it; ``chunking`` counts unless it is indexed."""
    if session.get(CollectionRow, collection_id) is None:
        raise NotFound(f"There is no collection with the id {collection_id!r}.")
    if session.get(ContentRow, content_id) is None:
        raise NotFound(f"The catalog does not hold the document {content_id[:12]}….")
    member = {
        "collection_id": collection_id,
        "content_id": content_id,
        "document": document,
        "source": None if source is None else str(source),
        "chunking": chunking,
        "status": "pending",
        "ingested_at": ids.now(),
    }
    insert_missing(session, MembershipRow, [member])
    row = session.get_one(MembershipRow, (collection_id, content_id))
    row.document, row.source = document, None if source is None else str(source)
    if row.status != "indexed":
        row.status, row.chunking = "pending", chunking
    refresh(session, row)
    key = {"collection_id": collection_id, "content_id": content_id}
    session.execute(delete(AliasRow).filter_by(**key))
    exclude = {"document_id", "document"}
    insert_missing(
        session,
        AliasRow,
        [key | {"n": n} | alias.model_dump(exclude=exclude) for n, alias in enumerate(aliases)],
    )
