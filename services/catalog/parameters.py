"""Values that people change at run time: global ones with locks, profiles, and preferences."""

from collections.abc import Mapping

from pydantic import JsonValue
from sqlalchemy import delete, select

from services.catalog import ids
from services.catalog.database import Database, Repository, insert_missing
from services.catalog.models import ParameterRow
from services.domain import Value

EVERYBODY = ""
"""Owner of the global values; their profile has the empty name, as that of preferences has."""


class StoredParameter(Value):
    """A value as it was set; None where only a lock was. Global values alone are locked."""

    value: JsonValue
    locked: bool


StoredParameters = Mapping[str, StoredParameter]
PROFILES = 64
"""So many are not read again while the catalog stays as it is."""


class Parameters(Repository):
    """Reads and writes values. What they mean and who may set them is decided by the caller."""

    def everywhere(self) -> StoredParameters:
        """What was set globally, by key."""
        return self.of(EVERYBODY, "")[0]

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.of = database.cached(PROFILES, self._of)

    def _of(self, owner: str, profile: str) -> tuple[StoredParameters, StoredParameters]:
        """What was set globally, and what in that profile of a user, by key."""
        row = ParameterRow
        query = select(row.owner, row.key, row.value, row.locked).where(
            ((row.owner == EVERYBODY) & (row.profile == ""))
            | ((row.owner == owner) & (row.profile == profile))
        )
        everywhere: dict[str, StoredParameter] = {}
        own: dict[str, StoredParameter] = {}
        for holder, key, value, locked in self._database.rows(query):
            stored = everywhere if holder == EVERYBODY else own
            stored[key] = StoredParameter(value=value["value"], locked=locked)
        return everywhere, own

    def profiles(self, owner: str) -> list[str]:
        """Names of the profiles in which that user has set something, sorted."""
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
        place = {"owner": owner, "profile": profile, "key": key}
        row = place | {"value": {"value": value}, "locked": False, "updated_at": ids.now()}
        with self._database.write() as session:
            insert_missing(session, ParameterRow, [row])
            stored = session.get_one(ParameterRow, (owner, profile, key))
            stored.value, stored.updated_at = {"value": value}, ids.now()
            if locked is not None:
                stored.locked = locked

    def remove(self, key: str, *, owner: str = EVERYBODY, profile: str = "") -> None:
        """Forget a value and its lock; without effect where none was set."""
        place = {"owner": owner, "profile": profile, "key": key}
        self._database.execute(delete(ParameterRow).filter_by(**place))

    def remove_profile(self, owner: str, profile: str) -> bool:
        """Forget all values of a user's profile; whether there were any."""
        if not profile:
            return False  # the values without a profile are no profile
        of_profile = delete(ParameterRow).filter_by(owner=owner, profile=profile)
        return self._database.execute(of_profile) > 0
