"""Access: which collections a principal may read and change, and tokens, stored as hashes alone."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import BindParameter, ColumnElement, Text, cast, delete, exists, or_, select, true
from sqlalchemy.exc import IntegrityError

from services.catalog import ids
from services.catalog.database import Repository
from services.catalog.models import CollectionRow, MembershipRow, SubscriptionRow
from services.catalog.work_models import RunRow, TokenRow
from services.domain import CollectionInfo, Principal, Scope
from services.domain.errors import InvalidInput, NotFound, Unauthorized
from services.domain.identity import NewToken, TokenInfo, TokenScope


def readable(principal: Principal) -> ColumnElement[bool]:
    """Select what shows up for a principal: own, public, admin-owned and subscribed collections."""
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


def searched_by(principal: Principal) -> ColumnElement[bool]:
    """Select the unlisted collections that a thread of ``principal`` has searched."""
    is_searched = cast(RunRow.collection_ids, Text).contains(CollectionRow.collection_id)
    by_thread = exists().where(RunRow.owner == principal.user, is_searched)
    return (CollectionRow.visibility == "unlisted") & by_thread


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


PREFIX: Final = "rh_"
"""The prefix by which people and secret scanners recognise a token."""
LONGEST_NAME: Final = 100
MOST_DAYS: Final = 3650


class Tokens(Repository):
    """Reads and writes tokens. A principal sees and revokes their own; an admin sees all."""

    def create(
        self, principal: Principal, name: str, scope: TokenScope, days: int | None
    ) -> NewToken:
        """Create a token, valid until it is revoked if ``days`` is None; raise InvalidInput."""
        name = name.strip()
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise InvalidInput("A token needs a name of 1 to {most} characters.", most=LONGEST_NAME)
        if days is not None and not 1 <= days <= MOST_DAYS:
            raise InvalidInput("A token can be valid for 1 to {most} days.", most=MOST_DAYS)
        now = ids.now()
        until = None if days is None else datetime.fromisoformat(now) + timedelta(days=days)
        token = PREFIX + secrets.token_urlsafe(32)
        info = NewToken(
            name=name,
            user=principal.user,
            scope=scope,
            created_at=now,
            expires_at=until and until.isoformat(),
            token=token,
        )
        try:
            with self._database.write() as session:
                session.add(TokenRow(**info.model_dump(exclude={"token"}), sha256=_hash(token)))
        except IntegrityError as error:
            raise InvalidInput(
                "You already have a token {name!r}. Revoke it, or choose another name.", name=name
            ) from error
        return info

    def list(self, principal: Principal) -> list[TokenInfo]:
        """Return the principal's tokens, for an admin everybody's, expired ones too."""
        visible = true() if principal.role == "admin" else TokenRow.user == principal.user
        query = select(TokenRow).where(visible).order_by(TokenRow.user, TokenRow.name)
        return self._database.values(TokenInfo, query)

    def revoke(self, principal: Principal, name: str) -> TokenInfo:
        """Delete one of the principal's tokens; from now on it is refused."""
        mine = (TokenRow.user == principal.user) & (TokenRow.name == name)
        for info in self._database.values(TokenInfo, select(TokenRow).where(mine)):
            self._database.execute(delete(TokenRow).where(mine))
            return info
        raise NotFound(
            "You have no token {name!r}. `rabbithole tokens list` shows your tokens.", name=name
        )

    def holder(self, token: str) -> TokenInfo:
        """Return the token that a program presents; raise Unauthorized unless it is valid now."""
        query = select(TokenRow).where(TokenRow.sha256 == _hash(token))
        for info in self._database.values(TokenInfo, query):
            until = info.expires_at
            if until is None or datetime.fromisoformat(until) > datetime.now(UTC):
                return info
        raise Unauthorized(
            "A valid token is needed: `rabbithole tokens create NAME` creates one, and programs "
            "send it as `Authorization: Bearer TOKEN`."
        )


def _hash(token: str) -> str:
    """Return a fast hash: the token has so many random bits that a slow one would add nothing."""
    return hashlib.sha256(token.encode(errors="backslashreplace")).hexdigest()
