"""Chat models behind any server that speaks OpenAI's chat protocol, through langchain-openai."""

from typing import Any

from pydantic import SecretStr

from services.models.base import ChatRequest
from services.models.endpoint import CLOSE_AFTER_REQUEST, Endpoint, is_loopback
from services.models.streaming import FIRST_WORD_S, StreamingModel

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
        self._connect(url, api_key)

    def _connect(self, url: str, api_key: SecretStr | None) -> None:
        """Make a client with no retries, timeouts or kept connections of its own."""
        from langchain_openai import ChatOpenAI
        from openai import APIConnectionError, APIError, DefaultAsyncHttpxClient

        self._lost, self._refusals = (APIConnectionError,), (APIError,)
        self._endpoint = Endpoint(
            self.name, url, remedy=self.remedy, protocol="OpenAI's protocol", key=api_key
        )
        self._chat = ChatOpenAI(
            model=self._model,
            base_url=url,
            api_key=api_key or NO_KEY,
            max_retries=0,
            stream_usage=True,
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

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        """The sampling, and in ``extra_body`` what goes into the body as it is.

        The client library would rename ``max_tokens``, which not every server understands,
        and would parse a ``response_format`` itself, which hides why a stream ended.
        """
        extra: dict[str, object] = {"max_tokens": request.max_tokens}
        if request.stop:
            extra["stop"] = list(request.stop)
        if request.json_schema is not None:
            schema = {"name": request.task or "answer", "schema": request.json_schema}
            extra["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {
            "temperature": request.temperature,
            "seed": request.seed,
            "extra_body": extra,
        }
