"""Access: which collections a principal may read and change is decided here alone."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, or_, select, true

from services.catalog.models import CollectionRow, MembershipRow, SubscriptionRow
from services.domain import CollectionInfo, Principal, Scope


def readable(principal: Principal) -> ColumnElement[bool]:
    """Select the collections that show up for ``principal``, as a condition on ``CollectionRow``.

    These are their own, public and admin-owned ones, and unlisted ones to which they subscribed.
    An admin sees all. Other unlisted collections are reached by id, see `reachable`.
    """
    if principal.role == "admin":
        return true()
    subscribed = select(SubscriptionRow.collection_id).where(SubscriptionRow.user == principal.user)
    return or_(
        CollectionRow.owner == principal.user,
        CollectionRow.visibility.in_(("public", "admin")),
        (CollectionRow.visibility == "unlisted") & CollectionRow.collection_id.in_(subscribed),
    )


def reachable(principal: Principal, ids: Sequence[str]) -> ColumnElement[bool]:
    """Select what is `readable`, and unlisted collections that the request names by id."""
    named = CollectionRow.collection_id.in_(ids) & (CollectionRow.visibility == "unlisted")
    return or_(readable(principal), named)


def openable(scope: Scope) -> ColumnElement[bool]:
    """Select the memberships whose texts a request may open: visible and retired ones."""
    opened = MembershipRow.status.in_(("indexed", "retired"))
    return MembershipRow.collection_id.in_(scope.collections) & opened & chosen(scope)


def visible(scope: Scope) -> ColumnElement[bool]:
    """Select the memberships that a request may see: indexed ones in its scope."""
    return visible_in(scope.collections) & chosen(scope)


def chosen(scope: Scope) -> ColumnElement[bool]:
    """Select the memberships of the documents to which the scope is narrowed."""
    return true() if scope.documents is None else MembershipRow.content_id.in_(scope.documents)


def visible_in(collections: Sequence[str] | BindParameter[Any]) -> ColumnElement[bool]:
    """Select the indexed memberships in collections, which may be a bound parameter."""
    return MembershipRow.collection_id.in_(collections) & (MembershipRow.status == "indexed")


def may_change(principal: Principal, collection: CollectionInfo) -> bool:
    """Return whether ``principal`` may rename, share, fill, empty and delete a collection.

    Its owner and every admin may; an admin-owned one only admins may.
    """
    if principal.role == "admin":
        return True
    return collection.owner == principal.user and collection.visibility != "admin"
