"""Who asks, what they may read, and what is kept of them."""

from typing import Literal

from services.domain.value import Value

Preference = Literal["language", "profile"]
"""What the app keeps of a user: the language of the interface, and the usual profile."""


class Principal(Value):
    """Who asks. Resolved once per request."""

    user: str = "local"
    role: Literal["user", "admin"] = "user"


class Scope(Value):
    """What a request may read: ids of collections. An empty scope finds nothing.

    ``documents`` are the ids of those that were chosen within them, None where all are meant.
    """

    user: str
    collections: tuple[str, ...]
    documents: tuple[str, ...] | None = None
