"""Tokens of programs. Only hashes are stored, so that a reader of the catalog gets no token."""

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from services.catalog import ids
from services.catalog.database import Repository
from services.catalog.work_models import TokenRow
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound, Unauthorized
from services.domain.identity import NewToken, TokenInfo, TokenScope

PREFIX: Final = "rh_"
"""The prefix by which people and secret scanners recognise a token."""
LONGEST_NAME: Final = 100
MOST_DAYS: Final = 3650


class Tokens(Repository):
    """Reads and writes tokens. A principal sees only their own, even an admin."""

    def create(
        self, principal: Principal, name: str, scope: TokenScope, days: int | None
    ) -> NewToken:
        """Create a token; with ``days`` None it is valid until it is revoked.

        Raises:
            InvalidInput: The name is taken or cannot be used, or the days are out of range.
        """
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
                "You already have a token {name!r}. Revoke it, or choose another name.",
                name=name,
            ) from error
        return info

    def list(self, principal: Principal) -> list[TokenInfo]:
        """Return the principal's tokens by name, expired ones too."""
        query = select(TokenRow).where(TokenRow.user == principal.user)
        return self._database.values(TokenInfo, query.order_by(TokenRow.name))

    def revoke(self, principal: Principal, name: str) -> TokenInfo:
        """Delete one of the principal's tokens; from now on it is refused."""
        for info in self.list(principal):
            if info.name == name:
                mine = (TokenRow.user == principal.user) & (TokenRow.name == name)
                self._database.execute(delete(TokenRow).where(mine))
                return info
        raise NotFound(
            "You have no token {name!r}. `rabbithole tokens list` shows your tokens.",
            name=name,
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
