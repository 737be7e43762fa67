"""Settings of retrieval and synthesis in three tiers: admin lock, profile, global default.

A locked global value applies to everybody. Otherwise a value of the profile applies, then a global
one, then the default. Values are read from the catalog whenever they are needed.
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
"""Prefix of the names of preferences, which distinguishes them from parameters of retrieval."""

Origin = Literal["default", "global", "profile", "locked"]


class EffectiveParameter(Value):
    """A parameter's value with the tier it comes from; a bound that does not exist is None."""

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
    """All parameters of a profile, or of requests without one (``profile`` is None)."""

    profile: str | None
    parameters: tuple[EffectiveParameter, ...]

    def __getitem__(self, key: str) -> EffectiveParameter:
        return next(parameter for parameter in self.parameters if parameter.key == key)

    def values(self) -> KnowledgeParameters:
        """Return the values by name; raise InvalidInput for one that is no longer valid."""
        values = {parameter.key: parameter.value for parameter in self.parameters}
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
                "{reason} An earlier version set this value. Choose another one: rabbithole "
                "config set {key} VALUE{profile}",
                reason=error.notice,
                key=key,
                profile=f" --profile {self.profile!r}" if self.profile else "",
            ) from error

    def search_options(self) -> SearchOptions:
        values = self.values()
        return SearchOptions(
            min_relevance=values.min_relevance_score,
            max_chunks_per_document=values.max_chunks_per_document,
            freshness_weight=values.freshness_weight,
            freshness_decay_rate=values.freshness_decay_rate,
        )

    def hits(self, requested: int | None) -> int:
        """Return the number of hits of a search, which an admin's lock may limit."""
        most = int(self.values().max_docs)
        if requested is None:
            return most
        return min(requested, most) if self["maxDocs"].locked else requested

    def collections(self, requested: Sequence[str] | None) -> tuple[str, ...] | None:
        """Return the collections of a request, else those of the profile; None means all."""
        names = requested or [entry.collection for entry in self.values().collections]
        return tuple(names) or None


