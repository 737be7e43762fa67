"""Who may read and who may change which collection: the one place that decides it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, or_, select, true

from services.catalog.models import CollectionRow, MembershipRow, SubscriptionRow
from services.domain import CollectionInfo, Principal, Scope


def readable(principal: Principal) -> ColumnElement[bool]:
    """Collections that show up for ``principal``, as a condition on ``CollectionRow``.

    Their own, public ones, the admins', and unlisted ones that they subscribed to. An admin
    sees all. Other unlisted collections are reached by id, see :func:`reachable`.
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
    """What :func:`readable` admits, and unlisted collections that the request names by id."""
    named = CollectionRow.collection_id.in_(ids) & (CollectionRow.visibility == "unlisted")
    return or_(readable(principal), named)


def openable(scope: Scope) -> ColumnElement[bool]:
    """Memberships whose texts a request may open: visible ones, and what old reports cite."""
    opened = MembershipRow.status.in_(("indexed", "retired"))
    return MembershipRow.collection_id.in_(scope.collections) & opened & chosen(scope)


def visible(scope: Scope) -> ColumnElement[bool]:
    """Memberships that a request with ``scope`` may see: fully indexed ones in its collections."""
    return visible_in(scope.collections) & chosen(scope)


def chosen(scope: Scope) -> ColumnElement[bool]:
    """Memberships of the documents that the scope is narrowed to."""
    return true() if scope.documents is None else MembershipRow.content_id.in_(scope.documents)


def visible_in(collections: Sequence[str] | BindParameter[Any]) -> ColumnElement[bool]:
    """``visible`` for the collections of a scope, or for a parameter that will stand for them."""
    return MembershipRow.collection_id.in_(collections) & (MembershipRow.status == "indexed")


def may_change(principal: Principal, collection: CollectionInfo) -> bool:
    """Whether ``principal`` may rename, share, fill, empty and delete a collection.

    The owner may, and every admin; what is admin-owned only admins change.
    """
    if principal.role == "admin":
        return True
    return collection.owner == principal.user and collection.visibility != "admin"
