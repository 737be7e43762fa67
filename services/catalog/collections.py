"""Collections: named sets of documents with an owner and a visibility."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Select, Update, delete, func, or_, select, true, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.access import chosen, may_change, reachable, readable, searched_by
from services.catalog.database import Repository, cached, insert_missing, table_of
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
from services.domain.runs import RunInfo

NAME_LENGTH = 120
DESCRIPTION_LENGTH = 2000


class Collections(Repository):
    """Creates, finds, versions and shares collections. Names are unique for each owner.

    A collection is given by name or id, as ``scope`` explains. The methods that change one for a
    principal check access and act in one transaction; they raise NotFound for what the principal
    may not read, and InvalidInput for what they may not change or a name that several collections
    have.
    """

    def create(
        self,
        principal: Principal,
        name: str,
        *,
        description: str = "",
        visibility: Visibility = "private",
    ) -> CollectionInfo:
        """Create an empty collection owned by ``principal``; raise InvalidInput."""
        if visibility == "admin" and principal.role != "admin":
            raise InvalidInput("Only an administrator can create a centrally managed collection.")
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
        """Return the principal's own collection of that name, creating it if it is missing."""
        row = new_row(principal, name, "", "private")
        query = select(CollectionRow.collection_id).where(
            CollectionRow.owner == principal.user, CollectionRow.name == row["name"]
        )
        collection_id = self._database.scalar(query)
        if collection_id is None:
            with self._database.write() as session:
                insert_missing(session, CollectionRow, [row])
                collection_id = session.scalars(query).one()
        return self.get(collection_id)

    def list(self, principal: Principal) -> list[CollectionInfo]:
        """Return all collections that ``principal`` may read, by name."""
        return [*self._readable(principal)]

    @cached()
    def _readable(self, principal: Principal) -> tuple[CollectionInfo, ...]:
        query = counted().where(readable(principal))
        return tuple(self._database.values(CollectionInfo, query))

    def get(self, collection_id: str) -> CollectionInfo:
        """Return the collection with that id, without a check of access; raise NotFound."""
        with self._database.read() as session:
            return info(session, collection_id)

    @cached()
    def within(self, scope: Scope) -> tuple[CollectionInfo, ...]:
        """Return the collections of a scope by name, with counts of what it sees of them."""
        query = counted(scope).where(CollectionRow.collection_id.in_(scope.collections))
        collections = self._database.values(CollectionInfo, query)
        return tuple(info for info in collections if info.documents or scope.documents is None)

    def scope(self, principal: Principal, names: Sequence[str] | None) -> Scope:
        """Return what a request over the named collections may read; raise NotFound.

        ``names`` are names or ids; None means all that show up for the principal. Their own
        collection of a name takes precedence; an unlisted one of another user is reached by its id
        alone.
        """
        return self._scope(principal, None if names is None else tuple(names))

    @cached()
    def _scope(self, principal: Principal, names: tuple[str, ...] | None) -> Scope:
        with self._database.read() as session:
            rows = resolve(session, principal, names)
            unique_ids = dict.fromkeys(row.collection_id for row in rows)
        return Scope(user=principal.user, collections=tuple(unique_ids))

    def opening(self, principal: Principal) -> Scope:
        """Return what a principal may open: all that shows up, and what their threads searched."""
        may_open = or_(readable(principal), searched_by(principal))
        query = select(CollectionRow.collection_id).where(may_open).order_by(CollectionRow.name)
        return Scope(user=principal.user, collections=tuple(self._database.scalars(query)))

    def of_thread(self, principal: Principal, run: RunInfo) -> Scope:
        """Return what ``principal`` may read of the collections of a thread; raise NotFound.

        A thread of an earlier version has only their names. They mean the collections that were
        there when it began, so that no later one takes the place of a deleted one.
        """
        old, ids = CollectionRow.created_at <= run.created_at, run.collection_ids
        of_run = CollectionRow.collection_id.in_(ids) if ids else old
        query = select(CollectionRow).where(of_run, reachable(principal, run.searched))
        with self._database.read() as session:
            rows = session.scalars(query.order_by(CollectionRow.name)).all()
            if len(rows) < len(ids):
                raise unknown(", ".join(run.collections), resolve(session, principal, None))
            unique = {key: None for name in run.searched for key in matches(principal, name, rows)}
        return Scope(user=principal.user, collections=tuple(unique))

    @cached()
    def versions(self, scope: Scope) -> tuple[int, ...]:
        """Return the content versions of the scope's collections; -1 for a deleted one."""
        query = select(CollectionRow.collection_id, CollectionRow.content_version).where(
            CollectionRow.collection_id.in_(scope.collections)
        )
        versions = dict(self._database.rows(query))
        return tuple(versions.get(collection_id, -1) for collection_id in scope.collections)

    def bump(self, collection_id: str) -> None:
        """Increment the content version, so that cached results are no longer used."""
        self._database.execute(bumped(collection_id))

    @cached()
    def fingerprint(self, collection_id: str) -> str | None:
        """Return the embedding model of a collection's indexes, None before the first document."""
        query = select(CollectionRow.fingerprint).filter_by(collection_id=collection_id)
        return self._database.scalar(query)

    def set_fingerprint(self, collection_id: str, fingerprint: str) -> None:
        row = update(CollectionRow).where(CollectionRow.collection_id == collection_id)
        self._database.execute(row.values(fingerprint=fingerprint))

    def one(self, principal: Principal, name: str) -> CollectionInfo:
        """Return the one collection of that name or id that the principal may read."""
        with self._database.read() as session:
            return one(session, principal, name)

    def changeable(self, principal: Principal, name: str) -> CollectionInfo:
        """Return the same; raise InvalidInput unless the principal may change it."""
        with self._database.read() as session:
            return require_changeable(principal, one(session, principal, name))

    def receiving(self, principal: Principal, name: str) -> CollectionInfo:
        """Return the collection into which the principal ingests documents.

        That is the collection with ``name`` as its id, else the principal's own one of that name,
        which is created if it is missing. Collections of others are never found by their names.
        """
        query = select(CollectionRow.collection_id).filter_by(collection_id=name)
        by_id = self._database.scalar(query.where(reachable(principal, [name]))) is not None
        collection = self.get(name) if by_id else self.ensure(principal, name)
        return require_changeable(principal, collection)

    def change(
        self,
        principal: Principal,
        name: str,
        *,
        new_name: str | None = None,
        description: str | None = None,
        visibility: Visibility | None = None,
    ) -> CollectionInfo:
        """Change the given fields. A collection that becomes private loses its subscribers."""
        values: dict[str, str] = {} if new_name is None else {"name": checked_name(new_name)}
        if description is not None:
            values["description"] = checked_description(description)
        if visibility == "admin" and principal.role != "admin":
            raise InvalidInput("Only an administrator can have a collection managed centrally.")
        if visibility is not None:
            values["visibility"] = visibility
        try:
            with self._database.write() as session:
                collection = require_changeable(principal, one(session, principal, name))
                key = {"collection_id": collection.collection_id}
                if values:
                    session.execute(update(CollectionRow).filter_by(**key).values(values))
                if visibility == "private":
                    session.execute(delete(SubscriptionRow).filter_by(**key))
                return info(session, collection.collection_id)
        except IntegrityError as error:
            raise InvalidInput(
                "Its owner already has a collection named {name!r}. Choose another name.",
                name=values["name"],
            ) from error

    def subscriptions(self, principal: Principal) -> frozenset[str]:
        """Return the ids of the collections to which the principal has subscribed."""
        query = select(SubscriptionRow.collection_id).filter_by(user=principal.user)
        return frozenset(self._database.scalars(query))

    def subscribe(self, principal: Principal, name: str) -> CollectionInfo:
        """Let an unlisted collection, given by its id, show up for the principal from now on."""
        with self._database.write() as session:
            collection = one(session, principal, name)
            row = {"user": principal.user, "collection_id": collection.collection_id}
            insert_missing(session, SubscriptionRow, [row | {"created_at": ids.now()}])
            return collection

    def unsubscribe(self, principal: Principal, name: str) -> CollectionInfo:
        """Remove a subscription, if there is one."""
        with self._database.write() as session:
            collection = one(session, principal, name)
            key = {"user": principal.user, "collection_id": collection.collection_id}
            session.execute(delete(SubscriptionRow).filter_by(**key))
            return collection


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
    """Return the name without blanks around it; raise InvalidInput if it cannot be displayed."""
    name = name.strip()
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise InvalidInput(
            "A collection needs a name of 1 to {most} printable characters, not {name!r}.",
            most=NAME_LENGTH,
            name=name,
        )
    return name


