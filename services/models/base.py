"""The protocol of chat models, and token counting."""

import math
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from pydantic import Field, JsonValue

from services.domain import Value
from services.domain.errors import PromptTooLong

CHARS_PER_TOKEN = 2.8
"""Conservative: by the Qwen tokenizer German law has 2.5-3.4 a token, English prose 4.2-4.6."""
TOKENS_PER_MESSAGE = 6
"""Role and separators around a message in the usual chat templates (Qwen: 5)."""
TOKENS_PER_PROMPT = 32
"""A template's own system text and the opening of the answer (Qwen: 23)."""
PROMPT_SHARE = 0.4
"""Share of a deadline for reading the prompt; the rest is for the output."""


class Message(Value):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatRequest(Value):
    """A request for one generation.

    ``json_schema`` None means plain text. A text of ``stop`` ends the output without being part of
    it. ``deadline_s`` counts from the moment the endpoint is free. ``task`` names the purpose in
    logs, ``caller`` the person, so that people take turns; neither is sent.
    """

    messages: tuple[Message, ...] = Field(min_length=1)
    json_schema: dict[str, JsonValue] | None = None
    max_tokens: int = Field(gt=0)
    temperature: float = Field(default=0.0, ge=0)
    seed: int = 7
    deadline_s: float = Field(gt=0)
    task: str = ""
    caller: str = ""
    stop: tuple[str, ...] = ()


class Completion(Value):
    """A complete generation. ``seconds`` is wall-clock time without waiting for the endpoint."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class ChatModel(Protocol):
    """A language model behind some endpoint; it belongs to one event loop.

    ``name`` is shown to people (``ollama:qwen3:14b``), ``context_tokens`` bounds prompt plus
    output, ``slots`` the concurrent calls. Speeds are first guessed, then measured at every call.
    """

    @property
    def name(self) -> str: ...
    @property
    def context_tokens(self) -> int: ...
    @property
    def prompt_tokens_per_s(self) -> float: ...
    @property
    def output_tokens_per_s(self) -> float: ...
    @property
    def slots(self) -> int: ...

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        """Generate; cancelling stops the request at the endpoint.

        ``on_text`` is called with the whole text so far; a retry starts over with a shorter one.

        Raises:
            ModelUnavailable: The endpoint cannot be reached or fails.
            ModelTimeout: The reply is not complete in time.
            ModelSilent: No word came in time.
            TruncatedGeneration: The output reached ``max_tokens``.
            NoAnswer: The output is blank or cut, or the request was refused.
            PromptTooLong: The prompt does not fit; checked before calling.
            NoModel: The endpoint does not know the model or refuses the key.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Return the tokens of ``text``, rather too many if the tokenizer is out of reach."""
        ...

    async def close(self) -> None:
        """Free the model's resources. May be called more than once."""
        ...


def digest_of(model: ChatModel) -> str:
    """Return the digest of the model's file, "" if its server does not report it."""
    return getattr(model, "digest", "")


def takes_one_call(model: ChatModel | None) -> bool:
    """Return whether there is a model that takes only one call at a time."""
    return model is not None and model.slots == 1


def estimate_tokens(text: str) -> int:
    """Return the tokens of ``text`` without a tokenizer, rather too many than too few."""
    return math.ceil(len(text) / CHARS_PER_TOKEN)


def count_prompt(model: ChatModel, messages: Sequence[Message]) -> int:
    """Return the tokens of a whole prompt, including the chat template's own."""
    texts = sum(model.count_tokens(message.content) for message in messages)
    return texts + TOKENS_PER_MESSAGE * len(messages) + TOKENS_PER_PROMPT


def require_fit(model: ChatModel, request: ChatRequest) -> None:
    """Raise PromptTooLong, with the numbers, unless prompt and output fit the context."""
    prompt = count_prompt(model, request.messages)
    if prompt + request.max_tokens > model.context_tokens:
        raise PromptTooLong(
            "the prompt has about {prompt} tokens and the answer up to {answer}, more than the "
            "{most} tokens that {name} allows; use fewer passages or raise "
            "RABBITHOLE_CONTEXT_TOKENS",
            prompt=prompt,
            answer=request.max_tokens,
            most=model.context_tokens,
            name=model.name,
        )


def passage_tokens(
    model: ChatModel, *, fixed_tokens: int, max_tokens: int, deadline_s: float
) -> int:
    """Return how many tokens of passages a prompt may hold; never negative.

    It is the smaller of what the context leaves and what the model reads, at its measured speed, in
    :data:`PROMPT_SHARE` of the deadline. ``fixed_tokens`` are those of the prompt without passages.
    """
    by_context = model.context_tokens - max_tokens - fixed_tokens
    by_speed = int(model.prompt_tokens_per_s * deadline_s * PROMPT_SHARE) - fixed_tokens
    return max(0, min(by_context, by_speed))
