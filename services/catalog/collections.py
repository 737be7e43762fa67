"""Collections: named sets of documents with an owner and a visibility."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.access import reachable, readable
from services.catalog.database import Database, insert_missing
from services.catalog.models import ChunkingRow, CollectionRow, ContentRow, MembershipRow
from services.catalog.values import Visibility
from services.errors import InvalidInput, NotFound
from services.types import CollectionInfo, Principal, Scope

NAME_LENGTH = 120
DESCRIPTION_LENGTH = 2000


class Collections:
    """Create, find and version collections. Names are unique for each owner."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._fingerprints: dict[str, tuple[int | None, str | None]] = {}

    def create(
        self,
        principal: Principal,
        name: str,
        *,
        description: str = "",
        visibility: Visibility = "private",
    ) -> CollectionInfo:
        """A new, empty collection owned by ``principal``.

        Raises:
            InvalidInput: the name is empty, too long or taken, or only admins may create it.
        """
        if visibility == "admin" and principal.role != "admin":
            raise InvalidInput("Only an admin can create an admin-owned collection.")
        row = new_row(principal, name, description, visibility)
        try:
            with self._database.write() as session:
                session.add(CollectionRow(**row))
        except IntegrityError as error:
            raise InvalidInput(
                f"You already have a collection named {row['name']!r}. Choose another name."
            ) from error
        return self.get(str(row["collection_id"]))

    def ensure(self, principal: Principal, name: str) -> CollectionInfo:
        """The principal's own collection of that name, created when it is missing."""
        row = new_row(principal, name, "", "private")
        own = (CollectionRow.owner == principal.user) & (CollectionRow.name == row["name"])
        with self._database.read() as session:
            found = session.scalar(select(CollectionRow.collection_id).where(own))
        if found is None:
            with self._database.write() as session:
                insert_missing(session, CollectionRow, [row])
                found = session.scalars(select(CollectionRow.collection_id).where(own)).one()
        return self.get(found)

    def list(self, principal: Principal) -> list[CollectionInfo]:
        """All collections that ``principal`` may read, by name."""
        with self._database.read() as session:
            return infos(session, readable(principal))

    def get(self, collection_id: str) -> CollectionInfo:
        """The collection with that id, whoever asks: for callers that hold a scope.

        Raises:
            NotFound: there is none.
        """
        with self._database.read() as session:
            found = infos(session, CollectionRow.collection_id == collection_id)
        if not found:
            raise NotFound(f"There is no collection with the id {collection_id!r}.")
        return found[0]

    def scope(self, principal: Principal, names: Sequence[str] | None) -> Scope:
        """What a request over the named collections may read.

        Args:
            names: names or ids; None means all that show up for the principal. A name means
                the principal's own collection before anybody else's; an unlisted collection
                of another is reached by its id alone.

        Raises:
            NotFound: a name is unknown or may not be read.
        """
        return self.state(principal, names)[0]

    def state(
        self, principal: Principal, names: Sequence[str] | None
    ) -> tuple[Scope, tuple[int, ...]]:
        """The scope, as ``scope`` finds it, and the content versions of its collections."""
        with self._database.read() as session:
            versions = {
                row.collection_id: row.content_version for row in meant(session, principal, names)
            }
        scope = Scope(user=principal.user, collections=tuple(versions))
        return scope, tuple(versions.values())

    def versions(self, scope: Scope) -> dict[str, int]:
        """The content version of every collection of a scope."""
        query = select(CollectionRow.collection_id, CollectionRow.content_version).where(
            CollectionRow.collection_id.in_(scope.collections)
        )
        with self._database.read() as session:
            return {row.collection_id: row.content_version for row in session.execute(query)}

    def bump(self, collection_id: str) -> None:
        """Count up the content version: whoever cached something over it looks again."""
        with self._database.write() as session:
            bump(session, collection_id)

    def fingerprint(self, collection_id: str) -> str | None:
        """The embedding model that indexed the collection, None before the first document.

        Every search asks for it, so it is kept until the catalog changes.
        """
        version = self._database.version()
        known = self._fingerprints.get(collection_id)
        if known is not None and version is not None and known[0] == version:
            return known[1]
        with self._database.read() as session:
            found = session.scalar(
                select(CollectionRow.fingerprint).where(
                    CollectionRow.collection_id == collection_id
                )
            )
        self._fingerprints[collection_id] = version, found
        return found

    def set_fingerprint(self, collection_id: str, fingerprint: str) -> None:
        with self._database.write() as session:
            session.execute(
                update(CollectionRow)
                .where(CollectionRow.collection_id == collection_id)
                .values(fingerprint=fingerprint)
            )


