"""Documents that were taken out of collections, for as long as they can be put back."""

from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.database import Repository
from services.catalog.metadata import people_set
from services.catalog.models import BinRow, MembershipRow
from services.domain.collections import BinnedDocument

DAYS: Final = 30


class Bin(Repository):
    """What lies in the bins of collections. Access has been checked."""

    def list(self, collection_id: str) -> list[BinnedDocument]:
        """What can be put back into a collection, the last removed first."""
        indexed = select(MembershipRow.content_id).where(
            MembershipRow.collection_id == collection_id, MembershipRow.status == "indexed"
        )
        query = select(BinRow).where(
            BinRow.collection_id == collection_id,
            BinRow.content_id.not_in(indexed),
            BinRow.removed_at >= oldest(),
        )
        return self._database.values(BinnedDocument, query.order_by(BinRow.removed_at.desc()))

    def take_out(self, collection_id: str, document_id: str) -> None:
        """Forget a document that is back."""
        this = {"collection_id": collection_id, "content_id": document_id}
        self._database.execute(delete(BinRow).filter_by(**this))

    def empty(self, collection_id: str) -> None:
        self._database.execute(delete(BinRow).filter_by(collection_id=collection_id))

    def expire(self) -> None:
        """Forget what was removed more than `DAYS` days ago, in all collections."""
        self._database.execute(delete(BinRow).where(BinRow.removed_at < oldest()))


def oldest() -> str:
    """When the first was removed that can still be put back."""
    return (datetime.now(UTC) - timedelta(days=DAYS)).isoformat(timespec="microseconds")


def throw(session: Session, member: MembershipRow, by: str) -> None:
    """Put a member into the bin, within the transaction that takes it out of its collection."""
    kept = {
        name: getattr(member, name)
        for name in ("collection_id", "content_id", "document", "source", "chunking")
    }
    changes = people_set(member).model_dump(mode="json", exclude_none=True)
    row = BinRow(**kept, people_set=changes, removed_by=by, removed_at=ids.now())
    session.merge(row)
