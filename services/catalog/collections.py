"""Collections: named sets of documents with an owner and a visibility."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, Update, delete, func, select, true, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.access import chosen, may_change, reachable, readable
from services.catalog.database import Database, Repository, insert_missing, table_of
from services.catalog.models import (
    OF_MEMBER,
    ChunkingRow,
    CollectionRow,
    ContentRow,
    MembershipRow,
    SubscriptionRow,
)
from services.domain import CollectionInfo, Principal, Scope
from services.domain.collections import Visibility
from services.domain.errors import InvalidInput, NotFound

NAME_LENGTH = 120
DESCRIPTION_LENGTH = 2000
LOOKS = 256
"""So many scopes, versions and embedding models are not looked up again while the catalog stays as
it is.
"""


class Collections(Repository):
    """Create, find, version and share collections. Names are unique for each owner.

    A collection is named by name or id, as ``scope`` explains. The methods that change one for
    a principal check access and act in one transaction; they raise NotFound for what the
    principal may not read, and InvalidInput for a name that several have.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.fingerprint = database.cached(LOOKS, self._fingerprint)
        self.versions = database.cached(LOOKS, self._versions)
        self._scope = database.cached(LOOKS, self._meant)
        self._readable = database.cached(LOOKS, self._read_readable)
        self.within = database.cached(LOOKS, self._within)

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
                "You already have a collection named {name!r}. Choose another name.",
                name=row["name"],
            ) from error
        return self.get(str(row["collection_id"]))

    def ensure(self, principal: Principal, name: str) -> CollectionInfo:
        """The principal's own collection of that name, created when it is missing."""
        row = new_row(principal, name, "", "private")
        own = (CollectionRow.owner == principal.user) & (CollectionRow.name == row["name"])
        found = self._database.scalar(select(CollectionRow.collection_id).where(own))
        if found is None:
            with self._database.write() as session:
                insert_missing(session, CollectionRow, [row])
                found = session.scalars(select(CollectionRow.collection_id).where(own)).one()
        return self.get(found)

    def list(self, principal: Principal) -> list[CollectionInfo]:
        """All collections that ``principal`` may read, by name."""
        return [*self._readable(principal)]

    def _read_readable(self, principal: Principal) -> tuple[CollectionInfo, ...]:
        these = counted().where(readable(principal))
        return tuple(self._database.values(CollectionInfo, these))

    def get(self, collection_id: str) -> CollectionInfo:
        """The collection with that id, whoever asks: for callers that hold a scope.

        Raises:
            NotFound: there is none.
        """
        with self._database.read() as session:
            return info(session, collection_id)

    def _within(self, scope: Scope) -> tuple[CollectionInfo, ...]:
        """The collections of a scope by name, counted as far as it sees them."""
        these = counted(scope).where(CollectionRow.collection_id.in_(scope.collections))
        found = self._database.values(CollectionInfo, these)
        return tuple(each for each in found if each.documents or scope.documents is None)

    def scope(self, principal: Principal, names: Sequence[str] | None) -> Scope:
        """What a request over the named collections may read.

        Args:
            names: names or ids; None means all that show up for the principal. A name means
                the principal's own collection before anybody else's; an unlisted collection
                of another is reached by its id alone.

        Raises:
            NotFound: a name is unknown or may not be read.
        """
        return self._scope(principal, None if names is None else tuple(names))

    def _meant(self, principal: Principal, names: tuple[str, ...] | None) -> Scope:
        with self._database.read() as session:
            found = dict.fromkeys(row.collection_id for row in meant(session, principal, names))
        return Scope(user=principal.user, collections=tuple(found))

    def _versions(self, scope: Scope) -> tuple[int, ...]:
        """The content versions of the scope, in the order of its collections; -1 for a lost one."""
        query = select(CollectionRow.collection_id, CollectionRow.content_version).where(
            CollectionRow.collection_id.in_(scope.collections)
        )
        found = dict(self._database.rows(query))
        return tuple(found.get(each, -1) for each in scope.collections)

    def bump(self, collection_id: str) -> None:
        """Count up the content version: whoever cached something over it looks again."""
        self._database.execute(bumped(collection_id))

    def _fingerprint(self, collection_id: str) -> str | None:
        """The embedding model that indexed the collection, None before the first document."""
        this = CollectionRow.collection_id == collection_id
        return self._database.scalar(select(CollectionRow.fingerprint).where(this))

    def set_fingerprint(self, collection_id: str, fingerprint: str) -> None:
        this = update(CollectionRow).where(CollectionRow.collection_id == collection_id)
        self._database.execute(this.values(fingerprint=fingerprint))

    def one(self, principal: Principal, name: str) -> CollectionInfo:
        """The one collection of that name that the principal may read."""
        with self._database.read() as session:
            return one(session, principal, name)

    def changeable(self, principal: Principal, name: str) -> CollectionInfo:
        """The same; raises InvalidInput unless the principal may change it."""
        with self._database.read() as session:
            return require_changeable(principal, one(session, principal, name))

    def receiving(self, principal: Principal, name: str) -> CollectionInfo:
        """Where documents go that the principal ingests into ``name``.

        That is the collection with that id, else the principal's own one of that name, which
        is created when it is missing: another's collection is never meant by its name.

        Raises:
            InvalidInput: the principal may not change it, or it needs another name.
        """
        this = (CollectionRow.collection_id == name) & reachable(principal, [name])
        by_id = self._database.scalar(select(CollectionRow.collection_id).where(this)) is not None
        found = self.get(name) if by_id else self.ensure(principal, name)
        return require_changeable(principal, found)

    def change(
        self,
        principal: Principal,
        name: str,
        *,
        new_name: str | None = None,
        description: str | None = None,
        visibility: Visibility | None = None,
    ) -> CollectionInfo:
        """Change what is given. A collection that becomes private loses its subscribers.

        Raises:
            InvalidInput: the principal may not change it, its owner has one of the new name
                already, a value cannot be used, or only admins may set the visibility.
        """
        values: dict[str, str] = {} if new_name is None else {"name": checked_name(new_name)}
        if description is not None:
            values["description"] = checked_description(description)
        if visibility == "admin" and principal.role != "admin":
            raise InvalidInput("Only an admin can make a collection admin-owned.")
        if visibility is not None:
            values["visibility"] = visibility
        try:
            with self._database.write() as session:
                found = require_changeable(principal, one(session, principal, name))
                row = CollectionRow.collection_id == found.collection_id
                if values:
                    session.execute(update(CollectionRow).where(row).values(values))
                if visibility == "private":
                    of_it = SubscriptionRow.collection_id == found.collection_id
                    session.execute(delete(SubscriptionRow).where(of_it))
                return info(session, found.collection_id)
        except IntegrityError as error:
            raise InvalidInput(
                "Its owner already has a collection named {name!r}. Choose another name.",
                name=values["name"],
            ) from error

    def subscriptions(self, principal: Principal) -> frozenset[str]:
        """Ids of the collections that the principal has subscribed to."""
        mine = SubscriptionRow.user == principal.user
        query = select(SubscriptionRow.collection_id).where(mine)
        return frozenset(self._database.scalars(query))

    def subscribe(self, principal: Principal, name: str) -> CollectionInfo:
        """Let an unlisted collection, named by its id, show up for the principal from now on."""
        with self._database.write() as session:
            found = one(session, principal, name)
            row = {"user": principal.user, "collection_id": found.collection_id}
            insert_missing(session, SubscriptionRow, [row | {"created_at": ids.now()}])
            return found

    def unsubscribe(self, principal: Principal, name: str) -> CollectionInfo:
        """Take a subscription back; without effect when there is none."""
        with self._database.write() as session:
            found = one(session, principal, name)
            mine = {"user": principal.user, "collection_id": found.collection_id}
            session.execute(delete(SubscriptionRow).filter_by(**mine))
            return found


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
            "A collection needs a name of 1 to {most} printable characters, not {name!r}.",
            most=NAME_LENGTH,
            name=name,
        )
    return name


