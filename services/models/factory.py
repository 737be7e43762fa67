"""The chat model that the settings name, or the best one that is there."""

import asyncio
from contextlib import suppress
from pathlib import Path

import httpx
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
)

from services.domain.errors import InvalidInput, NoModel
from services.domain.notices import Notice
from services.models.base import ChatModel
from services.models.endpoint import is_loopback
from services.models.recording import read_recording, recorded_model
from services.models.weights import INSTALL, ensure_weights, installed_parts
from services.secrets import one_url, passwords_in, scrubbed, shown
from services.settings import Settings

DEFAULT_OLLAMA_MODEL = "qwen3:14b"
EMBEDDED_NAME = "embedded:qwen2.5-coder-1.5b"
FORMS = "ollama:MODEL, openai:MODEL, gguf:PATH, embedded, recorded:PATH or none"


async def make_model(settings: Settings) -> ChatModel | None:
    """The model named by ``RABBITHOLE_LLM``; None for ``none``.

    Unset, it is Ollama's ``qwen3:14b`` where an Ollama has it, else the embedded model where
    its packages are installed. Loading the embedded model takes seconds, the first time
    longer; an endpoint is asked once and briefly whether it is there.

    Raises:
        InvalidInput: ``RABBITHOLE_LLM`` has none of the known forms, or its address names several
            servers.
        NoModel: The named model is not there, or nothing was named and none was found.
        CorruptWeights: The pieces of the embedded model are damaged.
    """
    if settings.llm is None:
        return await _best_available(settings)
    match settings.llm.strip().partition(":"):
        case "none", _, "":
            return None
        case "ollama", _, model if model:
            return await _ollama(settings, model)
        case "openai", _, model if model:
            return await _openai(settings, model)
        case "gguf", _, path if path:
            return await _gguf(settings, Path(path))
        case "embedded", _, "":
            return await _embedded(settings)
        case "recorded", _, path if path:
            return recorded_model(await asyncio.to_thread(read_recording, Path(path)))
    raise InvalidInput(
        "RABBITHOLE_LLM={value!r} is not one of {forms}", value=settings.llm, forms=FORMS
    )


async def _best_available(settings: Settings) -> ChatModel:
    url = settings.ollama_url.get_secret_value()
    models = await ollama_models(url)
    if models is not None and DEFAULT_OLLAMA_MODEL in models:
        return await _ollama(settings, DEFAULT_OLLAMA_MODEL)
    if installed_parts() is not None:
        return await _embedded(settings)
    first = (
        Notice.of(
            "start Ollama at {url} and run `ollama pull {model}`",
            url=shown(url),
            model=DEFAULT_OLLAMA_MODEL,
        )
        if models is None
        else Notice.of("run `ollama pull {model}`", model=DEFAULT_OLLAMA_MODEL)
    )
    raise NoModel(
        "no language model was found: {reason}, or install the embedded model with "
        "{command} (RABBITHOLE_LLM=none works without one)",
        reason=first,
        command=INSTALL,
    )


async def _ollama(settings: Settings, model: str) -> ChatModel:
    from services.models.ollama import OllamaModel

    model = model if ":" in model else f"{model}:latest"
    url = one_url(settings.ollama_url.get_secret_value())
    models = await ollama_models(url)
    if models is None:
        raise NoModel(
            "no Ollama answers at {url}: start it with `ollama serve`, or use the embedded "
            "model with RABBITHOLE_LLM=embedded",
            url=shown(url),
        )
    if model not in models:
        others = scrubbed(", ".join(sorted(models)), passwords_in(url))
        raise NoModel(
            "Ollama at {url} does not have {model}: run `ollama pull {model}`, or use one of "
            "{models}, or the embedded model with RABBITHOLE_LLM=embedded",
            url=shown(url),
            model=model,
            models=others or "none so far",
        )
    trained = await ollama_context(url, model)
    return OllamaModel(
        model,
        url=url,
        context_tokens=window(settings, trained),
        parallel=settings.max_parallel_tasks,
        first_word_s=settings.first_word_s,
        digest=models[model],
    )


