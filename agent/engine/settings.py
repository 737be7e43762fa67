"""The part of an engine that shows and changes settings, and tries the models."""

from pydantic import JsonValue

from agent.engine.jobs import CheckEmbedder, CheckModel, ShowCache
from agent.engine.part import Part
from services.domain import CacheStatistics, Preference
from services.domain.model_checks import EmbedderCheck, ModelCheck
from services.library.configuration import Configuration, EffectiveParameter, Preferences


class SettingsPart(Part):
    """Parameters stand in the catalog and are reached in any process; models through jobs."""

    @property
    def _configuration(self) -> Configuration:
        return self._services.library.configuration

    @property
    def _preferences(self) -> Preferences:
        return Preferences(self._services.catalog.parameters)

    def is_admin(self) -> bool:
        """Whether one may set global values and locks."""
        return self._configuration.may_administer(self._principal)

    def parameters(self, profile: str | None = None) -> tuple[EffectiveParameter, ...]:
        """What counts with this profile, or without one; raises NotFound for an unknown one."""
        return self._configuration.effective(self._principal, profile).parameters

    def profiles(self) -> list[str]:
        """Names of one's profiles, sorted."""
        return self._configuration.profiles(self._principal)

    def set_parameter(self, key: str, value: JsonValue, profile: str | None = None) -> None:
        """Sets a value in a profile, which need not exist yet, or for everybody (admins)."""
        self._configuration.set(self._principal, key, value, profile)

    def unset_parameter(self, key: str, profile: str | None = None) -> None:
        """Forgets a value, so that the tier below counts again."""
        self._configuration.unset(self._principal, key, profile)

    def lock_parameter(self, key: str, locked: bool) -> None:
        """Makes the global value hold in every profile, or frees it again (admins)."""
        self._configuration.lock(self._principal, key, locked)

    def delete_profile(self, profile: str) -> None:
        """Forgets a profile with all its values; raises NotFound for an unknown one."""
        self._configuration.delete_profile(self._principal, profile)

    def preference(self, name: Preference) -> str | None:
        """What one has chosen in the app; None where nothing was chosen."""
        return self._preferences.get(self._principal, name)

    def set_preference(self, name: Preference, value: str | None) -> None:
        """Keeps a choice of one's own for all windows to come; None forgets it."""
        self._preferences.set(self._principal, name, value)

    def check_model(self) -> ModelCheck:
        """Has the language model write a line; raises NoModel where there is none to be had."""
        return self._do(CheckModel())

    def check_embedder(self) -> EmbedderCheck:
        """Has the embedding model read a question."""
        return self._do(CheckEmbedder())

    def search_cache(self, *, clear: bool = False) -> CacheStatistics:
        """How the memory of searches does; with ``clear`` it forgets its results first."""
        return self._do(ShowCache(clear=clear))
