"""Settings of retrieval and synthesis in three tiers: admin lock, profile, global default.

A locked global value holds for everybody. Otherwise a value of the profile counts, then a
global one, then the default below. Values live in the catalog and are read whenever they are
needed, so that a change takes effect at once, in every process.
"""

from collections.abc import Collection, Sequence
from typing import Literal

from pydantic import JsonValue, ValidationError

from services.catalog.parameters import Parameters, StoredParameter
from services.domain import Preference, Principal, SearchOptions, Value
from services.domain.errors import InvalidInput, NotFound
from services.library.parameters import (
    OF_PRESETS,
    PRESETS,
    SCHEMAS,
    KnowledgeParameters,
    ParameterSchema,
    ParameterType,
    Preset,
    checked_name,
    checked_value,
    require_global,
    schema_of,
)

PREFERENCE = "preference."
"""Before the names of preferences, so that none is taken for a parameter of retrieval."""

Origin = Literal["default", "global", "profile", "locked"]


class EffectiveParameter(Value):
    """The value that counts, and which tier it comes from. Without a bound that is None."""

    key: str
    value: JsonValue
    origin: Origin
    type: ParameterType
    minimum: int | float | None
    maximum: int | float | None

    @property
    def locked(self) -> bool:
        return self.origin == "locked"


class EffectiveConfiguration(Value):
    """All parameters of a profile, or of requests that name none (``profile`` is None)."""

    profile: str | None
    parameters: tuple[EffectiveParameter, ...]

    def __getitem__(self, key: str) -> EffectiveParameter:
        return next(each for each in self.parameters if each.key == key)

    def values(self) -> KnowledgeParameters:
        """Return the values alone, by name.

        Raises:
            InvalidInput: a value was stored by an earlier version and no longer exists.
        """
        values = {each.key: each.value for each in self.parameters}
        try:
            return KnowledgeParameters.model_validate(values)
        except ValidationError:
            for key, value in values.items():
                self._require_valid(key, value)
            raise

    def _require_valid(self, key: str, value: JsonValue) -> None:
        try:
            checked_value(key, value)
        except InvalidInput as error:
            raise InvalidInput(
                "{reason} An earlier version has set this. Choose another value: rabbithole config "
                "set {key} VALUE{profile}",
                reason=error.notice,
                key=key,
                profile=f" --profile {self.profile!r}" if self.profile else "",
            ) from error

    def search_options(self) -> SearchOptions:
        """What every search applies."""
        values = self.values()
        return SearchOptions(
            min_relevance=values.min_relevance_score,
            max_chunks_per_document=values.max_chunks_per_document,
            freshness_weight=values.freshness_weight,
            freshness_decay_rate=values.freshness_decay_rate,
        )

    def hits(self, wanted: int | None) -> int:
        """How many hits a search returns: ``wanted``, unless an admin locked a lower number."""
        most = int(self.values().max_docs)
        if wanted is None:
            return most
        return min(wanted, most) if self["maxDocs"].locked else wanted

    def collections(self, wanted: Sequence[str] | None) -> tuple[str, ...] | None:
        """Names or ids that a request means: those it names, else the profile's; None for all."""
        named = tuple(wanted or ())
        return named or tuple(each.collection for each in self.values().collections) or None