def new_row(
    principal: Principal, name: str, description: str, visibility: Visibility
) -> dict[str, object]:
    return {
        "collection_id": ids.collection_id(),
        "owner": principal.user,
        "name": checked_name(name),
        "description": checked_description(description),
        "visibility": visibility,
        "fingerprint": None,
        "content_version": 0,
        "created_at": ids.now(),
    }


def checked_name(name: str) -> str:
    """The name without blanks around it; raises InvalidInput for one that cannot be shown."""
    name = name.strip()
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise InvalidInput(
            f"A collection needs a name of 1 to {NAME_LENGTH} printable characters, not {name!r}."
        )
    return name


def checked_description(text: str) -> str:
    """The description; raises InvalidInput for one that would disturb whoever lists it."""
    text = text.strip()
    if len(text) > DESCRIPTION_LENGTH or not all(line.isprintable() for line in text.split("\n")):
        raise InvalidInput(
            f"A description has at most {DESCRIPTION_LENGTH} printable characters and line breaks."
        )
    return text


def bump(session: Session, collection_id: str) -> None:
    """Count up the content version within the transaction that changed the content."""
    session.execute(
        update(CollectionRow)
        .where(CollectionRow.collection_id == collection_id)
        .values(content_version=CollectionRow.content_version + 1)
    )


def meant(
    session: Session, principal: Principal, names: Sequence[str] | None
) -> Sequence[CollectionRow]:
    """The collections that a request means, as ``Collections.scope`` explains."""
    condition = readable(principal) if names is None else reachable(principal, names)
    ordered = select(CollectionRow).where(condition).order_by(CollectionRow.name)
    rows = list(session.scalars(ordered))
    if names is None:
        return rows
    by_id = {row.collection_id: row for row in rows}
    return [by_id[each] for name in names for each in matches(principal, name, rows)]


def matches(principal: Principal, name: str, rows: Sequence[CollectionRow]) -> Sequence[str]:
    """Ids meant by ``name`` among the collections that can be reached.

    An id comes before names, so that nobody takes a collection over by naming theirs like its
    id; one's own collection comes before those of others.
    """
    if any(row.collection_id == name for row in rows):
        return [name]
    named = [row for row in rows if row.name == name]
    own = [row for row in named if row.owner == principal.user]
    if not named:
        listed = sorted({row.name for row in rows})
        raise NotFound(
            f"There is no collection {name!r} that you can read. "
            f"You can read: {', '.join(listed) or 'none yet; ingest something first'}."
        )
    return [row.collection_id for row in own or named]


def infos(session: Session, condition: ColumnElement[bool]) -> list[CollectionInfo]:
    rows = session.execute(counted().where(condition))
    return [CollectionInfo.model_validate(dict(row)) for row in rows.mappings()]


def counted() -> Select[str, str, str, str, str, str | None, int, int, int]:
    """Collections with the number of their indexed documents and chunks."""
    return (
        select(
            CollectionRow.collection_id,
            CollectionRow.name,
            CollectionRow.owner,
            CollectionRow.description,
            CollectionRow.visibility,
            CollectionRow.fingerprint,
            CollectionRow.content_version,
            func.count(MembershipRow.content_id).label("documents"),
            func.coalesce(func.sum(ChunkingRow.chunks), 0).label("chunks"),
        )
        .outerjoin(
            MembershipRow,
            (MembershipRow.collection_id == CollectionRow.collection_id)
            & (MembershipRow.status == "indexed"),
        )
        .outerjoin(ContentRow, ContentRow.content_id == MembershipRow.content_id)
        .outerjoin(
            ChunkingRow,
            (ChunkingRow.text_id == ContentRow.text_id)
            & (ChunkingRow.chunking == MembershipRow.chunking),
        )
        .group_by(CollectionRow.collection_id)
        .order_by(CollectionRow.name, CollectionRow.collection_id)
    )
