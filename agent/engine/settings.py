"""The part of an engine that shows and changes settings, and tries the models."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from agent.engine.jobs import CheckEmbedder, CheckModel, ShowCache
from agent.engine.part import Part, via
from services.domain import CacheStatistics, Principal
from services.domain.model_checks import EmbedderCheck, ModelCheck
from services.library.configuration import Configuration, EffectiveParameter

P = ParamSpec("P")
T = TypeVar("T")


def configured(
    method: Callable[Concatenate[Configuration, Principal, P], T],
) -> Callable[Concatenate[Part, P], T]:
    """A method of the configuration with its principal given."""
    return via(lambda services: services.library.configuration, method)


class SettingsPart(Part):
    """Parameters stand in the catalog and are reached in any process; models through jobs."""

    is_admin = configured(Configuration.may_administer)
    profiles = configured(Configuration.profiles)
    set_parameter = configured(Configuration.set)
    unset_parameter = configured(Configuration.unset)
    lock_parameter = configured(Configuration.lock)
    delete_profile = configured(Configuration.delete_profile)
    preference = configured(Configuration.preference)
    set_preference = configured(Configuration.set_preference)

    def parameters(self, profile: str | None = None) -> tuple[EffectiveParameter, ...]:
        """What counts with this profile, or without one; raises NotFound for an unknown one."""
        configuration = self._services.library.configuration
        return configuration.effective(self._principal, profile).parameters

    def check_model(self) -> ModelCheck:
        """Has the language model write a line; raises NoModel where there is none to be had."""
        return self._do(CheckModel())

    def check_embedder(self) -> EmbedderCheck:
        """Has the embedding model read a question."""
        return self._do(CheckEmbedder())

    def search_cache(self, *, clear: bool = False) -> CacheStatistics:
        """How the memory of searches does; with ``clear`` it forgets its results first."""
        return self._do(ShowCache(clear=clear))