class Configuration:
    """Reads and changes settings for a principal.

    Profiles belong to the user who made them. Global values and locks are for admins: whoever
    has the role, and the users that the setting ``admins`` (``RABBITHOLE_ADMINS``) names. By
    default that is ``local``, the user of the command line without ``--user``: on a machine of
    one's own that person can write the catalog's file anyway. Being named there gives no right
    to read what belongs to others; only the role does. ``hits`` is the default of ``maxDocs``
    outside profiles (``RABBITHOLE_K``).
    """

    def __init__(self, parameters: Parameters, admins: Collection[str], hits: int = 10) -> None:
        self._parameters = parameters
        self._admins = admins
        most = SCHEMAS["maxDocs"].model_copy(update={"default": hits})
        self._schemas = SCHEMAS | {"maxDocs": most}

    def effective(self, principal: Principal, profile: str | None = None) -> EffectiveConfiguration:
        """The values that count for the principal with this profile, switched on or not.

        Raises:
            NotFound: the principal has no profile of that name.
        """
        everywhere, own = self._parameters.of(principal.user, profile or "")
        if profile is not None and not own:
            raise self._unknown(principal, profile)
        shown = tuple(
            _effective(schema, everywhere.get(schema.key), own.get(schema.key), profile)
            for schema in self._schemas.values()
            if profile is not None or not schema.of_profiles
        )
        return EffectiveConfiguration(profile=profile, parameters=shown)

    def for_request(self, principal: Principal, profile: str | None) -> EffectiveConfiguration:
        """The same for a request, which a profile that is switched off does not serve.

        Raises:
            InvalidInput: the profile is switched off.
            NotFound: the principal has no profile of that name.
        """
        effective = self.effective(principal, profile)
        if not effective.values().enabled:
            raise InvalidInput(
                "The profile {profile!r} is switched off. Switch it on with: rabbithole config "
                "set enabled true --profile {profile}",
                profile=profile,
            )
        return effective

    def profiles(self, principal: Principal) -> list[str]:
        """Names of the principal's profiles, sorted."""
        return self._parameters.profiles(principal.user)

    def set(
        self, principal: Principal, key: str, value: JsonValue, profile: str | None = None
    ) -> EffectiveParameter:
        """Set a value in a profile, which need not exist yet, or globally.

        Returns:
            What counts now: of a locked parameter the global value, while the one of the
            profile is kept for when the lock is gone.

        Raises:
            InvalidInput: no such parameter, a value out of bounds, a bad name of a profile, or
                a global value is set by somebody who is no admin.
        """
        checked = checked_value(key, value)
        if profile is None:
            require_global(key)
            self._require_admin(principal, "set global values; name a profile of your own")
            self._parameters.put(key, checked)
            return self.effective(principal)[key]
        name = checked_name(profile)
        self._parameters.put(key, checked, owner=principal.user, profile=name)
        return self.effective(principal, name)[key]

    def unset(self, principal: Principal, key: str, profile: str | None = None) -> None:
        """Forget a value of a profile, or a global one with its lock; raises as ``set``.

        A profile without values is gone.
        """
        if profile is None:
            require_global(key)
        else:
            schema_of(key)
        self._forget(principal, [key], profile)

    def lock(self, principal: Principal, key: str, locked: bool = True) -> EffectiveParameter:
        """Make the global value hold in every profile, or free it again; raises as ``set``.

        Where none was set, the default is locked.
        """
        require_global(key)
        self._require_admin(principal, "lock and unlock parameters")
        stored = self._parameters.everywhere().get(key)
        value = None if stored is None else stored.value
        if locked or value is not None:
            self._parameters.put(key, value, locked=locked)
        else:
            self._parameters.remove(key)
        return self.effective(principal)[key]

    def preset(self, principal: Principal, profile: str | None = None) -> Preset | None:
        """The preset that is chosen; None where some value is neither its own nor unset."""
        effective = self.effective(principal, profile)
        own = ("global", "locked") if profile is None else ("profile",)
        chosen = {key: effective[key].value for key in OF_PRESETS if effective[key].origin in own}
        return next((name for name, values in PRESETS.items() if values == chosen), None)

    def apply_preset(self, principal: Principal, name: Preset, profile: str | None = None) -> None:
        """Sets what a preset sets, and unsets what another would; raises as ``set``."""
        for key, value in PRESETS[name].items():
            self.set(principal, key, value, profile)
        others = [key for key in OF_PRESETS if key not in PRESETS[name]]
        self._forget(principal, others, profile)

    def delete_profile(self, principal: Principal, profile: str) -> None:
        """Forget a profile with all its values.

        Raises:
            NotFound: the principal has no profile of that name.
        """
        if not self._parameters.remove_profile(principal.user, profile):
            raise self._unknown(principal, profile)

    def preference(self, principal: Principal, name: Preference) -> str | None:
        """What a user chose for themselves in the app; None where nothing was chosen."""
        _, own = self._parameters.of(principal.user, "")
        stored = own.get(PREFERENCE + name)
        return None if stored is None or stored.value is None else str(stored.value)

    def set_preference(self, principal: Principal, name: Preference, value: str | None) -> None:
        """Keep a choice for all windows to come; None forgets it. Readers decide what it means."""
        if value is None:
            self._parameters.remove(PREFERENCE + name, owner=principal.user)
        else:
            self._parameters.put(PREFERENCE + name, value, owner=principal.user)

    def may_administer(self, principal: Principal) -> bool:
        """Whether the principal may set global values and locks."""
        return principal.role == "admin" or principal.user in self._admins

    def _forget(self, principal: Principal, keys: Sequence[str], profile: str | None) -> None:
        """All at once: a profile is gone with the last of its values."""
        place = {} if profile is None else {"owner": principal.user, "profile": profile}
        if profile is None:
            self._require_admin(principal, "unset global values")
        else:
            self.effective(principal, profile)
        for key in keys:
            self._parameters.remove(key, **place)

    def _require_admin(self, principal: Principal, what: str) -> None:
        if not self.may_administer(principal):
            raise InvalidInput(
                "Only an admin can {act}. Admins are: {admins}.",
                act=what,
                admins=", ".join(self._admins) or "none",
            )

    def _unknown(self, principal: Principal, profile: str) -> NotFound:
        names = ", ".join(self.profiles(principal)) or "none yet"
        return NotFound(
            "You have no profile {profile!r} (yours: {names}). Make it with: rabbithole "
            "config set KEY VALUE --profile {profile}",
            profile=profile,
            names=names,
        )


def _effective(
    schema: ParameterSchema,
    everywhere: StoredParameter | None,
    own: StoredParameter | None,
    profile: str | None,
) -> EffectiveParameter:
    """The three tiers for one parameter."""
    origin: Origin = "default"
    value = schema.default
    if profile is not None and schema.in_profiles is not None:
        value = schema.in_profiles
    if everywhere is not None:
        value = schema.default if everywhere.value is None else everywhere.value
        origin = "locked" if everywhere.locked else "global"
    if own is not None and origin != "locked":
        value, origin = own.value, "profile"
    shown = schema.model_dump(include={"key", "type", "minimum", "maximum"})
    return EffectiveParameter(value=value, origin=origin, **shown)