def checked_description(text: str) -> str:
    """Return the stripped description; raise InvalidInput if it would break a list."""
    text = text.strip()
    if len(text) > DESCRIPTION_LENGTH or not all(line.isprintable() for line in text.split("\n")):
        raise InvalidInput(
            "A description can have at most {most} printable characters and line breaks.",
            most=DESCRIPTION_LENGTH,
        )
    return text


def bumped(collection_id: str) -> Update:
    """Return the update of the content version, for the transaction that changes the content."""
    row = update(CollectionRow).where(CollectionRow.collection_id == collection_id)
    return row.values(content_version=CollectionRow.content_version + 1)


def resolve(
    session: Session, principal: Principal, names: Sequence[str] | None
) -> Sequence[CollectionRow]:
    """Return the collections that a request names, as ``Collections.scope`` explains."""
    condition = readable(principal) if names is None else reachable(principal, names)
    ordered = select(CollectionRow).where(condition).order_by(CollectionRow.name)
    rows = list(session.scalars(ordered))
    if names is None:
        return rows
    by_id = {row.collection_id: row for row in rows}
    return [by_id[match] for name in names for match in matches(principal, name, rows)]


def matches(principal: Principal, name: str, rows: Sequence[CollectionRow]) -> Sequence[str]:
    """Return the ids of the reachable collections that have ``name`` as their id or name.

    An id takes precedence over names, so that nobody takes over a collection by naming theirs like
    its id. The principal's own collection takes precedence over those of others.
    """
    if any(row.collection_id == name for row in rows):
        return [name]
    same_name = [row for row in rows if row.name == name]
    owned = [row for row in same_name if row.owner == principal.user]
    if not same_name:
        raise unknown(name, rows)
    return [row.collection_id for row in owned or same_name]


