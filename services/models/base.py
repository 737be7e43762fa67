"""What every chat model is (one request in, one whole generation out), and how much it can read."""

import math
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from pydantic import Field, JsonValue

from services.domain import Value
from services.domain.errors import PromptTooLong

CHARS_PER_TOKEN = 2.8
"""Conservative. Measured with the Qwen tokenizer: German law 3.2-3.4, its densest paragraphs
2.5, English prose 4.2-4.6 characters a token."""


class Message(Value):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatRequest(Value):
    """A generation to be made.

    ``json_schema`` constrains the output; None means plain text. ``max_tokens`` bounds the
    output, ``deadline_s`` the wall-clock seconds from the moment the endpoint is free.
    ``task`` says what it is for in logs and records, ``caller`` whose it is, so that people take
    turns; neither is sent. A text of ``stop`` ends the output and is no part of it.
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
    """A whole generation. ``seconds`` is wall-clock time without waiting for the endpoint."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class ChatModel(Protocol):
    """A language model behind some endpoint.

    ``name`` is what people see (``ollama:qwen3:14b``), ``context_tokens`` bounds prompt plus
    output, ``prompt_tokens_per_s`` and ``output_tokens_per_s`` are guesses at first and then
    measured at every call. ``slots`` is how many calls it takes at once. A model belongs to one
    event loop.
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

        Args:
            on_text: Called with the whole text so far each time it grows. A retry starts
                over with a shorter text.

        Raises:
            ModelUnavailable: Nobody answers, or with a server error or garbage, twice.
            ModelTimeout: The deadline passed.
            ModelSilent: Nothing came for so long that nothing will.
            TruncatedGeneration: The output reached ``max_tokens``.
            NoAnswer: Nothing but white space or thoughts came, the stream was cut, or the
                request was refused.
            PromptTooLong: The prompt does not fit; checked before calling.
            NoModel: The endpoint does not know the model or refuses the key.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text``; where the tokenizer is out of reach, rather too many."""
        ...

    async def close(self) -> None:
        """Free what the model holds. May be called more than once."""
        ...


def estimate_tokens(text: str) -> int:
    """Tokens of ``text`` for a tokenizer that cannot be asked, rather too many than too few."""
    return math.ceil(len(text) / CHARS_PER_TOKEN)


async def load(model: ChatModel | None) -> None:
    """Has a model taken into memory, where its server can be told to."""
    if (take_in := getattr(model, "load", None)) is not None:
        await take_in()


def digest_of(model: ChatModel) -> str:
    """The digest of the model's file; "" where its server tells none."""
    return getattr(model, "digest", "")


def takes_one_call(model: ChatModel | None) -> bool:
    """Whether there is a model and it takes one call at a time, so that each of them counts."""
    return model is not None and model.slots == 1


TOKENS_PER_MESSAGE = 6
"""Role and separators around a message in the usual chat templates (Qwen: 5)."""

TOKENS_PER_PROMPT = 32
"""A template's own system text and the opening of the answer (Qwen: 23)."""

PROMPT_SHARE = 0.4
"""Share of a deadline that reading the prompt may take; the rest is for the output."""


def count_prompt(model: ChatModel, messages: Sequence[Message]) -> int:
    """Tokens of a whole prompt, the template's own included."""
    texts = sum(model.count_tokens(message.content) for message in messages)
    return texts + TOKENS_PER_MESSAGE * len(messages) + TOKENS_PER_PROMPT


def require_fit(model: ChatModel, request: ChatRequest) -> None:
    """Refuse a request whose prompt and output do not fit the context.

    Raises:
        PromptTooLong: With the numbers, so that the caller can cut.
    """
    prompt = count_prompt(model, request.messages)
    if prompt + request.max_tokens > model.context_tokens:
        raise PromptTooLong(
            "the prompt has about {prompt} tokens and the answer up to {answer}, more than "
            "the {most} tokens of {name}; give it fewer passages or raise "
            "RABBITHOLE_CONTEXT_TOKENS",
            prompt=prompt,
            answer=request.max_tokens,
            most=model.context_tokens,
            name=model.name,
        )


def passage_tokens(
    model: ChatModel, *, fixed_tokens: int, max_tokens: int, deadline_s: float
) -> int:
    """Tokens of passages that a prompt may hold besides its fixed part.

    The smaller of what the context leaves and what the model reads, at its measured speed,
    in :data:`PROMPT_SHARE` of the deadline; never negative.

    ``fixed_tokens`` are those of the prompt without passages, as :func:`count_prompt` counts,
    ``deadline_s`` the seconds of the whole call.
    """
    by_context = model.context_tokens - max_tokens - fixed_tokens
    by_speed = int(model.prompt_tokens_per_s * deadline_s * PROMPT_SHARE) - fixed_tokens
    return max(0, min(by_context, by_speed))
