"""The adapter over langchain's chat clients: turns, deadline, one retry, only whole generations."""

import asyncio
import re
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from os.path import commonprefix
from typing import Any

import httpx

from services.domain.errors import (
    ModelBusy,
    ModelSilent,
    ModelTimeout,
    ModelUnavailable,
    NoAnswer,
    TruncatedGeneration,
)
from services.models.base import (
    ChatRequest,
    Completion,
    count_prompt,
    estimate_tokens,
    require_fit,
)
from services.models.endpoint import Endpoint
from services.models.output import json_object
from services.models.turns import Place, Turns

RETRY_PAUSE_S = 0.25
FIRST_WORD_S = 30.0
REST_S = 30.0
"""For so long nobody else waits for a server that was silent."""
READING_MARGIN = 2.0
"""How many times as long as the measured speed says reading a prompt may take."""

SPEED_SAMPLE_TOKENS = 64
"""Fewer freshly read tokens than this say nothing about the speed of reading."""

WRITTEN_SAMPLE_TOKENS = 16
OUTPUT_SHARE = 0.25
"""Speed of writing as a share of that of reading, before it was measured."""

RECENT_PROMPTS = 8
NANOSECOND = 1e-9

_THOUGHTS = re.compile(r"\A\s*<think>.*?(</think>\s*|\Z)", re.DOTALL)


def without_thoughts(text: str) -> str:
    """The answer of a model that may begin with a block of thoughts, ended or not."""
    return _THOUGHTS.sub("", text, count=1)


class Generation:
    """What the chunks of a stream have brought so far; later counts replace earlier ones."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._first_text_s = 0.0
        self._usage: dict[str, Any] = {}
        self._metadata: dict[str, Any] = {}
        self.text = ""
        self.thoughts = ""

    def add(self, chunk: Any) -> None:
        """Take the next ``AIMessageChunk``."""
        if chunk.content and not self.text:
            self._first_text_s = self.seconds
        self.text += str(chunk.content)
        self.thoughts += chunk.additional_kwargs.get("reasoning_content", "")
        self._usage |= chunk.usage_metadata or {}
        self._metadata |= chunk.response_metadata

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    @property
    def finish_reason(self) -> str | None:
        """Why it ended in the server's words; None if the stream only stopped."""
        reason = self._metadata.get("done_reason") or self._metadata.get("finish_reason")
        return reason or ("unknown" if self._metadata.get("done") else None)

    @property
    def prompt_tokens(self) -> int:
        return self._usage.get("input_tokens") or 0

    @property
    def completion_tokens(self) -> int:
        return self._usage.get("output_tokens") or 0

    @property
    def cached_tokens(self) -> int | None:
        """Tokens of the prompt that were not read afresh; None without a word of the server."""
        return (self._usage.get("input_token_details") or {}).get("cache_read")

    @property
    def reading_s(self) -> float:
        """Seconds that reading the prompt took, by the server's word or up to the first text."""
        nanoseconds = self._metadata.get("prompt_eval_duration")
        return nanoseconds * NANOSECOND if nanoseconds else self._first_text_s


