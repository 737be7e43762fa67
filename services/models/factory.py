"""Makes the language model that settings name, and holds it until it is replaced."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from services.domain.errors import InvalidInput, NoModel, RabbitholeError
from services.domain.model_checks import ModelState
from services.domain.model_kinds import FORMS, SERVERS
from services.domain.notices import Notice
from services.models.base import ChatModel
from services.models.embedded import (
    EMBEDDED_NAME,
    INSTALL,
    EmbeddedModel,
    ensure_weights,
    installed_pieces,
)
from services.models.endpoint import send
from services.models.ollama import OllamaModel, full_name, ollama_context, ollama_models
from services.models.openai_compatible import OpenAICompatibleModel, listed_models
from services.secrets import one_url, passwords_in, scrubbed, without_login
from services.settings import Settings

DEFAULT_OLLAMA_MODEL = "qwen3:14b"
NO_MODEL = "none"
WINDOW = 16_384
"""Tokens of a larger window that are used."""
UNKNOWN_WINDOW = 8_192
"""Tokens of a model's window where its server does not say."""
AGAIN_S: Final = 30.0

ModelMaker = Callable[[], Awaitable[ChatModel | None]]


async def make_model(settings: Settings) -> ChatModel | None:
    """Make the model named by ``RABBITHOLE_LLM``; None for ``none``.

    Unset, it is Ollama's ``qwen3:14b`` where an Ollama has it, else the embedded model where it is
    installed, which takes seconds to load. An endpoint is asked once whether it is there.

    Raises:
        InvalidInput: The name has none of the known forms, or its address names several servers.
        NoModel: The named model is not there, or none was named and none was found.
        CorruptWeights: The pieces of the embedded model are damaged.
    """
    if settings.llm is None:
        return await _best_available(settings)
    match settings.llm.strip().partition(":"):
        case "none", _, "":
            return None
        case "gguf", _, path if path:
            return await _gguf(settings, Path(path), f"gguf:{Path(path).name}")
        case "embedded", _, "":
            return await _embedded(settings)
        case kind, _, model if model and kind in SERVERS:
            connect = _ollama if SERVERS[kind].protocol == "Ollama" else _openai
            return await connect(settings, kind, model)
    raise InvalidInput(
        "RABBITHOLE_LLM={value!r} is not one of {forms}", value=settings.llm, forms=FORMS
    )


async def _best_available(settings: Settings) -> ChatModel:
    url = settings.ollama_url.get_secret_value()
    models = await ollama_models(url)
    if models is not None and DEFAULT_OLLAMA_MODEL in models:
        return await _ollama(settings, "ollama", DEFAULT_OLLAMA_MODEL)
    if installed_pieces() is not None:
        return await _embedded(settings)
    way_out = Notice.of("run `ollama pull {model}`", model=DEFAULT_OLLAMA_MODEL)
    if models is None:
        way_out = Notice.of(
            "start Ollama at {url} and run `ollama pull {model}`",
            url=without_login(url),
            model=DEFAULT_OLLAMA_MODEL,
        )
    raise NoModel(
        "no language model was found: {reason}, or install the embedded model with "
        "{command} (RABBITHOLE_LLM=none works without one)",
        reason=way_out,
        command=INSTALL,
    )


async def _ollama(settings: Settings, kind: str, name: str) -> ChatModel:
    url, model = one_url(settings.server_url(kind)), full_name(name)
    models = await ollama_models(url)
    if models is None:
        raise NoModel(
            "Ollama does not respond at {url}: start it with `ollama serve`, or use the "
            "embedded model with RABBITHOLE_LLM=embedded",
            url=without_login(url),
        )
    if model not in models:
        others = scrubbed(", ".join(sorted(models)), passwords_in(url))
        raise NoModel(
            "Ollama at {url} does not have {model}: run `ollama pull {model}`, or use one of "
            "{models}, or the embedded model with RABBITHOLE_LLM=embedded",
            url=without_login(url),
            model=model,
            models=others or "none so far",
        )
    return OllamaModel(
        model,
        url=url,
        context_tokens=window(settings, await ollama_context(url, model)),
        parallel=settings.max_parallel_tasks,
        first_word_s=settings.first_word_s,
        digest=models[model],
    )


