"""The models of an Ollama server, and chats through langchain-ollama."""

import time
from contextlib import suppress
from typing import Any, Unpack

import httpx

from services.domain.errors import PromptTooLong
from services.domain.model_kinds import KINDS
from services.models.base import ChatRequest
from services.models.endpoint import (
    CLOSE_AFTER_REQUEST,
    CONNECT_TIMEOUT_S,
    Endpoint,
    certificates,
    is_loopback,
    send,
)
from services.models.streaming import Generation, Limits, StreamingModel, prompt_text

MOST_CHARS_PER_TOKEN = 7.0
"""Text has more tokens than this says: fewer counted means a cut prompt."""
SHORTEST_CHECKED_CHARS = 2000
FULL_CONTEXT_MARGIN = 4
LOAD_S = 300.0
LOADED_S = 240.0
"""Ollama keeps a model in memory at least this long after an answer, by default."""


def full_name(model: str) -> str:
    """Return the name of a model as Ollama lists it."""
    return model if ":" in model else f"{model}:latest"


async def ollama_models(url: str) -> dict[str, str] | None:
    """Return digests by model name of the Ollama at a URL; None if none answers."""
    listed = await _get_json(url, "GET", "/api/tags")
    with suppress(AttributeError, KeyError, TypeError):
        return {model["name"]: model.get("digest") or "" for model in listed.get("models", ())}
    return None


async def ollama_context(url: str, model: str) -> int | None:
    """Return the tokens that the model was trained for, None if the server does not say."""
    described = await _get_json(url, "POST", "/api/show", {"model": model})
    with suppress(AttributeError):
        info = described.get("model_info", {})
        sizes = [size for key, size in info.items() if key.endswith(".context_length")]
        return next((size for size in sizes if isinstance(size, int)), None)
    return None


async def _get_json(url: str, method: str, path: str, body: dict[str, str] | None = None) -> Any:
    answer = await send(url, method, path, body)
    with suppress(ValueError):
        if answer is not None and answer.is_success:
            return answer.json()
    return None


class OllamaModel(StreamingModel):
    """A model by its Ollama name, e.g. ``qwen3:14b``.

    The context size is always sent: the server's default may be as small as 4,096 tokens, and it
    cuts longer prompts silently. Each generation is checked for a cut prompt, too.
    """

    def __init__(self, model: str, *, url: str, digest: str = "", **limits: Unpack[Limits]) -> None:
        from langchain_ollama import ChatOllama
        from ollama import ResponseError

        super().__init__(f"ollama:{model}", **limits)
        self.digest = digest
        self._url, self._model = url, model
        self._answered_at = -LOADED_S
        self._endpoint = Endpoint(self.name, url, KINDS["ollama"])
        self._refusals = (ResponseError,)
        self._chat = ChatOllama(
            model=model,
            base_url=url,
            reasoning=False,
            client_kwargs={
                "timeout": httpx.Timeout(None, connect=CONNECT_TIMEOUT_S),
                "trust_env": not is_loopback(url),
                "verify": certificates(),
                "headers": CLOSE_AFTER_REQUEST,
                "follow_redirects": False,
            },
        )

    async def load(self) -> None:
        """Have the server load the model; a failure shows at the first call."""
        options = {"num_ctx": self.context_tokens}
        timeout = httpx.Timeout(LOAD_S, connect=CONNECT_TIMEOUT_S)
        body = {"model": self._model, "options": options}
        await send(self._url, "POST", "/api/generate", body, time_limit=timeout)

    async def _first_word_timeout_s(self, request: ChatRequest) -> float | None:
        """Return None for a model that must be loaded first: that may take up to the deadline."""
        if time.monotonic() - self._answered_at > LOADED_S and await self._is_unloaded():
            return None
        return await super()._first_word_timeout_s(request)

    async def _is_unloaded(self) -> bool:
        loaded = await _get_json(self._url, "GET", "/api/ps")
        with suppress(TypeError, KeyError):
            return all(model["name"] != self._model for model in loaded["models"])
        return False

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        options = {
            "num_ctx": self.context_tokens,
            "num_predict": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            **({"stop": list(request.stop)} if request.stop else {}),
        }
        return {"options": options, "format": request.json_schema}

    def _check_and_measure(self, request: ChatRequest, generation: Generation) -> None:
        """Refuse a generation whose prompt the server seems to have cut.

        A cut prompt fills the context or has too few tokens for its length. Older servers do not
        count cached tokens, so what a recent call may have left in the cache is not expected.
        """
        prompt, counted = prompt_text(request), generation.prompt_tokens
        expected = len(prompt) * (1.0 - self._cached_share(prompt)) / MOST_CHARS_PER_TOKEN
        too_few = len(prompt) > SHORTEST_CHECKED_CHARS and counted < expected
        if counted and (too_few or counted >= self.context_tokens - FULL_CONTEXT_MARGIN):
            raise PromptTooLong(
                "{name} read only {tokens} tokens of a prompt of {length} characters, so the "
                "prompt was cut off; give the model fewer passages",
                name=self.name,
                tokens=counted,
                length=len(prompt),
            )
        super()._check_and_measure(request, generation)
        self._answered_at = time.monotonic()
