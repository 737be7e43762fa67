"""The choice of a language model: available models, trials, and the stored choice."""

import asyncio
import time
from collections.abc import Callable
from typing import Final, Literal
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel, JsonValue, SecretStr, ValidationError

from services.catalog.parameters import Parameters
from services.domain.errors import (
    InvalidGeneration,
    InvalidInput,
    ModelTimeout,
    RabbitholeError,
    TruncatedGeneration,
)
from services.domain.model_checks import (
    EmbedderCheck,
    ModelCheck,
    ModelChoice,
    ModelField,
    ModelOffers,
    ModelPlan,
    ModelServer,
    ModelSource,
    ModelTrial,
    ServerUse,
)
from services.domain.model_kinds import SERVERS
from services.domain.notices import Notice
from services.models.base import ChatModel, ChatRequest, Message
from services.models.embedded import INSTALL, installed_pieces
from services.models.endpoint import is_loopback, send
from services.models.factory import DEFAULT_OLLAMA_MODEL, NO_MODEL, make_model
from services.models.ollama import full_name, ollama_models
from services.models.openai_compatible import listed_models
from services.models.output import generation_schema, read_output
from services.retrieval.embedders import Embedder
from services.secrets import KeyFile, one_url, without_login
from services.settings import Settings

KEY: Final = "model.choice"
"""Its name among the global parameters; no parameter of retrieval has a dot."""
SPEED_PROMPT = "Count from one to twenty in English words, separated by commas. Nothing else."
SPEED_TOKENS = 200
FORM_PROMPT = 'Is the sky on a clear day blue? Answer as JSON: {"answer": "yes"} or "no".'
FORM_TOKENS = 40
SAMPLE_QUERY = "Welche Grenzwerte gelten für Beschäftigte?"


class ModelChoices:
    """Reads and stores the choice of a model; the environment takes precedence."""

    def __init__(self, settings: Settings, parameters: Parameters) -> None:
        self._settings = settings
        self._parameters = parameters
        self._keys = KeyFile(settings.home)

    def choice(self) -> ModelChoice | None:
        """Return the stored choice, None without a readable one."""
        stored = self._parameters.global_values().get(KEY)
        try:
            return ModelChoice.model_validate(stored.value) if stored and stored.value else None
        except ValidationError:
            return None

    def store(self, choice: ModelChoice | None, key: str | None = None) -> None:
        """Store a choice, and the key of its address if one is given; None forgets the choice."""
        if choice is None:
            self._parameters.remove(KEY)
            return
        address = self.settings(choice).model_address
        if key and address:
            self._keys.put(address, key)
        self._parameters.put(KEY, choice.model_dump())

    def settings(self, choice: ModelChoice | None = None, key: str | None = None) -> Settings:
        """Return the settings for ``choice``, by default for the stored one.

        A key is only used for the address that it was stored for, the environment's for its own.
        """
        environment = self._settings
        if environment.llm is not None and choice is None:
            return environment
        if (choice := choice or self.choice()) is None:
            return environment
        update: dict[str, object] = {"llm": choice.llm}
        if (server := SERVERS.get(choice.kind)) is None:
            return environment.model_copy(update=update)
        url_setting, key_setting = server.url_setting, server.key_setting
        if choice.address and not _is_set(environment, url_setting):
            update[url_setting] = SecretStr(choice.address)
        chosen = environment.model_copy(update=update)
        address = chosen.model_address
        has_key = _is_set(environment, key_setting) and url_setting not in update
        if key_setting and address and not has_key:
            key = key or self._keys.get(address)
            chosen = chosen.model_copy(update={key_setting: SecretStr(key) if key else None})
        return chosen

    def environment_addresses(self) -> dict[str, str]:
        """Return the addresses of the environment by kind of server, without passwords."""
        return {
            kind: without_login(self._settings.server_url(kind))
            for kind, server in SERVERS.items()
            if _is_set(self._settings, server.url_setting)
        }

    def describe_server(self, address: str) -> ModelServer:
        """Describe the server at an address without calling it."""
        return ModelServer(here=is_loopback(address), keyed=self._keys.get(address) is not None)

    def remote_servers(self) -> dict[ServerUse, str]:
        """Return the hosts that receive texts of documents and are not on this machine."""
        settings = self.settings()
        embeds_there = settings.embedding.strip().startswith("ollama:")
        secret: dict[ServerUse, SecretStr | None] = {
            "embedding": settings.ollama_url if embeds_there else None,
            "database": settings.database,
        }
        urls: dict[ServerUse, str | None] = {
            "model": settings.model_address,
            **{use: url.get_secret_value() if url else None for use, url in secret.items()},
            "telemetry": settings.telemetry,
        }
        hosts = {use: urlsplit(url or "").hostname for use, url in urls.items()}
        remote = (use for use, url in urls.items() if not is_loopback(url or ""))
        return {use: host for use in remote if (host := hosts[use])}

    def plan(self) -> ModelPlan:
        """Return which model will be used, and where that was decided."""
        settings = self.settings()
        source: ModelSource = "chosen" if self.choice() else "found"
        if self._settings.llm is not None:
            source = "environment"
        return ModelPlan(llm=settings.llm, source=source, address=settings.model_address)