async def _openai(settings: Settings, kind: str, model: str) -> ChatModel:
    url, key = one_url(settings.server_url(kind)), settings.server_key(kind)
    if not url:
        raise NoModel(
            "RABBITHOLE_LLM={kind}:… needs {variable}, for example http://127.0.0.1:8000/v1",
            kind=kind,
            variable=SERVERS[kind].url_variable,
        )
    # An error counts as an answer: some servers do not list their models, some want a key first.
    answer = await send(url, "GET", "/models", key=key)
    if answer is None:
        raise NoModel(
            "nothing responds at {variable}={url}: start the server, or use the embedded model "
            "with RABBITHOLE_LLM=embedded",
            variable=SERVERS[kind].url_variable,
            url=without_login(url),
        )
    return OpenAICompatibleModel(
        model,
        url=url,
        api_key=key,
        kind=kind,
        context_tokens=window(settings, listed_models(answer).get(model)),
        parallel=settings.max_parallel_tasks,
        first_word_s=settings.first_word_s,
    )


async def _embedded(settings: Settings) -> ChatModel:
    path = await asyncio.to_thread(ensure_weights, settings.cache_dir)
    return await _gguf(settings, path, EMBEDDED_NAME)


async def _gguf(settings: Settings, path: Path, name: str) -> ChatModel:
    if not await asyncio.to_thread(path.is_file):
        raise NoModel(
            "there is no file {path}; RABBITHOLE_LLM=gguf:PATH takes the path of a GGUF model",
            path=path,
        )
    return await EmbeddedModel.start(
        path,
        name=name,
        context_tokens=window(settings, None),
        deterministic=settings.deterministic,
    )


def window(settings: Settings, stated: int | None) -> int:
    """Return the tokens of prompt and output together, at most those that the server states."""
    if stated is None:
        return settings.context_tokens or UNKNOWN_WINDOW
    return min(settings.context_tokens or WINDOW, stated)


class ModelSlot:
    """Makes the model on first use and holds it; for use on one event loop."""

    def __init__(self, make: ModelMaker) -> None:
        self._make = make
        self._lock = asyncio.Lock()
        self._models: list[ChatModel | None] = []
        self._problem: RabbitholeError | None = None
        self._failed_at = 0.0
        self._warming: asyncio.Task[None] | None = None

    async def get(self) -> ChatModel | None:
        """Return the model; a failure is raised, and the next call tries again."""
        async with self._lock:
            if not self._models:
                try:
                    self._models.append(await self._make())
                except RabbitholeError as problem:
                    self._problem, self._failed_at = problem, time.monotonic()
                    raise
                self._problem = None
            return self._models[0]

    async def take(self) -> ChatModel | None:
        """Return the model, if made, and forget it, so that the caller can close it."""
        async with self._lock:
            self._problem = None
            return self._models.pop() if self._models else None

    def warm(self) -> None:
        """Make the model in the background, unless that is in progress or failed just now."""
        failed_lately = self._problem and time.monotonic() - self._failed_at < AGAIN_S
        if not (self._models or self._is_busy or failed_lately):
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        with suppress(RabbitholeError):  # shown by the state
            if (load := getattr(await self.get(), "load", None)) is not None:
                await load()

    async def stop_warming(self) -> None:
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)

    @property
    def _is_busy(self) -> bool:
        warming = self._warming is not None and not self._warming.done()
        return warming or self._lock.locked()

    def state(self) -> ModelState:
        if self._is_busy:
            return ModelState(status="loading")
        if self._models:
            model = self._models[0]
            return ModelState(status="ready", name=model.name if model else NO_MODEL)
        if self._problem is not None:
            return ModelState(status="failed", problem=self._problem.notice)
        return ModelState(status="unasked")
