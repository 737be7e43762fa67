"""Who asks, what they may read, and the tokens by which programs act for them."""

from typing import Final, Literal

from services.domain.value import Value

Preference = Literal["language", "profile"]
"""What the app keeps of a user: the language of the interface, and the usual profile."""


class Principal(Value):
    """Who asks. Resolved once per request."""

    user: str = "local"
    role: Literal["user", "admin"] = "user"


class Scope(Value):
    """What a request may read: ids of collections, and of ``documents`` unless all are meant."""

    user: str
    collections: tuple[str, ...]
    documents: tuple[str, ...] | None = None


TokenScope = Literal["read", "write", "admin"]
SCOPES: Final[tuple[TokenScope, ...]] = ("read", "write", "admin")
"""Each admits what those before it do."""


class TokenInfo(Value):
    """A token without its secret; ``expires_at`` is ISO 8601 in UTC, None for never."""

    name: str
    user: str
    scope: TokenScope
    created_at: str
    expires_at: str | None

    @property
    def principal(self) -> Principal:
        return Principal(user=self.user, role="admin" if self.scope == "admin" else "user")

    def admits(self, scope: TokenScope) -> bool:
        return SCOPES.index(self.scope) >= SCOPES.index(scope)


class NewToken(TokenInfo):
    """A token as it is made, with its secret, which is shown once."""

    token: str