class Configuration:
    """Reads and changes settings for a principal.

    Profiles belong to the user who made them. Global values and locks are for admins: principals
    with the role, and the users in the setting ``admins`` (``RABBITHOLE_ADMINS``). By default that
    is ``local``, the user of the command line without ``--user``, who can write to the catalog's
    file anyway. Only the role gives the right to read what belongs to others.
    """

    def __init__(self, parameters: Parameters, admins: Collection[str], hits: int = 10) -> None:
        self._parameters = parameters
        self._admins = admins
        most = SCHEMAS["maxDocs"].model_copy(update={"default": hits})
        self._schemas = SCHEMAS | {"maxDocs": most}

    def effective(self, principal: Principal, profile: str | None = None) -> EffectiveConfiguration:
        """Return the values that apply with a profile, enabled or not; raise NotFound."""
        global_values, of_profile = self._parameters.of(principal.user, profile or "")
        if profile is not None and not of_profile:
            raise self._unknown(principal, profile)
        parameters = tuple(
            _effective(schema, global_values.get(schema.key), of_profile.get(schema.key), profile)
            for schema in self._schemas.values()
            if profile is not None or not schema.of_profiles
        )
        return EffectiveConfiguration(profile=profile, parameters=parameters)

    def for_request(self, principal: Principal, profile: str | None) -> EffectiveConfiguration:
        """Return the values for a request; raise InvalidInput if its profile is switched off."""
        effective = self.effective(principal, profile)
        if not effective.values().enabled:
            raise InvalidInput(
                "The profile {profile!r} is switched off. Switch it on with: rabbithole config "
                "set enabled true --profile {profile}",
                profile=profile,
            )
        return effective

    def profiles(self, principal: Principal) -> list[str]:
        """Return the names of the principal's profiles, sorted."""
        return self._parameters.profiles(principal.user)

    def set(
        self, principal: Principal, key: str, value: JsonValue, profile: str | None = None
    ) -> EffectiveParameter:
        """Set a value globally or in a profile, which need not exist yet; raise InvalidInput.

        The parameter that applies now is returned: the global value if it is locked. The profile's
        value is stored and applies once the lock is removed.
        """
        checked = checked_value(key, value)
        if profile is None:
            require_global(key)
            self._require_admin(principal, "set global values (use your own profile instead)")
            self._parameters.put(key, checked)
            return self.effective(principal)[key]
        name = checked_name(profile)
        self._parameters.put(key, checked, owner=principal.user, profile=name)
        return self.effective(principal, name)[key]

    def unset(self, principal: Principal, key: str, profile: str | None = None) -> None:
        """Delete a value of a profile, which may be its last, or a global one with its lock."""
        if profile is None:
            require_global(key)
        else:
            schema_of(key)
        self._forget(principal, [key], profile)

    def lock(self, principal: Principal, key: str, locked: bool = True) -> EffectiveParameter:
        """Lock or unlock the global value, or the default if there is none, in every profile."""
        require_global(key)
        self._require_admin(principal, "lock and unlock parameters")
        stored = self._parameters.global_values().get(key)
        value = None if stored is None else stored.value
        if locked or value is not None:
            self._parameters.put(key, value, locked=locked)
        else:
            self._parameters.remove(key)
        return self.effective(principal)[key]

    def preset(self, principal: Principal, profile: str | None = None) -> Preset | None:
        effective = self.effective(principal, profile)
        tiers = ("global", "locked") if profile is None else ("profile",)
        chosen = {key: effective[key].value for key in OF_PRESETS if effective[key].origin in tiers}
        return next((name for name, values in PRESETS.items() if values == chosen), None)

    def apply_preset(self, principal: Principal, name: Preset, profile: str | None = None) -> None:
        """Set the values of a preset and unset those of other presets; raise as ``set``."""
        for key, value in PRESETS[name].items():
            self.set(principal, key, value, profile)
        others = [key for key in OF_PRESETS if key not in PRESETS[name]]
        self._forget(principal, others, profile)

    def delete_profile(self, principal: Principal, profile: str) -> None:
        """Delete a profile with all its values; raise NotFound."""
        if not self._parameters.remove_profile(principal.user, profile):
            raise self._unknown(principal, profile)

    def preference(self, principal: Principal, name: Preference) -> str | None:
        """Return what a user has chosen in the app, None if nothing."""
        _, preferences = self._parameters.of(principal.user, "")
        stored = preferences.get(PREFERENCE + name)
        return None if stored is None or stored.value is None else str(stored.value)

    def set_preference(self, principal: Principal, name: Preference, value: str | None) -> None:
        """Store a user's choice in the app; None deletes it."""
        if value is None:
            self._parameters.remove(PREFERENCE + name, owner=principal.user)
        else:
            self._parameters.put(PREFERENCE + name, value, owner=principal.user)

    def may_administer(self, principal: Principal) -> bool:
        """Return whether the principal may set global values and locks."""
        return principal.role == "admin" or principal.user in self._admins

    def _forget(self, principal: Principal, keys: Sequence[str], profile: str | None) -> None:
        """Delete values after one check: a profile no longer exists without its last value."""
        if profile is None:
            self._require_admin(principal, "unset global values")
        else:
            self.effective(principal, profile)
        tier = {} if profile is None else {"owner": principal.user, "profile": profile}
        for key in keys:
            self._parameters.remove(key, **tier)

    def _require_admin(self, principal: Principal, what: str) -> None:
        if not self.may_administer(principal):
            raise InvalidInput(
                "Only an administrator can {act}. Administrators: {admins}.",
                act=what,
                admins=", ".join(self._admins) or "none",
            )

    def _unknown(self, principal: Principal, profile: str) -> NotFound:
        names = ", ".join(self.profiles(principal)) or "none yet"
        return NotFound(
            "You have no profile {profile!r} (yours: {names}). Create it with: rabbithole config "
            "set KEY VALUE --profile {profile}",
            profile=profile,
            names=names,
        )


def _effective(
    schema: ParameterSchema,
    global_value: StoredParameter | None,
    of_profile: StoredParameter | None,
    profile: str | None,
) -> EffectiveParameter:
    origin: Origin = "default"
    value = schema.default
    if profile is not None and schema.in_profiles is not None:
        value = schema.in_profiles
    if global_value is not None:
        value = schema.default if global_value.value is None else global_value.value
        origin = "locked" if global_value.locked else "global"
    if of_profile is not None and origin != "locked":
        value, origin = of_profile.value, "profile"
    fields = schema.model_dump(include={"key", "type", "minimum", "maximum"})
    return EffectiveParameter(value=value, origin=origin, **fields)
