"""What all streaming chat models share: deadline, one retry, and only whole generations."""

import asyncio
import re
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from os.path import commonprefix

from services.domain.errors import (
    InvalidGeneration,
    ModelTimeout,
    ModelUnavailable,
    TruncatedGeneration,
)
from services.models.base import ChatRequest, Completion, estimate_tokens, require_fit
from services.models.endpoint import Endpoint

RETRY_PAUSE_S = 0.25
SPEED_SAMPLE_TOKENS = 64
"""Fewer freshly read tokens than this say nothing about the speed of reading."""

WRITTEN_SAMPLE_TOKENS = 16
OUTPUT_SHARE = 0.25
"""Speed of writing as a share of that of reading, before it was measured."""

RECENT_PROMPTS = 8

_THOUGHTS = re.compile(r"\A\s*<think>.*?(</think>\s*|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Delta:
    """A piece of a stream. Counts are of the whole generation and come with a late piece.

    ``cached_tokens`` of the prompt were not read afresh. ``prompt_seconds`` is what reading
    it took; without a word from the endpoint, the time to the first text.
    """

    text: str = ""
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_seconds: float | None = None


class Generation:
    """What a stream has brought so far, without the secrets of its endpoint.

    Its fields beside the text are those of a ``Delta``.
    """

    finish_reason: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_seconds: float | None = None

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._started = time.monotonic()
        self._raw = ""

    @property
    def text(self) -> str:
        """The answer without a leading block of thoughts."""
        return self._endpoint.answer(_THOUGHTS.sub("", self._raw, count=1))

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def add(self, delta: Delta) -> None:
        """Take the next piece; later counts replace earlier ones."""
        if delta.text and not self._raw:
            self.prompt_seconds = self.seconds
        self._raw += delta.text
        for name, value in vars(delta).items():
            if name != "text" and value is not None:
                setattr(self, name, value)

    def require_whole(self, max_tokens: int) -> None:
        """Accept only what ended by itself and says something.

        Raises:
            TruncatedGeneration: It stopped for length, or the stream ended without an end.
            InvalidGeneration: It is empty, or stopped for any other reason.
        """
        if self.finish_reason is None and self._raw:
            raise TruncatedGeneration("the stream of the model ended in the middle; try again")
        if self.finish_reason == "length":
            raise TruncatedGeneration(
                "the answer was cut off after {tokens} tokens; ask for a shorter one",
                tokens=max_tokens,
            )
        if not self.text.strip():
            raise InvalidGeneration("the model sent no answer, or nothing but thoughts")
        if self.finish_reason != "stop":
            reason = self._endpoint.scrubbed(self.finish_reason or "")
            raise InvalidGeneration("the model stopped for the reason {cause!r}", cause=reason)


class StreamingModel(ABC):
    """A chat model that streams; implementations provide :meth:`_stream`.

    ``parallel`` calls run at once, further ones wait their turn; a deadline starts when the
    turn has come. Where ``learns_speed`` is off, the first guess of the speed stays, so that
    prompts do not depend on how fast the calls before happened to be.
    """

    learns_speed = True
    _endpoint: Endpoint

    def __init__(
        self, name: str, *, context_tokens: int, prompt_tokens_per_s: float, parallel: int = 1
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.prompt_tokens_per_s = prompt_tokens_per_s
        self.output_tokens_per_s = OUTPUT_SHARE * prompt_tokens_per_s
        self.slots = parallel
        self._turn = asyncio.Semaphore(parallel)
        self._recent: deque[str] = deque(maxlen=RECENT_PROMPTS)

    @abstractmethod
    def _stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Pieces of the generation; every failure as an error of services.domain.errors."""

    def count_tokens(self, text: str) -> int:
        """An estimate, rather too many: the tokenizer is on the other side."""
        return estimate_tokens(text)

    async def close(self) -> None:
        """Forget recent prompts; no connection outlives its request anyway."""
        self._recent.clear()

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        """See :meth:`services.models.base.ChatModel.complete`."""
        await asyncio.to_thread(require_fit, self, request)
        async with self._turn:
            try:
                async with asyncio.timeout(request.deadline_s) as deadline:
                    try:
                        return await self._generated(request, on_text)
                    except ModelUnavailable:
                        await asyncio.sleep(RETRY_PAUSE_S)
                    return await self._generated(request, on_text)
            except TimeoutError as error:
                if not deadline.expired():
                    raise
                raise ModelTimeout(
                    "{name} gave no whole answer within {seconds:g} s; raise "
                    "RABBITHOLE_MODEL_DEADLINE_S or use a smaller model",
                    name=self.name,
                    seconds=request.deadline_s,
                ) from error

    async def _generated(
        self, request: ChatRequest, on_text: Callable[[str], None] | None
    ) -> Completion:
        generation = Generation(self._endpoint)
        async with aclosing(self._stream(request)) as stream:
            async for delta in stream:
                generation.add(delta)
                if delta.text and on_text is not None and (text := generation.text):
                    on_text(text)
        generation.require_whole(request.max_tokens)
        self._examine(request, generation)
        return Completion(
            text=generation.text,
            prompt_tokens=generation.prompt_tokens
            or sum(self.count_tokens(message.content) for message in request.messages),
            completion_tokens=generation.completion_tokens or self.count_tokens(generation.text),
            seconds=generation.seconds,
        )

    def _examine(self, request: ChatRequest, generation: Generation) -> None:
        """Learn the speed from a whole generation; implementations may refuse it here."""
        prompt, read = prompt_text(request), generation.prompt_tokens or 0
        if generation.cached_tokens is None:
            fresh = int(read * (1.0 - self._known_share(prompt)))
        else:
            fresh = read - generation.cached_tokens
        self._recent.append(prompt)
        reading_s = generation.prompt_seconds or 0.0
        if self.learns_speed:
            self.prompt_tokens_per_s = mixed(
                self.prompt_tokens_per_s, fresh, reading_s, SPEED_SAMPLE_TOKENS
            )
        self.output_tokens_per_s = mixed(
            self.output_tokens_per_s,
            generation.completion_tokens or 0,
            generation.seconds - reading_s,
            WRITTEN_SAMPLE_TOKENS,
        )

    def _known_share(self, prompt: str) -> float:
        """Share of the prompt, 0-1, that the endpoint may still hold from a recent call."""
        shared = (commonprefix((prompt, old)) for old in self._recent)  # noqa: RUF071 (characters)
        longest = max(map(len, shared), default=0)
        return longest / max(1, len(prompt))


def mixed(speed: float, tokens: int, seconds: float, least: int) -> float:
    """The speed with a measurement of at least ``least`` tokens, half and half."""
    return (speed + tokens / seconds) / 2 if tokens >= least and seconds > 0 else speed


def prompt_text(request: ChatRequest) -> str:
    """All messages in one string, to compare prompts by."""
    return "\n".join(message.content for message in request.messages)