class StreamingModel:
    """A chat model behind an endpoint that a chat client of langchain speaks to.

    ``parallel`` calls run at once, further ones wait for a turn, one caller after the other; a
    deadline starts when the turn has come. Where ``learns_speed`` is off, the first guess of the
    speed stays, so that prompts do not depend on how fast the calls before happened to be.
    ``first_word_s`` is how long the endpoint may send nothing at all before it begins.

    Subclasses set ``_endpoint``, the client ``_chat`` and the exceptions by which it tells of a
    lost connection and of a refusal, and say what a request adds to the client's call.
    """

    learns_speed = True
    first_guess_tokens_per_s = 150.0
    _endpoint: Endpoint
    _chat: Any
    _lost: tuple[type[Exception], ...]
    _refusals: tuple[type[Exception], ...]

    def __init__(
        self,
        name: str,
        *,
        context_tokens: int,
        parallel: int = 1,
        first_word_s: float = FIRST_WORD_S,
    ) -> None:
        self.name = name
        self._first_word_s = first_word_s
        self._silent: ModelSilent | None = None
        self._silent_at = 0.0
        self.context_tokens = context_tokens
        self.prompt_tokens_per_s = self.first_guess_tokens_per_s
        self.output_tokens_per_s = OUTPUT_SHARE * self.first_guess_tokens_per_s
        self.slots = parallel
        self._turns = Turns(Place(parallel))
        self._recent: deque[str] = deque(maxlen=RECENT_PROMPTS)

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        """What the client's ``astream`` is told besides the messages."""
        raise NotImplementedError

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
        async with self._turns.of(request.caller):
            if self._silent is not None and time.monotonic() - self._silent_at < REST_S:
                raise ModelSilent(self._silent.notice)
            try:
                async with asyncio.timeout(request.deadline_s) as deadline:
                    return await self._retried(request, on_text)
            except ModelSilent as silent:
                self._silent, self._silent_at = silent, time.monotonic()
                raise
            except TimeoutError as error:
                if not deadline.expired():
                    raise
                raise ModelTimeout(
                    "{name} gave no whole answer within {seconds:g} s; raise "
                    "RABBITHOLE_MODEL_DEADLINE_S or use a smaller model",
                    name=self.name,
                    seconds=request.deadline_s,
                ) from error

    async def _retried(
        self, request: ChatRequest, on_text: Callable[[str], None] | None
    ) -> Completion:
        """Try once more where it fails, and as often as a busy server names the time for it."""
        failed = False
        while True:
            try:
                return await self._generated(request, on_text)
            except ModelSilent:
                raise
            except ModelBusy as busy:
                pause_s = float(str(busy.notice.fields["seconds"]))
                if pause_s >= request.deadline_s:
                    raise
                await asyncio.sleep(pause_s)
            except ModelUnavailable:
                if failed:
                    raise
                failed = True
                await asyncio.sleep(RETRY_PAUSE_S)

    async def _ready(self) -> None:
        """Makes the endpoint answer, where that is in the hands of this process."""

    async def _patience_s(self, request: ChatRequest) -> float | None:
        """Seconds until the first sign of an answer; more where reading is known to take longer.

        None: as long as the whole answer may take.
        """
        if not self._recent:
            return self._first_word_s
        prompt = await asyncio.to_thread(count_prompt, self, request.messages)
        return max(self._first_word_s, READING_MARGIN * prompt / self.prompt_tokens_per_s)

    async def _generated(
        self, request: ChatRequest, on_text: Callable[[str], None] | None
    ) -> Completion:
        await self._ready()
        patience_s, generation = await self._patience_s(request), Generation()
        try:
            async with (
                asyncio.timeout(patience_s) as silence,
                aclosing(self._chunks(request, generation)) as chunks,
            ):
                async for chunk in chunks:
                    silence.reschedule(None)
                    generation.add(chunk)
                    if chunk.content and on_text is not None and (text := self._text(generation)):
                        on_text(text)
        except TimeoutError as error:
            if not silence.expired():
                raise
            raise ModelSilent(
                "{name} sent nothing for {seconds:g} s; start its server again, or, if it needs "
                "longer to load or to read, raise RABBITHOLE_MODEL_FIRST_WORD_S",
                name=self.name,
                seconds=patience_s,
            ) from error
        text = self._text(generation)
        if request.json_schema is not None and not text.strip():
            text = self._endpoint.answer(json_object(generation.thoughts))
        self._require_whole(generation, text, request.max_tokens)
        self._examine(request, generation)
        return Completion(
            text=text,
            prompt_tokens=generation.prompt_tokens
            or sum(self.count_tokens(message.content) for message in request.messages),
            completion_tokens=generation.completion_tokens or self.count_tokens(text),
            seconds=generation.seconds,
        )

    async def _chunks(
        self, request: ChatRequest, generation: Generation
    ) -> AsyncGenerator[Any, None]:
        """The client's stream; every failure of it as an error of services.domain.errors."""
        messages = [(message.role, message.content) for message in request.messages]
        lost: tuple[type[Exception], ...] = (*self._lost, httpx.HTTPError, ConnectionError)
        try:
            async for chunk in self._messages(messages, request):
                yield chunk
        except lost as error:
            raise self._endpoint.lost(bool(generation.text)) from error
        except self._refusals as error:
            said = getattr(error, "error", None) or getattr(error, "message", None) or ""
            status = getattr(error, "status_code", None)
            raise self._endpoint.refused(status, str(said), _retry_after_s(error)) from None
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise self._endpoint.garbage(error, bool(generation.text)) from error

    def _messages(
        self, messages: Sequence[tuple[str, str]], request: ChatRequest
    ) -> AsyncIterator[Any]:
        """What the client brings, message by message."""
        stream: AsyncIterator[Any] = self._chat.astream(messages, **self._arguments(request))
        return stream

    def _text(self, generation: Generation) -> str:
        """The answer without thoughts and without the secrets of the endpoint."""
        return self._endpoint.answer(without_thoughts(generation.text))

    def _require_whole(self, generation: Generation, text: str, max_tokens: int) -> None:
        """Accept only what ended by itself and says something.

        Raises:
            TruncatedGeneration: It stopped for length.
            NoAnswer: It is empty, ended without an end, or stopped for any other reason.
        """
        reason = generation.finish_reason
        if reason is None and generation.text:
            raise NoAnswer("{name} broke off in the middle; try again", name=self.name)
        if reason == "length" and text.strip():
            raise TruncatedGeneration(
                "the answer was cut off after {tokens} tokens; ask for a shorter one",
                tokens=max_tokens,
            )
        if not text.strip():
            raise NoAnswer(
                "{name} sent no answer, or nothing but thoughts; switch its thinking off, or use "
                "another model",
                name=self.name,
            )
        if reason != "stop":
            cause = self._endpoint.scrubbed(reason or "")
            raise NoAnswer("the model stopped for the reason {cause!r}", cause=cause)

    def _examine(self, request: ChatRequest, generation: Generation) -> None:
        """Learn the speed from a whole generation; implementations may refuse it here."""
        prompt, read = prompt_text(request), generation.prompt_tokens
        if generation.cached_tokens is None:
            fresh = int(read * (1.0 - self._known_share(prompt)))
        else:
            fresh = read - generation.cached_tokens
        self._recent.append(prompt)
        reading_s = generation.reading_s
        if self.learns_speed:
            self.prompt_tokens_per_s = mixed(
                self.prompt_tokens_per_s, fresh, reading_s, SPEED_SAMPLE_TOKENS
            )
        self.output_tokens_per_s = mixed(
            self.output_tokens_per_s,
            generation.completion_tokens,
            generation.seconds - reading_s,
            WRITTEN_SAMPLE_TOKENS,
        )

    def _known_share(self, prompt: str) -> float:
        """Share of the prompt, 0-1, that the endpoint may still hold from a recent call."""
        shared = (commonprefix((prompt, old)) for old in self._recent)  # noqa: RUF071 (characters)
        longest = max(map(len, shared), default=0)
        return longest / max(1, len(prompt))


def _retry_after_s(refusal: Exception) -> float | None:
    """The seconds of a ``Retry-After`` header; None without one that names seconds."""
    headers = getattr(getattr(refusal, "response", None), "headers", {})
    with suppress(ValueError):
        return float(headers.get("retry-after", ""))
    return None


def mixed(speed: float, tokens: int, seconds: float, least: int) -> float:
    """The speed with a measurement of at least ``least`` tokens, half and half."""
    return (speed + tokens / seconds) / 2 if tokens >= least and seconds > 0 else speed


def prompt_text(request: ChatRequest) -> str:
    """All messages in one string, to compare prompts by."""
    return "\n".join(message.content for message in request.messages)