async def _openai(settings: Settings, model: str) -> ChatModel:
    if not settings.openai_url:
        raise NoModel(
            "RABBITHOLE_LLM=openai:… needs RABBITHOLE_OPENAI_URL, for example "
            "http://127.0.0.1:8000/v1"
        )
    from services.models.openai_compatible import OpenAICompatibleModel

    url = one_url(settings.openai_url.get_secret_value())
    # An error counts as an answer: some servers do not list their models, some want a key first.
    listed = await ask(url, "GET", "/models", key=settings.openai_api_key)
    if listed is None:
        raise NoModel(
            "nothing answers at RABBITHOLE_OPENAI_URL={url}: start the server, or use the "
            "embedded model with RABBITHOLE_LLM=embedded",
            url=shown(url),
        )
    return OpenAICompatibleModel(
        model,
        url=url,
        api_key=settings.openai_api_key,
        context_tokens=window(settings, listed_context(listed, model)),
        parallel=settings.max_parallel_tasks,
        first_word_s=settings.first_word_s,
    )


async def _embedded(settings: Settings) -> ChatModel:
    path = await asyncio.to_thread(ensure_weights, settings.cache_dir)
    return await _start(settings, path, EMBEDDED_NAME)


async def _gguf(settings: Settings, path: Path) -> ChatModel:
    if not await asyncio.to_thread(path.is_file):
        raise NoModel(
            "there is no file {path}; RABBITHOLE_LLM=gguf:PATH names a GGUF model", path=path
        )
    return await _start(settings, path, f"gguf:{path.name}")


async def _start(settings: Settings, path: Path, name: str) -> ChatModel:
    from services.models.embedded import EmbeddedModel

    return await EmbeddedModel.start(
        path,
        name=name,
        context_tokens=window(settings, None),
        deterministic=settings.deterministic,
    )


WINDOW = 16_384
"""Tokens of the window that is used of a model that has as many."""
UNKNOWN_WINDOW = 8_192
"""Tokens that a model is taken to have whose server does not say."""


def window(settings: Settings, has: int | None) -> int:
    """Tokens of prompt and output together: what is set or usual, and what the model has."""
    if has is None:
        return settings.context_tokens or UNKNOWN_WINDOW
    return min(settings.context_tokens or WINDOW, has)


class _Listed(BaseModel, extra="ignore"):
    """A model in a list; servers name its window in several ways."""

    id: str
    window: int | None = Field(
        default=None,
        validation_alias=AliasChoices(
            "context_length",  # OpenRouter, LM Studio, Together
            "max_model_len",  # vLLM
            "context_window",  # Groq
            "max_context_length",  # LM Studio, Mistral
            AliasPath("meta", "n_ctx"),  # llama.cpp
        ),
    )


class _Models(BaseModel):
    data: list[_Listed] = []


def listed_context(listed: httpx.Response, model: str) -> int | None:
    """Tokens of the window of a model by its server's list, None where that does not say."""
    with suppress(ValidationError):
        found = _Models.model_validate_json(listed.text).data
        return next((each.window for each in found if each.id == model), None)
    return None


PROBE_TIMEOUT_S = 1.0


async def ollama_models(url: str) -> dict[str, str] | None:
    """Digests by name of the models that the Ollama at a URL has; None if none answers."""
    described = await _ask_ollama(url, "GET", "/api/tags")
    return None if described is None else {each.name: each.digest for each in described.models}


async def ollama_context(url: str, model: str) -> int | None:
    """Tokens the model was trained for, None if the server does not say."""
    described = await _ask_ollama(url, "POST", "/api/show", {"model": model})
    info = described.model_info if described is not None else {}
    sizes = [size for key, size in info.items() if key.endswith(".context_length")]
    return next((size for size in sizes if isinstance(size, int)), None)


class _Named(BaseModel):
    name: str
    digest: str = ""


class _Description(BaseModel):
    """What an Ollama tells of its models or of one."""

    models: list[_Named] = []
    model_info: dict[str, JsonValue] = {}


async def _ask_ollama(
    url: str, method: str, path: str, body: dict[str, str] | None = None
) -> _Description | None:
    answer = await ask(url, method, path, body)
    with suppress(ValidationError):
        if answer is not None and answer.is_success:
            return _Description.model_validate_json(answer.text)
    return None


async def ask(
    url: str,
    method: str,
    path: str,
    body: dict[str, str] | None = None,
    *,
    key: SecretStr | None = None,
    timeout_s: float = PROBE_TIMEOUT_S,
) -> httpx.Response | None:
    """The answer of a server, an error of it included; None where nothing speaks HTTP."""
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    async with httpx.AsyncClient(timeout=timeout_s, trust_env=not is_loopback(url)) as client:
        with suppress(httpx.HTTPError, httpx.InvalidURL, UnicodeError):
            return await client.request(method, url.rstrip("/") + path, json=body, headers=headers)
    return None
