"""The settings of the scripted client: a real configuration, models without engines."""

import tempfile
from functools import cached_property
from pathlib import Path

from pydantic import JsonValue

from services.catalog import Catalog
from services.catalog.parameters import Parameters
from services.domain import CacheStatistics, Preference, Principal
from services.domain.errors import RabbitholeError
from services.domain.model_checks import EmbedderCheck, ModelCheck
from services.library.configuration import Configuration, EffectiveParameter


class FakeSettings:
    """Who may do what is decided by the rules of the real thing; ``local`` is an admin."""

    def __init__(self, principal: Principal | None = None) -> None:
        self.principal = principal or Principal()
        self.model_check: ModelCheck | RabbitholeError = ModelCheck(
            model="qwen3:14b (Ollama)",
            context_tokens=8192,
            prompt_tokens_per_s=312.0,
            first_token_s=0.44,
            tokens_per_s=28.4,
            keeps_form=True,
        )
        self.embedder_check: EmbedderCheck | RabbitholeError = EmbedderCheck(
            fingerprint="e5-small-q4/384/v2", dimension=384, max_tokens=512, query_ms=5.2
        )
        self.cache = CacheStatistics(size=3, hits=6, misses=4, hit_rate=0.6)
        self.closed = 0
        self.admins: tuple[str, ...] = ("local",)

    @cached_property
    def stored(self) -> Parameters:
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "catalog.sqlite3"
        return Catalog.open(f"sqlite:///{path}").parameters

    @property
    def configuration(self) -> Configuration:
        return Configuration(self.stored, admins=self.admins)

    def is_admin(self) -> bool:
        return self.configuration.may_administer(self.principal)

    def parameters(self, profile: str | None = None) -> tuple[EffectiveParameter, ...]:
        return self.configuration.effective(self.principal, profile).parameters

    def profiles(self) -> list[str]:
        return self.configuration.profiles(self.principal)

    def set_parameter(self, key: str, value: JsonValue, profile: str | None = None) -> None:
        self.configuration.set(self.principal, key, value, profile)

    def unset_parameter(self, key: str, profile: str | None = None) -> None:
        self.configuration.unset(self.principal, key, profile)

    def lock_parameter(self, key: str, locked: bool) -> None:
        self.configuration.lock(self.principal, key, locked)

    def delete_profile(self, profile: str) -> None:
        self.configuration.delete_profile(self.principal, profile)

    def preference(self, name: Preference) -> str | None:
        return self.configuration.preference(self.principal, name)

    def set_preference(self, name: Preference, value: str | None) -> None:
        self.configuration.set_preference(self.principal, name, value)

    def check_model(self) -> ModelCheck:
        if isinstance(self.model_check, RabbitholeError):
            raise self.model_check
        return self.model_check

    def check_embedder(self) -> EmbedderCheck:
        if isinstance(self.embedder_check, RabbitholeError):
            raise self.embedder_check
        return self.embedder_check

    def search_cache(self, *, clear: bool = False) -> CacheStatistics:
        if clear:
            self.cache = self.cache.model_copy(update={"size": 0})
        return self.cache

    def close(self) -> None:
        self.closed += 1
