"""Values of recorded model calls."""

import hashlib
import json

from pydantic import Field, JsonValue

from services.llm.base import ChatRequest
from services.value import Value


class Reply(Value):
    """What came of one call: a text, or the error by name and message.

    ``speed`` is the model's ``prompt_tokens_per_s`` before the call, ``slots`` how many calls it
    takes at once, and ``counts`` the tokens of texts that it was asked for since the call before,
    by `text_key`: what a prompt was fitted by.
    """

    task: str
    sha256: str
    model: str
    context_tokens: int
    speed: float
    slots: int = 1
    counts: dict[str, JsonValue] = Field(default_factory=dict)
    text: str
    error: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


def request_key(request: ChatRequest) -> str:
    """SHA-256 of all of a request that the reply depends on; not of its deadline and task."""
    asked = request.model_dump(mode="json", exclude={"deadline_s", "task"})
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def text_key(text: str) -> str:
    """A short name of a text whose tokens were counted."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
