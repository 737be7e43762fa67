"""Is an endpoint there, and what does it have? One short question each."""

import httpx
from pydantic import BaseModel, JsonValue, ValidationError

from services.llm.endpoint import is_loopback

PROBE_TIMEOUT_S = 1.0


class _Named(BaseModel):
    name: str


class _Tags(BaseModel):
    models: list[_Named] = []


class _Show(BaseModel):
    model_info: dict[str, JsonValue] = {}


async def ollama_models(url: str) -> frozenset[str] | None:
    """Names of the models an Ollama has; None if no Ollama answers at ``url``."""
    answer = await _ask(url, "GET", "/api/tags")
    if answer is None or not answer.is_success:
        return None
    try:
        return frozenset(model.name for model in _Tags.model_validate_json(answer.text).models)
    except ValidationError:
        return None


async def ollama_context(url: str, model: str) -> int | None:
    """Tokens the model was trained for, None if the server does not say."""
    answer = await _ask(url, "POST", "/api/show", {"model": model})
    if answer is None or not answer.is_success:
        return None
    try:
        info = _Show.model_validate_json(answer.text).model_info
    except ValidationError:
        return None
    sizes = [size for key, size in info.items() if key.endswith(".context_length")]
    return next((size for size in sizes if isinstance(size, int)), None)


async def answers(url: str) -> bool:
    """Whether anything speaks HTTP at an OpenAI-compatible base URL.

    An error status counts: some servers do not list their models, some want a key first.
    """
    return await _ask(url, "GET", "/models") is not None


async def _ask(
    url: str, method: str, path: str, body: dict[str, str] | None = None
) -> httpx.Response | None:
    client = httpx.AsyncClient(timeout=PROBE_TIMEOUT_S, trust_env=not is_loopback(url))
    async with client:
        try:
            return await client.request(method, url.rstrip("/") + path, json=body)
        except httpx.HTTPError:
            return None