def _is_set(settings: Settings, field: str) -> bool:
    return field in settings.model_fields_set and getattr(settings, field) is not None


async def list_offers(settings: Settings, address: str | None = None) -> ModelOffers:
    """Return the models of this machine, and of the Ollama at ``address``."""
    url = address or settings.ollama_url.get_secret_value()
    models = await ollama_models(url) if _is_url(url) else None
    return ModelOffers(
        address=without_login(url),
        ollama=None if models is None else tuple(sorted(models)),
        embedded=installed_pieces() is not None,
        install=INSTALL,
    )


async def finds_model(settings: Settings) -> bool:
    """Return whether a model is named, or found as `make_model` does; nothing is loaded."""
    offers = await list_offers(settings)
    return bool(settings.llm or offers.embedded or DEFAULT_OLLAMA_MODEL in (offers.ollama or ()))


async def vet_choice(choice: ModelChoice, settings: Settings) -> ModelTrial:
    """Check that the model of a choice exists; its server is called, nothing is generated."""
    kind, _, name = choice.llm.partition(":")
    address = choice.address or ""
    try:
        one_url(address)
    except InvalidInput as several:
        return _problem("address", several.notice)
    if _is_url(address) and without_login(address) != address:
        login = Notice.of(
            "Leave the user name and password out of the address; enter the key in its own field."
        )
        return _problem("address", login)
    if kind == "embedded" and installed_pieces() is None:
        missing = Notice.of("It is not installed. Install it with {command}.", command=INSTALL)
        return _problem("model", missing)
    if kind not in SERVERS:
        return ModelTrial()
    url = settings.server_url(kind)
    if not _is_url(url):
        return _problem("address", Notice.of("Enter an address such as http://127.0.0.1:8000/v1."))
    if SERVERS[kind].protocol != "Ollama":
        return await _vet_openai(url, settings.server_key(kind), name)
    if (models := await ollama_models(url)) is None:
        silent = Notice.of("Ollama does not respond at {url}.", url=without_login(url))
        return _problem("address", silent)
    if full_name(name) not in models:
        missing = Notice.of("Ollama does not have this model. Pull it, or choose another one.")
        return _problem("model", missing, tuple(sorted(models)))
    return ModelTrial(known=tuple(sorted(models)))


async def _vet_openai(address: str, key: SecretStr | None, name: str) -> ModelTrial:
    answer = await send(address, "GET", "/models", key=key)
    if answer is None:
        silent = Notice.of("Nothing responds at {url}.", url=without_login(address))
        return _problem("address", silent)
    if answer.status_code in (401, 403):
        refused = Notice.of("The server rejected this key.")
        return _problem("key", refused if key else Notice.of("The server needs a key."))
    names = tuple(listed_models(answer))  # some servers do not list their models
    if not name:
        return _problem("model", Notice.of("Enter the name of the model."), names)
    if names and name not in names:
        return _problem("model", Notice.of("The server does not have this model."), names)
    return ModelTrial(known=names)


