"""Tokens of programs: only a hash of each is kept, so that whoever reads the catalog has none."""

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
from services.domain.tokens import NewToken, TokenInfo, TokenScope

PREFIX: Final = "rh_"
"""By which people and scanners of secrets know one."""
LONGEST_NAME: Final = 100
MOST_DAYS: Final = 3650


class Tokens(Repository):
    """Reads and writes tokens, each seen by whom it acts for, admins included."""

    def create(
        self, principal: Principal, name: str, scope: TokenScope, days: int | None
    ) -> NewToken:
        """A new token of that name; ``days`` None lets it live until it is revoked.

        Raises:
            InvalidInput: the name is taken or cannot be used, or the days are out of range.
        """
        name = name.strip()
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise InvalidInput("A token needs a name of 1 to {most} letters.", most=LONGEST_NAME)
        if days is not None and not 1 <= days <= MOST_DAYS:
            raise InvalidInput("A token lives 1 to {most} days.", most=MOST_DAYS)
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
                "There is a token {name!r} already. Revoke it, or name this one otherwise.",
                name=name,
            ) from error
        return info

    def list(self, principal: Principal) -> list[TokenInfo]:
        """One's own tokens by name, expired ones too."""
        own = select(TokenRow).where(TokenRow.user == principal.user)
        return self._database.values(TokenInfo, own.order_by(TokenRow.name))

    def revoke(self, principal: Principal, name: str) -> TokenInfo:
        """Forget one of one's own; what comes with it from now on is refused."""
        for info in self.list(principal):
            if info.name == name:
                mine = (TokenRow.user == principal.user) & (TokenRow.name == name)
                self._database.execute(delete(TokenRow).where(mine))
                return info
        raise NotFound(
            "There is no token {name!r} among yours. `rabbithole tokens list` shows them.",
            name=name,
        )

    def holder(self, token: str) -> TokenInfo:
        """The token that a program shows; raises Unauthorized unless it holds today."""
        known = select(TokenRow).where(TokenRow.sha256 == _hash(token))
        for info in self._database.values(TokenInfo, known):
            until = info.expires_at
            if until is None or datetime.fromisoformat(until) > datetime.now(UTC):
                return info
        raise Unauthorized(
            "A token is needed that holds: `rabbithole tokens create NAME` makes one, and "
            "programs send it as `Authorization: Bearer TOKEN`."
        )


def _hash(token: str) -> str:
    """Of so many random bits; a slow hash would add nothing."""
    return hashlib.sha256(token.encode(errors="backslashreplace")).hexdigest()
