"""Chat models of an Ollama server, through langchain-ollama."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx

from services.domain.errors import PromptTooLong
from services.models.base import ChatRequest
from services.models.endpoint import CLOSE_AFTER_REQUEST, CONNECT_TIMEOUT_S, Endpoint, is_loopback
from services.models.streaming import Delta, Generation, StreamingModel, prompt_text

NANOSECOND = 1e-9
FIRST_GUESS_TOKENS_PER_S = 150.0
MOST_CHARS_PER_TOKEN = 7.0
"""Natural language and code have more tokens than this says: fewer counted means a cut prompt."""

SHORTEST_CHECKED_CHARS = 2000
FULL_CONTEXT_MARGIN = 4


class OllamaModel(StreamingModel):
    """A model by its Ollama name, e.g. ``qwen3:14b``.

    The context size is always sent: the server's own default may be as small as 4,096
    tokens, and it cuts longer prompts without a word. A cut is looked for afterwards too.
    """

    def __init__(
        self, model: str, *, url: str, context_tokens: int = 8192, parallel: int = 1
    ) -> None:
        from langchain_ollama import ChatOllama

        super().__init__(
            f"ollama:{model}",
            context_tokens=context_tokens,
            prompt_tokens_per_s=FIRST_GUESS_TOKENS_PER_S,
            parallel=parallel,
        )
        self._endpoint = Endpoint(
            self.name, url, remedy="start Ollama with `ollama serve`", protocol="Ollama's protocol"
        )
        self._chat = ChatOllama(
            model=model,
            base_url=url,
            reasoning=False,
            client_kwargs={
                "timeout": httpx.Timeout(None, connect=CONNECT_TIMEOUT_S),
                "trust_env": not is_loopback(url),
                "headers": CLOSE_AFTER_REQUEST,
            },
        )

    async def _stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        from ollama import ResponseError

        begun = False
        messages = [(message.role, message.content) for message in request.messages]
        chunks = self._chat.astream(
            messages, options=self._options(request), format=request.json_schema
        )
        try:
            async for chunk in chunks:
                delta = delta_of(chunk)
                begun = begun or bool(delta.text)
                yield delta
        except ResponseError as error:
            raise self._endpoint.refused(error.status_code, error.error) from None
        except (httpx.HTTPError, ConnectionError) as error:
            raise self._endpoint.lost(begun) from error
        except (ValueError, TypeError, AttributeError) as error:
            raise self._endpoint.garbage(error, begun) from error

    def _options(self, request: ChatRequest) -> dict[str, Any]:
        return {
            "num_ctx": self.context_tokens,
            "num_predict": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            **({"stop": list(request.stop)} if request.stop else {}),
        }

    def _examine(self, request: ChatRequest, generation: Generation) -> None:
        """Refuse a generation whose prompt the server seems to have cut.

        A cut prompt fills the context to the brim or has too few tokens for its length.
        Older servers count only what they read afresh, so what a recent call may have left
        in their cache is not expected.
        """
        prompt, counted = prompt_text(request), generation.prompt_tokens
        expected = len(prompt) * (1.0 - self._known_share(prompt)) / MOST_CHARS_PER_TOKEN
        too_few = len(prompt) > SHORTEST_CHECKED_CHARS and (counted or 0) < expected
        if counted and (too_few or counted >= self.context_tokens - FULL_CONTEXT_MARGIN):
            raise PromptTooLong(
                "{name} read only {tokens} tokens of a prompt of {length} characters: it was "
                "cut; give the model fewer passages",
                name=self.name,
                tokens=counted,
                length=len(prompt),
            )
        super()._examine(request, generation)


def delta_of(chunk: Any) -> Delta:
    """What a chunk of langchain-ollama says; only the last one has more than text."""
    said = chunk.response_metadata
    if not said.get("done"):
        return Delta(text=str(chunk.content))
    nanoseconds = said.get("prompt_eval_duration")
    return Delta(
        text=str(chunk.content),
        finish_reason=said.get("done_reason") or "unknown",
        prompt_tokens=said.get("prompt_eval_count"),
        completion_tokens=said.get("eval_count"),
        prompt_seconds=nanoseconds * NANOSECOND if nanoseconds else None,
    )