def checked_description(text: str) -> str:
    """The description; raises InvalidInput for one that would disturb whoever lists it."""
    text = text.strip()
    if len(text) > DESCRIPTION_LENGTH or not all(line.isprintable() for line in text.split("\n")):
        raise InvalidInput(
            "A description has at most {most} printable characters and line breaks.",
            most=DESCRIPTION_LENGTH,
        )
    return text


def bumped(collection_id: str) -> Update:
    """Counts up the content version, within the transaction that changed the content."""
    this = update(CollectionRow).where(CollectionRow.collection_id == collection_id)
    return this.values(content_version=CollectionRow.content_version + 1)


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
            "There is no collection {name!r} that you can read. You can read: {names}.",
            name=name,
            names=", ".join(listed) or "none yet; ingest something first",
        )
    return [row.collection_id for row in own or named]


def info(session: Session, collection_id: str) -> CollectionInfo:
    this = CollectionRow.collection_id == collection_id
    row = session.execute(counted().where(this)).one_or_none()
    if row is None:
        raise NotFound("There is no collection with the id {id!r}.", id=collection_id)
    return CollectionInfo.model_validate(row, from_attributes=True)


def counted(scope: Scope | None = None) -> Select[*tuple[Any, ...]]:
    """Collections with the number of their indexed documents and chunks, as a scope sees them."""
    return (
        select(
            table_of(CollectionRow),
            func.count(MembershipRow.content_id).label("documents"),
            func.coalesce(func.sum(ChunkingRow.chunks), 0).label("chunks"),
        )
        .outerjoin(
            MembershipRow,
            (MembershipRow.collection_id == CollectionRow.collection_id)
            & (MembershipRow.status == "indexed")
            & (true() if scope is None else chosen(scope)),
        )
        .outerjoin(ContentRow, ContentRow.content_id == MembershipRow.content_id)
        .outerjoin(ChunkingRow, OF_MEMBER)
        .group_by(CollectionRow.collection_id)
        .order_by(CollectionRow.name, CollectionRow.collection_id)
    )


def one(session: Session, principal: Principal, name: str) -> CollectionInfo:
    found = [row.collection_id for row in meant(session, principal, [name])]
    if len(found) > 1:
        raise InvalidInput(
            "{count} collections that you can read are named {name!r}. Say which by its id: {ids}.",
            count=len(found),
            name=name,
            ids=", ".join(found),
        )
    return info(session, found[0])


def require_changeable(principal: Principal, collection: CollectionInfo) -> CollectionInfo:
    if may_change(principal, collection):
        return collection
    if collection.visibility == "admin":
        raise InvalidInput(
            "Only an admin may change the collection {name!r}.", name=collection.name
        )
    raise InvalidInput(
        "The collection {name!r} belongs to {owner}: only its owner or an admin may "
        "change it. Create one of your own for what you want to add.",
        name=collection.name,
        owner=collection.owner,
    )
