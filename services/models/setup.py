"""What there is to choose from, and whether a choice works, before anything is kept."""

from contextlib import suppress

import httpx
from pydantic import BaseModel, SecretStr, ValidationError

from services.domain.errors import InvalidInput, RabbitholeError
from services.domain.model_checks import ModelChoice, ModelField, ModelOffers, ModelTrial
from services.domain.notices import Notice
from services.models.checks import check_model
from services.models.factory import PROBE_TIMEOUT_S, ask, make_model, ollama_models
from services.models.weights import INSTALL, installed_parts
from services.secrets import one_url, shown
from services.settings import Settings


class _Listed(BaseModel):
    id: str


class _Models(BaseModel):
    """What a server that speaks OpenAI's protocol tells of its models."""

    data: list[_Listed] = []


async def offers(settings: Settings, address: str | None = None) -> ModelOffers:
    """What can be chosen on this machine, and on the Ollama at ``address``."""
    url = address or settings.ollama_url.get_secret_value()
    models = await ollama_models(url) if _is_url(url) else None
    return ModelOffers(
        address=shown(url),
        ollama=None if models is None else tuple(sorted(models)),
        embedded=installed_parts() is not None,
        install=INSTALL,
    )


async def vetted(choice: ModelChoice, settings: Settings) -> ModelTrial:
    """Whether the model of a choice is there: its server is asked, nothing is generated."""
    kind, _, name = choice.llm.partition(":")
    address = choice.address or ""
    try:
        one_url(address)
    except InvalidInput as several:
        return _wrong("address", several.notice)
    if _is_url(address) and shown(address) != address:
        return _wrong(
            "address", Notice.of("Leave user and password out of the address; a key has its field.")
        )
    if kind == "embedded" and installed_parts() is None:
        missing = Notice.of("It is not installed. Install it with {command}.", command=INSTALL)
        return _wrong("model", missing)
    if kind == "ollama":
        return await _vetted_ollama(settings.ollama_url.get_secret_value(), name)
    if kind == "openai":
        address = settings.openai_url.get_secret_value() if settings.openai_url else ""
        return await _vetted_openai(address, settings.openai_api_key, name)
    return ModelTrial()


async def _vetted_ollama(address: str, name: str) -> ModelTrial:
    if not _is_url(address):
        return _NO_ADDRESS
    models = await ollama_models(address)
    if models is None:
        return _wrong("address", Notice.of("No Ollama answers at {url}.", url=shown(address)))
    known = tuple(sorted(models))
    if not name or (name if ":" in name else f"{name}:latest") not in models:
        missing = Notice.of("Ollama does not have it. Pull it, or choose another.")
        return _wrong("model", missing, known)
    return ModelTrial(known=known)


async def _vetted_openai(address: str, key: SecretStr | None, name: str) -> ModelTrial:
    if not _is_url(address):
        return _NO_ADDRESS
    answer = await ask(address, "GET", "/models", key=key, timeout_s=5 * PROBE_TIMEOUT_S)
    if answer is None:
        return _wrong("address", Notice.of("Nothing answers at {url}.", url=shown(address)))
    if answer.status_code in (401, 403):
        refused = Notice.of("The server refuses this key.")
        return _wrong("key", refused if key else Notice.of("The server wants a key."))
    known: tuple[str, ...] = ()
    with suppress(ValidationError):  # some servers do not list their models
        if answer.is_success:
            known = tuple(each.id for each in _Models.model_validate_json(answer.text).data)
    if not name:
        return _wrong("model", Notice.of("Name the model."), known)
    if known and name not in known:
        return _wrong("model", Notice.of("The server does not have it."), known)
    return ModelTrial(known=known)


async def tried(choice: ModelChoice, settings: Settings) -> ModelTrial:
    """The same, and what a short trial of the model shows; the model is closed again."""
    trial = await vetted(choice, settings)
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


_NO_ADDRESS = ModelTrial(
    field="address", problem=Notice.of("Write an address such as http://127.0.0.1:8000/v1.")
)


def _is_url(text: str) -> bool:
    """Whether it is the URL of one server."""
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return url.scheme in ("http", "https") and bool(url.host)


def _wrong(field: ModelField, problem: Notice, known: tuple[str, ...] = ()) -> ModelTrial:
    return ModelTrial(field=field, problem=problem, known=known)
