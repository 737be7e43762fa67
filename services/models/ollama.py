"""Chat models of an Ollama server, through langchain-ollama."""

import time
from contextlib import suppress
from typing import Any

import httpx

from services.domain.errors import PromptTooLong
from services.models.base import ChatRequest
from services.models.endpoint import CLOSE_AFTER_REQUEST, CONNECT_TIMEOUT_S, Endpoint, is_loopback
from services.models.streaming import FIRST_WORD_S, Generation, StreamingModel, prompt_text

MOST_CHARS_PER_TOKEN = 7.0
"""Natural language and code have more tokens than this says: fewer counted means a cut prompt."""

SHORTEST_CHECKED_CHARS = 2000
FULL_CONTEXT_MARGIN = 4
LOAD_S = 300.0
KEPT_S = 240.0
"""So long after an answer a model is in memory still, where nobody says otherwise."""
LOOK_S = 1.0


class OllamaModel(StreamingModel):
    """A model by its Ollama name, e.g. ``qwen3:14b``.

    The context size is always sent: the server's own default may be as small as 4,096
    tokens, and it cuts longer prompts without a word. A cut is looked for afterwards too.
    """

    _lost = ()

    def __init__(
        self,
        model: str,
        *,
        url: str,
        context_tokens: int = 8192,
        parallel: int = 1,
        first_word_s: float = FIRST_WORD_S,
        digest: str = "",
    ) -> None:
        from langchain_ollama import ChatOllama
        from ollama import ResponseError

        super().__init__(
            f"ollama:{model}",
            context_tokens=context_tokens,
            parallel=parallel,
            first_word_s=first_word_s,
        )
        self._answered_at = -KEPT_S
        self._endpoint = Endpoint(
            self.name, url, remedy="start Ollama with `ollama serve`", protocol="Ollama's protocol"
        )
        self._refusals = (ResponseError,)
        self._url, self._model = url, model
        self.digest = digest
        self._chat = ChatOllama(
            model=model,
            base_url=url,
            reasoning=False,
            client_kwargs={
                "timeout": httpx.Timeout(None, connect=CONNECT_TIMEOUT_S),
                "trust_env": not is_loopback(url),
                "headers": CLOSE_AFTER_REQUEST,
                "follow_redirects": False,
            },
        )

    async def load(self) -> None:
        """Has the server take the model into memory, where it stays as its own rules have it.

        Whether that works shows at the first call.
        """
        url, waits = self._url.rstrip("/"), httpx.Timeout(LOAD_S, connect=CONNECT_TIMEOUT_S)
        async with httpx.AsyncClient(timeout=waits, trust_env=not is_loopback(url)) as client:
            with suppress(httpx.HTTPError):
                await client.post(
                    f"{url}/api/generate",
                    json={
                        "model": self._model,
                        "options": {"num_ctx": self.context_tokens},
                    },
                )

    async def _patience_s(self, request: ChatRequest) -> float | None:
        """A model that is not in memory is loaded first, which may take the whole deadline."""
        if time.monotonic() - self._answered_at > KEPT_S and await self._is_cold():
            return None
        return await super()._patience_s(request)

    async def _is_cold(self) -> bool:
        """Whether the server says at once that it does not hold the model in memory."""
        url = self._url.rstrip("/")
        async with httpx.AsyncClient(timeout=LOOK_S, trust_env=not is_loopback(url)) as client:
            with suppress(httpx.HTTPError, ValueError, TypeError, KeyError):
                held = (await client.get(f"{url}/api/ps")).raise_for_status().json()["models"]
                return all(each["name"] != self._model for each in held)
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

    def _examine(self, request: ChatRequest, generation: Generation) -> None:
        """Refuse a generation whose prompt the server seems to have cut.

        A cut prompt fills the context to the brim or has too few tokens for its length.
        Older servers count only what they read afresh, so what a recent call may have left
        in their cache is not expected.
        """
        prompt, counted = prompt_text(request), generation.prompt_tokens
        expected = len(prompt) * (1.0 - self._known_share(prompt)) / MOST_CHARS_PER_TOKEN
        too_few = len(prompt) > SHORTEST_CHECKED_CHARS and counted < expected
        if counted and (too_few or counted >= self.context_tokens - FULL_CONTEXT_MARGIN):
            raise PromptTooLong(
                "{name} read only {tokens} tokens of a prompt of {length} characters: it was "
                "cut; give the model fewer passages",
                name=self.name,
                tokens=counted,
                length=len(prompt),
            )
        super()._examine(request, generation)
        self._answered_at = time.monotonic()
