"""Chat models behind any server that speaks OpenAI's chat protocol, through langchain-openai."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx
from pydantic import SecretStr

from services.models.base import ChatRequest
from services.models.endpoint import CLOSE_AFTER_REQUEST, Endpoint, is_loopback
from services.models.streaming import Delta, StreamingModel

FIRST_GUESS_TOKENS_PER_S = 150.0
NO_KEY = SecretStr("none")
"""Local servers want no key, the client library wants one."""


class OpenAICompatibleModel(StreamingModel):
    """A model by name at a base URL such as ``http://127.0.0.1:8000/v1``."""

    remedy = "start the server or change RABBITHOLE_OPENAI_URL"

    def __init__(
        self,
        model: str,
        *,
        url: str,
        api_key: SecretStr | None = None,
        context_tokens: int = 8192,
        parallel: int = 1,
        name: str | None = None,
        prompt_tokens_per_s: float = FIRST_GUESS_TOKENS_PER_S,
    ) -> None:
        super().__init__(
            name or f"openai:{model}",
            context_tokens=context_tokens,
            prompt_tokens_per_s=prompt_tokens_per_s,
            parallel=parallel,
        )
        self._model = model
        self._reconnect(url, api_key)

    def _reconnect(self, url: str, api_key: SecretStr | None) -> None:
        self._endpoint = Endpoint(
            self.name,
            url,
            remedy=self.remedy,
            protocol="OpenAI's protocol",
            key=api_key,
        )
        self._chat = connect(self._model, url, api_key)

    async def close(self) -> None:
        """Close the HTTP client."""
        await self._chat.http_async_client.aclose()

    async def _stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        import openai

        begun = False
        messages = [(message.role, message.content) for message in request.messages]
        chunks = self._chat.astream(
            messages,
            temperature=request.temperature,
            seed=request.seed,
            extra_body=self._extra(request),
        )
        try:
            async for chunk in chunks:
                delta = delta_of(chunk)
                begun = begun or bool(delta.text)
                yield delta
        except (openai.APIConnectionError, httpx.HTTPError) as error:
            raise self._endpoint.lost(begun) from error
        except openai.APIStatusError as error:
            raise self._endpoint.refused(error.status_code, error.message) from None
        except openai.APIError as error:
            raise self._endpoint.refused(None, error.message) from None
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise self._endpoint.garbage(error, begun) from error

    def _extra(self, request: ChatRequest) -> dict[str, object]:
        """What goes into the body as it is.

        The client library would rename ``max_tokens``, which not every server understands,
        and would parse a ``response_format`` itself, which hides why a stream ended.
        """
        extra: dict[str, object] = {"max_tokens": request.max_tokens}
        if request.stop:
            extra["stop"] = list(request.stop)
        if request.json_schema is not None:
            schema = {"name": request.task or "answer", "schema": request.json_schema}
            extra["response_format"] = {"type": "json_schema", "json_schema": schema}
        return extra


def connect(model: str, url: str, api_key: SecretStr | None) -> Any:
    """A langchain client with no retries, timeouts or kept connections of its own."""
    from langchain_openai import ChatOpenAI
    from openai import DefaultAsyncHttpxClient

    return ChatOpenAI(
        model=model,
        base_url=url,
        api_key=api_key or NO_KEY,
        max_retries=0,
        stream_usage=True,
        stream_chunk_timeout=None,
        timeout=None,
        http_async_client=DefaultAsyncHttpxClient(
            timeout=None, trust_env=not is_loopback(url), headers=CLOSE_AFTER_REQUEST
        ),
    )


def delta_of(chunk: Any) -> Delta:
    """What a chunk of langchain-openai says; usage comes in a last chunk of its own."""
    usage = chunk.usage_metadata or {}
    details = usage.get("input_token_details") or {}
    return Delta(
        text=str(chunk.content),
        finish_reason=chunk.response_metadata.get("finish_reason"),
        prompt_tokens=usage.get("input_tokens"),
        cached_tokens=details.get("cache_read"),
        completion_tokens=usage.get("output_tokens"),
    )
