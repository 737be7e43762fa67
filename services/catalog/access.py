"""Who may read which collection: the one place that decides it, as SQL conditions."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, or_, true

from services.catalog.models import CollectionRow, MembershipRow
from services.types import Principal, Scope


def readable(principal: Principal) -> ColumnElement[bool]:
    """Collections that show up for ``principal``: their own, public ones, the admins'.

    An admin sees all. Unlisted collections of others show up for nobody else; they are
    reached by id, see :func:`reachable`.
    """
    if principal.role == "admin":
        return true()
    return or_(
        CollectionRow.owner == principal.user,
        CollectionRow.visibility.in_(("public", "admin")),
    )


def reachable(principal: Principal, ids: Sequence[str]) -> ColumnElement[bool]:
    """What :func:`readable` admits, and unlisted collections that the request names by id."""
    named = CollectionRow.collection_id.in_(ids) & (CollectionRow.visibility == "unlisted")
    return or_(readable(principal), named)


def openable(scope: Scope) -> ColumnElement[bool]:
    """Memberships whose texts a request may open: visible ones, and what old reports cite."""
    return MembershipRow.collection_id.in_(scope.collections) & MembershipRow.status.in_(
        ("indexed", "retired")
    )


def visible(scope: Scope) -> ColumnElement[bool]:
    """Memberships that a request with ``scope`` may see: fully indexed ones in its collections."""
    return MembershipRow.collection_id.in_(scope.collections) & (MembershipRow.status == "indexed")