def _is_url(text: str) -> bool:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return url.scheme in ("http", "https") and bool(url.host)


def _problem(field: ModelField, problem: Notice, models: tuple[str, ...] = ()) -> ModelTrial:
    return ModelTrial(field=field, problem=problem, known=models)


async def try_choice(choice: ModelChoice, settings: Settings) -> ModelTrial:
    """Vet a choice, and run a short trial of the model, which is closed again."""
    trial = await vet_choice(choice, settings)
    if trial.problem is not None:
        return trial
    try:
        model = await make_model(settings)
    except RabbitholeError as problem:
        return trial.model_copy(update={"problem": problem.notice, "field": "model"})
    try:
        check = await check_model(model, deadline_s=settings.call_deadline_s)
    finally:
        if model is not None:
            await model.close()
    return trial.model_copy(update={"check": check})


class Form(BaseModel):
    answer: Literal["yes", "no"]


async def check_model(
    model: ChatModel | None, *, deadline_s: float, clock: Callable[[], float] = time.monotonic
) -> ModelCheck:
    """Have the model write a line and fill in a form; return its errors instead of raising."""
    if model is None:
        return ModelCheck(model=NO_MODEL)
    check = ModelCheck(model=model.name, context_tokens=model.context_tokens)
    begin, texts_s = clock(), list[float]()
    try:
        request = _request(SPEED_PROMPT, SPEED_TOKENS, deadline_s)
        written = await model.complete(request, lambda text: texts_s.append(clock() - begin))
        first_s, tokens = texts_s[0] if texts_s else None, written.completion_tokens - 1
        writing_s = written.seconds - (first_s or 0.0)
        rate = tokens / writing_s if tokens > 0 and writing_s > 0 else None
        check = check.model_copy(update={"first_token_s": first_s, "tokens_per_s": rate})
        form = generation_schema(Form)
        filled = await model.complete(_request(FORM_PROMPT, FORM_TOKENS, deadline_s, form))
        read_output(Form, filled.text)
    except RabbitholeError as problem:
        return check.model_copy(update={"problem": _with_way_out(problem)})
    speed = getattr(model, "reading_speed", None)
    return check.model_copy(update={"keeps_form": True, "prompt_tokens_per_s": speed})


def _request(
    prompt: str, tokens: int, deadline_s: float, form: dict[str, JsonValue] | None = None
) -> ChatRequest:
    return ChatRequest(
        messages=(Message(role="user", content=prompt),),
        json_schema=form,
        max_tokens=tokens,
        deadline_s=deadline_s,
        task="check",
    )


def _with_way_out(problem: RabbitholeError) -> Notice:
    match problem:
        case TruncatedGeneration():
            return Notice.of(
                "{reason}. The model does not stop where it should: choose another model.",
                reason=problem,
            )
        case InvalidGeneration():
            return Notice.of(
                "{reason}. The model does not follow instructions: choose another model.",
                reason=problem,
            )
        case ModelTimeout():
            return Notice.of(
                "{reason}. Choose a smaller model, or allow more time with "
                "RABBITHOLE_MODEL_DEADLINE_S.",
                reason=problem,
            )
    return problem.notice


async def check_embedder(
    embedder: Embedder, clock: Callable[[], float] = time.monotonic
) -> EmbedderCheck:
    """Measure how long a query takes; raises what the model raises."""

    def check() -> EmbedderCheck:
        embedder.embed_query(SAMPLE_QUERY)  # the first one may load the model
        begin = clock()
        embedder.embed_query(f"{SAMPLE_QUERY} {begin}")
        return EmbedderCheck(
            query_ms=1000 * (clock() - begin),
            fingerprint=embedder.fingerprint,
            dimension=embedder.dimension,
            max_tokens=embedder.max_tokens,
        )

    return await asyncio.to_thread(check)