def unknown(name: str, readable: Iterable[CollectionRow]) -> NotFound:
    names = sorted({row.name for row in readable})
    return NotFound(
        "There is no collection {name!r} that you can read. You can read: {names}.",
        name=name,
        names=", ".join(names) or "none yet (add documents first)",
    )


def info(session: Session, collection_id: str) -> CollectionInfo:
    query = counted().where(CollectionRow.collection_id == collection_id)
    row = session.execute(query).one_or_none()
    if row is None:
        raise NotFound("There is no collection with the id {id!r}.", id=collection_id)
    return CollectionInfo.model_validate(row, from_attributes=True)


def counted(scope: Scope | None = None) -> Select[*tuple[Any, ...]]:
    """Select collections with the numbers of indexed documents and chunks, within a scope."""
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
    matching = [row.collection_id for row in resolve(session, principal, [name])]
    if len(matching) > 1:
        raise InvalidInput(
            "{count} collections that you can read are named {name!r}. Choose one by its id: "
            "{ids}.",
            count=len(matching),
            name=name,
            ids=", ".join(matching),
        )
    return info(session, matching[0])


def require_changeable(principal: Principal, collection: CollectionInfo) -> CollectionInfo:
    if may_change(principal, collection):
        return collection
    if collection.visibility == "admin":
        raise InvalidInput(
            "Only an administrator can change the collection {name!r}.", name=collection.name
        )
    raise InvalidInput(
        "The collection {name!r} belongs to {owner}: only the owner or an administrator can "
        "change it. Create your own collection for your documents.",
        name=collection.name,
        owner=collection.owner,
    )
