"""What a user prefers in the app, kept from one visit to the next."""

from typing import TYPE_CHECKING

from services.types import Preference, Principal

if TYPE_CHECKING:
    from services.catalog.parameters import Parameters

PREFIX = "preference."
"""Before the names, so that none is taken for a parameter of retrieval."""


class Preferences:
    """One value by name for every user, beside their profiles; nobody else sees it.

    What a value means, and whether it still means anything, is decided by whoever reads it.
    """

    def __init__(self, parameters: "Parameters") -> None:
        self._parameters = parameters

    def get(self, principal: Principal, name: Preference) -> str | None:
        """What the user chose; None where nothing was chosen."""
        _, own = self._parameters.of(principal.user, "")
        stored = own.get(PREFIX + name)
        return None if stored is None or stored.value is None else str(stored.value)

    def set(self, principal: Principal, name: Preference, value: str | None) -> None:
        """Keep a choice; None forgets it."""
        if value is None:
            self._parameters.remove(PREFIX + name, owner=principal.user)
        else:
            self._parameters.put(PREFIX + name, value, owner=principal.user)
