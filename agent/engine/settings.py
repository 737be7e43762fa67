"""The parts of an engine behind the settings: parameters, models, plans, tokens of programs."""

import asyncio
from functools import partial

from agent import examination
from agent.engine.connection import Connection, EnginePart
from agent.engine.jobs import CheckEmbedder, CheckModel, ExamineModel, ShowCache, ShowModel
from services.domain import CacheStatistics, Principal
from services.domain.errors import InvalidInput
from services.domain.model_checks import (
    EmbedderCheck,
    ModelCheck,
    ModelChoice,
    ModelOffers,
    ModelReading,
    ModelState,
    ModelTrial,
)
from services.library.configuration import EffectiveParameter
from services.models.setup import list_offers, try_choice, vet_choice


class SettingsPart(EnginePart):
    """Parameters stand in the catalog and are reached in any process; models through jobs."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        configuration = self._services.configuration
        choices = self._services.choices
        self.is_admin = partial(configuration.may_administer, principal)
        self.profiles = partial(configuration.profiles, principal)
        self.set_parameter = partial(configuration.set, principal)
        self.unset_parameter = partial(configuration.unset, principal)
        self.lock_parameter = partial(configuration.lock, principal)
        self.preset = partial(configuration.preset, principal)
        self.apply_preset = partial(configuration.apply_preset, principal)
        self.delete_profile = partial(configuration.delete_profile, principal)
        self.preference = partial(configuration.preference, principal)
        self.set_preference = partial(configuration.set_preference, principal)
        self.model_plan = choices.plan
        self.model_choice = choices.choice
        self.model_server = choices.describe_server

    def parameters(self, profile: str | None = None) -> tuple[EffectiveParameter, ...]:
        """What counts with this profile, or without one; raises NotFound for an unknown one."""
        configuration = self._services.configuration
        return configuration.effective(self._principal, profile).parameters

    def model_state(self, *, warm: bool = False) -> ModelState:
        """How the language model is, at once; ``warm`` has it loaded in the background."""
        return self._do(ShowModel(warm=warm))

    def model_offers(self, address: str | None = None) -> ModelOffers:
        """What can be chosen; asks the Ollama at the address, for a second at most.

        Raises as ``choose_model``, as what has servers asked by this machine.
        """
        self._require_model_free()
        choices = self._services.choices
        found = asyncio.run(list_offers(choices.settings(), address))
        return found.model_copy(update={"fixed": choices.environment_addresses()})

    def try_model(self, choice: ModelChoice, key: str | None = None) -> ModelTrial:
        """Whether a choice works, by a short trial; nothing is kept. Raises as ``choose_model``."""
        self._require_model_free()
        return asyncio.run(try_choice(choice, self._services.choices.settings(choice, key)))

    def choose_model(self, choice: ModelChoice, key: str | None = None) -> ModelTrial:
        """Keeps a choice for everybody and switches to it, unless its server or key is wrong.

        Work under way ends with the model that it began with. The key is kept in a file of the
        home that its user alone may read.

        Raises:
            InvalidInput: somebody who is no admin chooses, or the environment names the model.
        """
        self._require_model_free()
        trial = asyncio.run(vet_choice(choice, self._services.choices.settings(choice, key)))
        if trial.problem is None:
            self._services.choices.store(choice, key)
            self._do(ShowModel(again=True, warm=True))
        return trial

    def forget_model(self) -> None:
        """Forgets the choice, so that a model is looked for again; raises as ``choose_model``."""
        self._require_model_free()
        self._services.choices.store(None)
        self._do(ShowModel(again=True, warm=True))

    def _require_model_free(self) -> None:
        if not self.is_admin():
            raise InvalidInput("Only an admin can choose the language model for everybody.")
        if (named := self._services.settings.llm) is not None:
            raise InvalidInput(
                "RABBITHOLE_LLM={value} counts before any choice. Unset it, then choose.",
                value=named,
            )

    def check_model(self) -> ModelCheck:
        """Has the language model write a line; raises NoModel where there is none to be had."""
        return self._do(CheckModel())

    def examine_model(self, *, again: bool = False) -> ModelReading | None:
        """Say whether the language model reads; it is examined where nobody knows, or ``again``.

        None where none is to be used; raises NoModel where there is none to be had.
        """
        return self._do(ExamineModel(again=again))

    def model_reading(self, model: str) -> ModelReading:
        """What is known of the model of that name, at once."""
        return examination.reading(self._services, model)

    def check_embedder(self) -> EmbedderCheck:
        """Has the embedding model read a question."""
        return self._do(CheckEmbedder())

    def search_cache(self, *, clear: bool = False) -> CacheStatistics:
        """How the memory of searches does; with ``clear`` it forgets its results first."""
        return self._do(ShowCache(clear=clear))


class PlansPart(EnginePart):
    """Cases of plan memory, by id; they need the catalog alone."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        plans = self._catalog.plans
        self.list = partial(plans.list, principal)
        self.get = partial(plans.get, principal)
        self.edit = partial(plans.edit, principal)
        self.forget = partial(plans.forget, principal)


class TokensPart(EnginePart):
    """One's own tokens; ``holder`` says whose one is, for whoever opens a door."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        tokens = self._catalog.tokens
        self.create = partial(tokens.create, principal)
        self.list = partial(tokens.list, principal)
        self.revoke = partial(tokens.revoke, principal)
        self.holder = tokens.holder
