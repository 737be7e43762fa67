"""What a person does with one collection: name and share it, fill it, subscribe to it."""

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.access import may_change
from services.catalog.collections import (
    Collections,
    checked_description,
    checked_name,
    infos,
    meant,
)
from services.catalog.database import Database, insert_missing
from services.catalog.models import CollectionRow, SubscriptionRow
from services.catalog.values import Visibility
from services.errors import InvalidInput, NotFound
from services.types import CollectionInfo, Principal


class Sharing:
    """Every method checks access and acts in one transaction.

    ``name`` is a name or an id, as in ``Collections.scope``. All methods raise NotFound for a
    collection that the principal may not read, and InvalidInput for a name that several have.
    """

    def __init__(self, database: Database, collections: Collections) -> None:
        self._database = database
        self._collections = collections

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
        with self._database.read() as session:
            by_id = name in meant_ids(session, principal, name)
        found = self._collections.get(name) if by_id else self._collections.ensure(principal, name)
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
        values: dict[str, str] = {}
        if new_name is not None:
            values["name"] = checked_name(new_name)
        if description is not None:
            values["description"] = checked_description(description)
        if visibility is not None:
            values["visibility"] = allowed_visibility(principal, visibility)
        try:
            with self._database.write() as session:
                found = require_changeable(principal, one(session, principal, name))
                row = CollectionRow.collection_id == found.collection_id
                if values:
                    session.execute(update(CollectionRow).where(row).values(values))
                if visibility == "private":
                    drop_subscribers(session, found.collection_id)
                return infos(session, row)[0]
        except IntegrityError as error:
            raise InvalidInput(
                f"Its owner already has a collection named {values['name']!r}. Choose another name."
            ) from error

    def subscriptions(self, principal: Principal) -> frozenset[str]:
        """Ids of the collections that the principal has subscribed to."""
        mine = SubscriptionRow.user == principal.user
        with self._database.read() as session:
            return frozenset(session.scalars(select(SubscriptionRow.collection_id).where(mine)))

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
            session.execute(
                delete(SubscriptionRow).where(
                    SubscriptionRow.user == principal.user,
                    SubscriptionRow.collection_id == found.collection_id,
                )
            )
            return found


def one(session: Session, principal: Principal, name: str) -> CollectionInfo:
    found = [row.collection_id for row in meant(session, principal, [name])]
    if len(found) > 1:
        raise InvalidInput(
            f"{len(found)} collections that you can read are named {name!r}. "
            f"Say which by its id: {', '.join(found)}."
        )
    return infos(session, CollectionRow.collection_id == found[0])[0]


def meant_ids(session: Session, principal: Principal, name: str) -> list[str]:
    try:
        return [row.collection_id for row in meant(session, principal, [name])]
    except NotFound:
        return []


def require_changeable(principal: Principal, collection: CollectionInfo) -> CollectionInfo:
    if may_change(principal, collection):
        return collection
    if collection.visibility == "admin":
        raise InvalidInput(f"Only an admin may change the collection {collection.name!r}.")
    raise InvalidInput(
        f"The collection {collection.name!r} belongs to {collection.owner}: only its owner or an "
        "admin may change it. Create one of your own for what you want to add."
    )


def allowed_visibility(principal: Principal, visibility: Visibility) -> str:
    if visibility == "admin" and principal.role != "admin":
        raise InvalidInput("Only an admin can make a collection admin-owned.")
    return visibility


def drop_subscribers(session: Session, collection_id: str) -> None:
    session.execute(delete(SubscriptionRow).where(SubscriptionRow.collection_id == collection_id))
