"""Settings that people change at run time: global values with locks, profiles, preferences."""

from collections.abc import Mapping

from pydantic import JsonValue
from sqlalchemy import delete, select

from services.catalog import ids
from services.catalog.database import Repository, cached, insert_missing
from services.catalog.models import ParameterRow
from services.domain import Value

EVERYBODY = ""
"""Owner of the global values. Their profile has the empty name, as that of preferences."""


class StoredParameter(Value):
    """A stored value; None if only a lock was set. Only global values are locked."""

    value: JsonValue
    locked: bool


StoredParameters = Mapping[str, StoredParameter]


class Parameters(Repository):
    """Reads and writes values. The caller checks what they mean and who may set them."""

    def global_values(self) -> StoredParameters:
        """Return what was set globally, by key."""
        return self.of(EVERYBODY, "")[0]

    @cached()
    def of(self, owner: str, profile: str) -> tuple[StoredParameters, StoredParameters]:
        """Return what was set globally, and in that profile of a user, by key."""
        row = ParameterRow
        query = select(row.owner, row.key, row.value, row.locked).where(
            ((row.owner == EVERYBODY) & (row.profile == ""))
            | ((row.owner == owner) & (row.profile == profile))
        )
        global_values: dict[str, StoredParameter] = {}
        of_profile: dict[str, StoredParameter] = {}
        for holder, key, value, locked in self._database.rows(query):
            tier = global_values if holder == EVERYBODY else of_profile
            tier[key] = StoredParameter(value=value["value"], locked=locked)
        return global_values, of_profile

    def profiles(self, owner: str) -> list[str]:
        """Return the names of a user's profiles, sorted."""
        query = select(ParameterRow.profile).where(ParameterRow.owner == owner).distinct()
        return sorted(filter(None, self._database.scalars(query)))

    def put(
        self,
        key: str,
        value: JsonValue,
        *,
        owner: str = EVERYBODY,
        profile: str = "",
        locked: bool | None = None,
    ) -> None:
        """Set a value, and whether it is locked; None leaves the lock as it is."""
        row = {"owner": owner, "profile": profile, "key": key, "value": {"value": value}}
        with self._database.write() as session:
            insert_missing(
                session, ParameterRow, [row | {"locked": False, "updated_at": ids.now()}]
            )
            stored = session.get_one(ParameterRow, (owner, profile, key))
            stored.value, stored.updated_at = {"value": value}, ids.now()
            if locked is not None:
                stored.locked = locked

    def remove(self, key: str, *, owner: str = EVERYBODY, profile: str = "") -> None:
        """Delete a value and its lock, if set."""
        row = {"owner": owner, "profile": profile, "key": key}
        self._database.execute(delete(ParameterRow).filter_by(**row))

    def remove_profile(self, owner: str, profile: str) -> bool:
        """Delete all values of a user's profile; return whether there were any."""
        if not profile:
            return False  # the values without a profile are no profile
        of_profile = delete(ParameterRow).filter_by(owner=owner, profile=profile)
        return self._database.execute(of_profile) > 0
