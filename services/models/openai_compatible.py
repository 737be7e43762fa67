"""Chat models behind any server that speaks OpenAI's chat protocol, through langchain-openai."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from pydantic import SecretStr

from services.domain.errors import EmptyStream, NoAnswer, RequestRefused
from services.models.base import ChatRequest, Completion
from services.models.endpoint import CLOSE_AFTER_REQUEST, Endpoint, is_loopback
from services.models.output import with_schema
from services.models.streaming import FIRST_WORD_S, StreamingModel

if TYPE_CHECKING:
    from langchain_core.outputs import ChatGenerationChunk
    from langchain_openai import ChatOpenAI

NO_KEY = SecretStr("none")
"""Local servers want no key, the client library wants one."""

LIMITS: Final = ("max_tokens", "max_completion_tokens")
"""Names of the bound of an answer: the usual one, and that of newer servers."""


@cache
def _client_class() -> type["ChatOpenAI"]:
    """The chat client with ``reasoning_content``, which the library drops."""
    from langchain_openai import ChatOpenAI

    class ThinkingChatOpenAI(ChatOpenAI):
        def _convert_chunk_to_generation_chunk(
            self, chunk: dict[str, Any], *arguments: Any, **named: Any
        ) -> "ChatGenerationChunk | None":
            converted = super()._convert_chunk_to_generation_chunk(chunk, *arguments, **named)
            for choice in chunk.get("choices") or ():
                thoughts = (choice.get("delta") or {}).get("reasoning_content")
                if converted is not None and thoughts:
                    converted.message.additional_kwargs["reasoning_content"] = thoughts
            return converted

    return ThinkingChatOpenAI


@dataclass(frozen=True)
class Dialect:
    """How a server wants to be asked: which parameters it refuses, and whether it streams."""

    refused: frozenset[str] = frozenset()
    streams: bool = True

    def parameters(self, request: ChatRequest) -> dict[str, Any]:
        """What of a request is sent beside its messages, by the names of the protocol."""
        wanted: dict[str, Any] = {"temperature": request.temperature, "seed": request.seed}
        if self.streams:
            wanted["stream_options"] = {"include_usage": True}
        limits = (name for name in LIMITS if name not in self.refused)
        if (limit := next(limits, None)) is not None:
            wanted[limit] = request.max_tokens
        if request.json_schema is not None:
            schema = {"name": request.task or "answer", "schema": request.json_schema}
            wanted["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {name: value for name, value in wanted.items() if name not in self.refused}

    def spoken(self, request: ChatRequest) -> ChatRequest:
        """The request, with its schema in the prompt where the server takes none."""
        if request.json_schema is None or "response_format" not in self.refused:
            return request
        messages = with_schema(request.messages, request.json_schema)
        return request.model_copy(update={"messages": messages, "json_schema": None})

    def learned(self, error: NoAnswer, request: ChatRequest) -> "Dialect | None":
        """The dialect after a refusal; None where there is nothing else to try.

        A server that does not say which parameter it refuses gets none any more.
        """
        if isinstance(error, EmptyStream):
            return replace(self, streams=False) if self.streams else None
        sent = self.parameters(request).keys()
        named = {name for name in sent if name in str(error.notice.fields["said"])}
        return replace(self, refused=self.refused | (named or sent)) if sent else None


class OpenAICompatibleModel(StreamingModel):
    """A model by name at a base URL such as ``http://127.0.0.1:8000/v1``.

    The dialect of its server is learned from what it refuses.
    """

    remedy = "start the server or change RABBITHOLE_OPENAI_URL"

    def __init__(
        self,
        model: str,
        *,
        url: str,
        api_key: SecretStr | None = None,
        context_tokens: int = 8192,
        parallel: int = 1,
        first_word_s: float = FIRST_WORD_S,
        name: str | None = None,
    ) -> None:
        super().__init__(
            name or f"openai:{model}",
            context_tokens=context_tokens,
            parallel=parallel,
            first_word_s=first_word_s,
        )
        self._model = model
        self._dialect = Dialect()
        self._connect(url, api_key)

    def _connect(self, url: str, api_key: SecretStr | None) -> None:
        """Make a client with no retries, timeouts or kept connections of its own."""
        from openai import APIConnectionError, APIError, DefaultAsyncHttpxClient

        self._lost, self._refusals = (APIConnectionError,), (APIError,)
        self._endpoint = Endpoint(
            self.name, url, remedy=self.remedy, protocol="OpenAI's protocol", key=api_key
        )
        self._chat = _client_class()(
            model=self._model,
            base_url=url,
            api_key=api_key or NO_KEY,
            max_retries=0,
            stream_usage=False,
            stream_chunk_timeout=None,
            timeout=None,
            http_async_client=DefaultAsyncHttpxClient(
                timeout=None,
                trust_env=not is_loopback(url),
                headers=CLOSE_AFTER_REQUEST,
                follow_redirects=False,  # passages go to the server that was named, and to no other
            ),
        )

    async def close(self) -> None:
        """Close the HTTP client."""
        await self._chat.http_async_client.aclose()

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        """See :meth:`services.models.base.ChatModel.complete`; a refusal teaches the dialect.

        Where no other form is taken either, nothing is learned.
        """
        known = self._dialect
        while True:
            spoken = self._dialect.spoken(request)
            try:
                return await super().complete(spoken, on_text)
            except (EmptyStream, RequestRefused) as error:
                dialect = self._dialect.learned(error, spoken)
                self._dialect = dialect or known
                if dialect is None:
                    raise

    async def _patience_s(self, request: ChatRequest) -> float | None:
        """A server that does not stream says nothing before it is done."""
        return await super()._patience_s(request) if self._dialect.streams else None

    async def _messages(
        self, messages: Sequence[tuple[str, str]], request: ChatRequest
    ) -> AsyncIterator[Any]:
        """The pieces of a stream, or the whole answer of a server that does not stream."""
        if self._dialect.streams:
            async for chunk in super()._messages(messages, request):
                yield chunk
        else:
            yield await self._chat.ainvoke(messages, **self._arguments(request))

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        """In ``extra_body`` what goes into the body as it is.

        The client library would rename ``max_tokens``, which not every server understands,
        and would parse a ``response_format`` itself, which hides why a stream ended.
        """
        extra = self._dialect.parameters(request)
        if request.stop:
            extra["stop"] = list(request.stop)
        return {"extra_body": extra}
