"""Servers with OpenAI's chat protocol: their models, and chats through langchain-openai."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Unpack

import httpx
from pydantic import SecretStr

from services.domain.errors import EmptyStream, NoAnswer, RequestRefused
from services.domain.model_kinds import KINDS
from services.models.base import ChatRequest, Completion
from services.models.endpoint import CLOSE_AFTER_REQUEST, Endpoint, certificates, is_loopback
from services.models.output import with_schema
from services.models.streaming import Generation, Limits, StreamingModel

if TYPE_CHECKING:
    from langchain_core.outputs import ChatGenerationChunk
    from langchain_openai import ChatOpenAI

NO_KEY = SecretStr("none")
"""Local servers need no key, but the client library does."""
LIMITS: Final = ("max_tokens", "max_completion_tokens")
STREAM: Final = "stream"
"""Refused by a server that only gives whole answers."""
WINDOWS: Final = (
    "context_length",  # OpenRouter, LM Studio, Together
    "max_model_len",  # vLLM
    "context_window",  # Groq
    "max_context_length",  # LM Studio, Mistral
)

Refused = frozenset[str]
"""Names of the parameters that a server does not take."""
_REFUSED: Final[ContextVar[Refused]] = ContextVar("refused")
"""Those of the current call: concurrent calls may have learned more or less."""


def listed_models(answer: httpx.Response) -> dict[str, int | None]:
    """Return the models in a server's list by name, with the tokens of their window if stated."""
    with suppress(ValueError, TypeError, KeyError, AttributeError):
        if answer.is_success:
            return {str(entry["id"]): _window(entry) for entry in answer.json()["data"]}
    return {}


def _window(entry: dict[str, Any]) -> int | None:
    stated = [entry[name] for name in WINDOWS if name in entry]
    stated += [entry["meta"]["n_ctx"]] if "n_ctx" in (entry.get("meta") or ()) else []  # llama.cpp
    with suppress(ValueError, TypeError, IndexError):
        return int(stated[0])
    return None


@cache
def _client_class() -> type["ChatOpenAI"]:
    """Return the chat client with a model's thoughts, which the library drops."""
    from langchain_openai import ChatOpenAI

    class ThinkingChatOpenAI(ChatOpenAI):
        def _convert_chunk_to_generation_chunk(
            self, chunk: dict[str, Any], *arguments: Any, **named: Any
        ) -> "ChatGenerationChunk | None":
            converted = super()._convert_chunk_to_generation_chunk(chunk, *arguments, **named)
            for choice in chunk.get("choices") or ():
                delta = choice.get("delta") or {}
                thoughts = delta.get("reasoning_content") or delta.get("reasoning")
                if converted is not None and thoughts:
                    converted.message.additional_kwargs["reasoning_content"] = thoughts
            return converted

    return ThinkingChatOpenAI


def parameters(request: ChatRequest, refused: Refused) -> dict[str, Any]:
    all_parameters: dict[str, Any] = {"temperature": request.temperature, "seed": request.seed}
    if STREAM not in refused:
        all_parameters["stream_options"] = {"include_usage": True}
    if (limit := next((name for name in LIMITS if name not in refused), None)) is not None:
        all_parameters[limit] = request.max_tokens
    if request.stop:
        all_parameters["stop"] = list(request.stop)
    if request.json_schema is not None:
        schema = {"name": request.task or "answer", "schema": request.json_schema}
        all_parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
    return {name: value for name, value in all_parameters.items() if name not in refused}


def adapt(request: ChatRequest, refused: Refused) -> ChatRequest:
    """Return the request, with its schema in the prompt if the server accepts none."""
    if request.json_schema is None or "response_format" not in refused:
        return request
    messages = with_schema(request.messages, request.json_schema)
    return request.model_copy(update={"messages": messages, "json_schema": None})


def learn(error: NoAnswer, request: ChatRequest, refused: Refused) -> Refused:
    """Return the refused parameters after one more refusal, which may name none: then all sent."""
    if isinstance(error, EmptyStream):
        return refused | {STREAM}
    sent = parameters(request, refused).keys()
    named = {name for name in sent if name in str(error.notice.fields["said"])}
    return refused | (named or sent)


class OpenAICompatibleModel(StreamingModel):
    """A model by name at a base URL such as ``http://127.0.0.1:8000/v1``.

    It learns from refusals which parameters its server does not accept.
    """

    def __init__(
        self,
        model: str,
        *,
        url: str,
        api_key: SecretStr | None = None,
        kind: str = "openai",
        **limits: Unpack[Limits],
    ) -> None:
        super().__init__(f"{kind}:{model}", **limits)
        self._model, self._kind = model, kind
        self._refused: Refused = frozenset()
        self._connect(url, api_key)

    def _connect(self, url: str, api_key: SecretStr | None) -> None:
        """Make a client without retries, timeouts or persistent connections."""
        from openai import APIConnectionError, APIError, DefaultAsyncHttpxClient, DefaultHttpxClient

        self._lost, self._refusals = (APIConnectionError,), (APIError,)
        self._endpoint = Endpoint(self.name, url, KINDS[self._kind], key=api_key)
        self._chat = _client_class()(
            model=self._model,
            base_url=url,
            api_key=api_key or NO_KEY,
            max_retries=0,
            stream_usage=False,
            stream_chunk_timeout=None,
            timeout=None,
            http_client=DefaultHttpxClient(verify=certificates()),  # nothing uses it
            http_async_client=DefaultAsyncHttpxClient(
                timeout=None,
                verify=certificates(),
                trust_env=not is_loopback(url),
                headers=CLOSE_AFTER_REQUEST,
                follow_redirects=False,  # passages go to the named server and to no other
            ),
        )

    async def close(self) -> None:
        await self._chat.http_async_client.aclose()

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        """Complete; a refused request is repeated without the refused parameters."""
        refused = self._refused
        while True:
            _REFUSED.set(refused)
            adapted = adapt(request, refused)
            try:
                completion = await super().complete(adapted, on_text)
            except (EmptyStream, RequestRefused) as error:
                if (more := learn(error, adapted, refused)) == refused:
                    raise
                refused = more
            else:
                self._refused |= refused
                return completion

    async def _first_word_timeout_s(self, request: ChatRequest) -> float | None:
        """Return None for a server that does not stream: it sends nothing before it is done."""
        return None if STREAM in _REFUSED.get() else await super()._first_word_timeout_s(request)

    def _is_timed(self, generation: Generation) -> bool:
        """Return False for a whole answer, for one after thoughts that were not sent, and for
        the first: its server may have loaded the model.
        """
        streams = STREAM not in _REFUSED.get()
        return streams and bool(self._recent) and not generation.hides_thoughts

    async def _messages(
        self, messages: Sequence[tuple[str, str]], request: ChatRequest
    ) -> AsyncIterator[Any]:
        if STREAM in _REFUSED.get():
            yield await self._chat.ainvoke(messages, **self._arguments(request))
        else:
            async for chunk in super()._messages(messages, request):
                yield chunk

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        """Return the parameters as ``extra_body``, which goes into the body unchanged.

        The client library would rename ``max_tokens``, which not every server understands, and
        parse a ``response_format`` itself, which hides why a stream ended.
        """
        return {"extra_body": parameters(request, _REFUSED.get())}
