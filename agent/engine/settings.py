"""Parameters, models, plan memory and access tokens: ``engine.settings``, ``plans``, ``tokens``."""

import asyncio
from functools import partial

from agent.engine.connection import Connection, EnginePart
from agent.engine.jobs import CheckEmbedder, CheckModel, ShowCache, ShowModel, TakeReadingTest
from agent.reading_test import tester
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
from services.models.setup import finds_model, list_offers, try_choice, vet_choice


class SettingsPart(EnginePart):
    """Parameters are read from the catalog in any process; models are reached through jobs."""

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
        self.remote_servers = choices.remote_servers

    def parameters(self, profile: str | None = None) -> tuple[EffectiveParameter, ...]:
        """Return the effective parameters; raises NotFound for an unknown profile."""
        configuration = self._services.configuration
        return configuration.effective(self._principal, profile).parameters

    def model_state(self, *, warm: bool = False) -> ModelState:
        """Return the state of the language model; ``warm`` loads it in the background."""
        return self._do(ShowModel(warm=warm))

    def has_model(self) -> bool:
        """Return whether a model is named or chosen, or one is found."""
        return asyncio.run(finds_model(self._services.choices.settings()))

    def model_offers(self, address: str | None = None) -> ModelOffers:
        """Return the models to choose from; asks the Ollama at the address for a second at most.

        Raises as ``choose_model``, since it sends requests from this machine.
        """
        self._require_model_free()
        choices = self._services.choices
        offered = asyncio.run(list_offers(choices.settings(), address))
        return offered.model_copy(update={"fixed": choices.environment_addresses()})

    def try_model(self, choice: ModelChoice, key: str | None = None) -> ModelTrial:
        """Try a choice shortly, without keeping it. Raises as ``choose_model``."""
        self._require_model_free()
        return asyncio.run(try_choice(choice, self._services.choices.settings(choice, key)))

    def choose_model(self, choice: ModelChoice, key: str | None = None) -> ModelTrial:
        """Keep a choice for everybody and switch to it, unless its server or key is wrong.

        Jobs under way keep their model. The key is stored in a file of the home that only its user
        may read. Raises InvalidInput if the person is no admin, or the environment names the model.
        """
        self._require_model_free()
        trial = asyncio.run(vet_choice(choice, self._services.choices.settings(choice, key)))
        if trial.problem is None:
            self._services.choices.store(choice, key)
            self._do(ShowModel(again=True, warm=True))
        return trial

    def forget_model(self) -> None:
        """Forget the choice and look for a model again; raises as ``choose_model``."""
        self._require_model_free()
        self._services.choices.store(None)
        self._do(ShowModel(again=True, warm=True))

    def _require_model_free(self) -> None:
        if not self.is_admin():
            raise InvalidInput("Only an administrator can choose the language model for everybody.")
        if (named := self._services.settings.llm) is not None:
            raise InvalidInput(
                "RABBITHOLE_LLM={value} overrides any choice. Unset it, then choose.", value=named
            )

    def check_model(self) -> ModelCheck:
        """Have the language model write a line; raises NoModel without one."""
        return self._do(CheckModel())

    def take_reading_test(self, *, again: bool = False) -> ModelReading | None:
        """Return the result of the reading test; the model takes it if it has not, or ``again``.

        None if no model is to be used; raises NoModel if the model cannot be reached.
        """
        return self._do(TakeReadingTest(again=again))

    def model_reading(self, model: str) -> ModelReading:
        """Return what is known of the model of that name."""
        return tester.reading(self._services, model)

    def check_embedder(self) -> EmbedderCheck:
        """Have the embedding model read a question."""
        return self._do(CheckEmbedder())

    def search_cache(self, *, clear: bool = False) -> CacheStatistics:
        """Return statistics of the cache of searches, emptied first with ``clear``."""
        return self._do(ShowCache(clear=clear))


class PlansPart(EnginePart):
    """Cases of plan memory, by id."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        plans = self._catalog.plans
        self.list = partial(plans.list, principal)
        self.get = partial(plans.get, principal)
        self.edit = partial(plans.edit, principal)
        self.forget = partial(plans.forget, principal)


class TokensPart(EnginePart):
    """The person's access tokens; ``holder`` returns the principal of any token."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        tokens = self._catalog.tokens
        self.create = partial(tokens.create, principal)
        self.list = partial(tokens.list, principal)
        self.revoke = partial(tokens.revoke, principal)
        self.holder = tokens.holder
