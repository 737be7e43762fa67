"""The settings of the scripted client: a real configuration, without engines."""

import tempfile
from functools import cached_property
from pathlib import Path

from pydantic import JsonValue

from services.catalog import Catalog
from services.catalog.parameters import Parameters
from services.domain import Preference, Principal
from services.library.configuration import Configuration, EffectiveParameter


class FakeSettings:
    """Who may do what is decided by the rules of the real thing; ``local`` is an admin."""

    def __init__(self, principal: Principal | None = None) -> None:
        self.principal = principal or Principal()

    @cached_property
    def stored(self) -> Parameters:
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "catalog.sqlite3"
        return Catalog.open(f"sqlite:///{path}").parameters

    @property
    def configuration(self) -> Configuration:
        return Configuration(self.stored, admins=("local",))

    def is_admin(self) -> bool:
        return self.configuration.may_administer(self.principal)

    def parameters(self, profile: str | None = None) -> tuple[EffectiveParameter, ...]:
        return self.configuration.effective(self.principal, profile).parameters

    def profiles(self) -> list[str]:
        return self.configuration.profiles(self.principal)

    def set_parameter(self, key: str, value: JsonValue, profile: str | None = None) -> None:
        self.configuration.set(self.principal, key, value, profile)

    def preference(self, name: Preference) -> str | None:
        return self.configuration.preference(self.principal, name)

    def set_preference(self, name: Preference, value: str | None) -> None:
        self.configuration.set_preference(self.principal, name, value)
