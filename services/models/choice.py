"""Which language model is asked: what the environment says, else what a person chose."""

from typing import Final

from pydantic import SecretStr, ValidationError

from services.catalog.parameters import Parameters
from services.domain.model_checks import ModelChoice, ModelPlan, ModelServer, ModelSource
from services.models.endpoint import is_loopback
from services.secrets import KeyFile, shown
from services.settings import Settings

KEY: Final = "model.choice"
"""Its place among the values that hold for everybody; no parameter of retrieval has a dot."""
ADDRESS_FIELDS: Final = {"ollama": "ollama_url", "openai": "openai_url"}


class Choices:
    """Reads and keeps the choice; what the environment says counts before it."""

    def __init__(self, settings: Settings, parameters: Parameters) -> None:
        self._settings = settings
        self._parameters = parameters
        self._keys = KeyFile(settings.home)

    def choice(self) -> ModelChoice | None:
        """What was chosen, None where nothing was or where it cannot be read."""
        stored = self._parameters.everywhere().get(KEY)
        try:
            return ModelChoice.model_validate(stored.value) if stored and stored.value else None
        except ValidationError:
            return None

    def keep(self, choice: ModelChoice | None, key: str | None = None) -> None:
        """Keeps a choice, with a key of its address where one is given; None forgets it."""
        if choice is None:
            self._parameters.remove(KEY)
            return
        address = self.settings(choice).model_address
        if key and address:
            self._keys.put(address, key)
        self._parameters.put(KEY, choice.model_dump())

    def settings(self, choice: ModelChoice | None = None, key: str | None = None) -> Settings:
        """The settings by which the model is found, with ``choice`` or the one that is kept.

        A key goes to the address alone that it was kept for, and the environment's to its own.
        """
        given = self._settings
        if given.llm is not None and choice is None:
            return given
        if (choice := choice or self.choice()) is None:
            return given
        update: dict[str, object] = {"llm": choice.llm}
        field = ADDRESS_FIELDS.get(choice.kind)
        if field and choice.address and not _said(given, field):
            update[field] = SecretStr(choice.address)
        found = given.model_copy(update=update)
        address = found.model_address
        theirs = _said(given, "openai_api_key") and field not in update
        if choice.kind == "openai" and address and not theirs:
            kept = key or self._keys.get(address)
            found = found.model_copy(update={"openai_api_key": SecretStr(kept) if kept else None})
        return found

    def fixed(self) -> dict[str, str]:
        """Addresses that the environment gives, by kind of server, without passwords."""
        return {
            kind: shown(getattr(self._settings, field).get_secret_value())
            for kind, field in ADDRESS_FIELDS.items()
            if _said(self._settings, field)
        }

    def server(self, address: str) -> ModelServer:
        """Return what is known of an address without asking there."""
        return ModelServer(here=is_loopback(address), keyed=self._keys.get(address) is not None)

    def plan(self) -> ModelPlan:
        """Which model will be asked, and who said so."""
        settings = self.settings()
        source: ModelSource = "chosen" if self.choice() else "found"
        if self._settings.llm is not None:
            source = "environment"
        return ModelPlan(llm=settings.llm, source=source, address=settings.model_address)


def _said(settings: Settings, field: str) -> bool:
    """Whether the environment says it."""
    return field in settings.model_fields_set and getattr(settings, field) is not None
