"""The adapter over langchain's chat clients: turns, deadline, one retry, complete generations."""

import asyncio
import re
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from os.path import commonprefix
from typing import Any, TypedDict

import httpx

from services.domain.errors import (
    ModelBusy,
    ModelSilent,
    ModelTimeout,
    ModelUnavailable,
    NoAnswer,
    TruncatedGeneration,
)
from services.models.base import ChatRequest, Completion, count_prompt, estimate_tokens, require_fit
from services.models.endpoint import Endpoint, FairSemaphore
from services.models.output import json_object

RETRY_PAUSE_S = 0.25
FIRST_WORD_S = 30.0
REST_S = 30.0
"""Seconds for which a silent server is not called again."""
READING_MARGIN = 2.0
"""Factor by which reading a prompt may exceed the time that the measured speed predicts."""
SPEED_SAMPLE_TOKENS = 64
"""Fewer newly read tokens say nothing about the speed of reading."""
WRITTEN_SAMPLE_TOKENS = 16
OUTPUT_SHARE = 0.25
"""Speed of writing as a share of that of reading, before it was measured."""
RECENT_PROMPTS = 8

_THOUGHTS = re.compile(r"\A\s*<think>.*?(</think>\s*|\Z)", re.DOTALL)


def without_thoughts(text: str) -> str:
    """Return the answer of a model without its leading block of thoughts, ended or not."""
    return _THOUGHTS.sub("", text, count=1)


class Limits(TypedDict, total=False):
    context_tokens: int
    parallel: int
    first_word_s: float


class Generation:
    """The text, usage and metadata of a stream so far; later counts replace earlier ones."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._first_token_s = 0.0
        self._usage: dict[str, Any] = {}
        self._metadata: dict[str, Any] = {}
        self.text = ""
        self.thoughts = ""

    def add(self, chunk: Any) -> None:
        thought = chunk.additional_kwargs.get("reasoning_content", "")
        if (chunk.content or thought) and not (self.text or self.thoughts):
            self._first_token_s = self.seconds
        self.text += str(chunk.content)
        self.thoughts += thought
        self._usage |= chunk.usage_metadata or {}
        self._metadata |= chunk.response_metadata

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    @property
    def finish_reason(self) -> str | None:
        """The server's reason for the end; None if the stream only stopped."""
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
        """Tokens of the prompt that were not read afresh; None if the server does not say."""
        return (self._usage.get("input_token_details") or {}).get("cache_read")

    @property
    def reading_s(self) -> float:
        """Seconds of reading the prompt, as the server says or up to the first text or thought."""
        nanoseconds = self._metadata.get("prompt_eval_duration")
        return nanoseconds / 1e9 if nanoseconds else self._first_token_s

    @property
    def hides_thoughts(self) -> bool:
        """Whether the model thought before its first text, but the server sent no thoughts."""
        details = self._usage.get("output_token_details") or {}
        return bool(details.get("reasoning")) and not self.thoughts


class StreamingModel:
    """A chat model behind an endpoint that a chat client of langchain speaks to.

    A deadline starts when the turn has come. ``first_word_s`` is how long the endpoint may send
    nothing before it begins. Without ``learns_speed`` the first guess of the speed stays, so that
    prompts do not depend on how fast earlier calls were. Subclasses set ``_endpoint``, the client
    ``_chat``, and the client's exceptions for a lost connection and for a refusal.
    """

    learns_speed = True
    first_guess_tokens_per_s = 150.0
    _endpoint: Endpoint
    _chat: Any
    _lost: tuple[type[Exception], ...] = ()
    _refusals: tuple[type[Exception], ...]

    def __init__(
        self,
        name: str,
        *,
        context_tokens: int = 8192,
        parallel: int = 1,
        first_word_s: float = FIRST_WORD_S,
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.slots = parallel
        self.reading_speed: float | None = None
        self._writing_speed: float | None = None
        self._first_word_s = first_word_s
        self._silent: ModelSilent | None = None
        self._silent_at = 0.0
        self._turns = FairSemaphore(parallel)
        self._recent: deque[str] = deque(maxlen=RECENT_PROMPTS)

    @property
    def prompt_tokens_per_s(self) -> float:
        return self.reading_speed or self.first_guess_tokens_per_s

    @property
    def output_tokens_per_s(self) -> float:
        return self._writing_speed or OUTPUT_SHARE * self.first_guess_tokens_per_s

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        """Return the arguments of the client's ``astream`` besides the messages."""
        raise NotImplementedError

    def count_tokens(self, text: str) -> int:
        """Return an estimate, rather too many: the tokenizer is on the server."""
        return estimate_tokens(text)

    async def close(self) -> None:
        """Forget recent prompts; no connection outlives its request anyway."""
        self._recent.clear()

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        """See :meth:`services.models.base.ChatModel.complete`."""
        await asyncio.to_thread(require_fit, self, request)
        async with self._turns.turn(request.caller):
            if self._silent is not None and time.monotonic() - self._silent_at < REST_S:
                raise ModelSilent(self._silent.notice)
            try:
                async with asyncio.timeout(request.deadline_s) as deadline:
                    return await self._retry(request, on_text)
            except ModelSilent as silent:
                self._silent, self._silent_at = silent, time.monotonic()
                raise
            except TimeoutError as error:
                if not deadline.expired():
                    raise
                raise ModelTimeout(
                    "{name} did not finish its answer within {seconds:g} s; raise "
                    "RABBITHOLE_MODEL_DEADLINE_S or use a smaller model",
                    name=self.name,
                    seconds=request.deadline_s,
                ) from error

    async def _retry(
        self, request: ChatRequest, on_text: Callable[[str], None] | None
    ) -> Completion:
        """Retry once after a failure, and whenever a busy server names a time."""
        failed = False
        while True:
            try:
                return await self._generate(request, on_text)
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
        """Restart the endpoint if this process owns it."""

    async def _first_word_timeout_s(self, request: ChatRequest) -> float | None:
        """Return the seconds to wait, more for a long prompt; None: until the deadline."""
        if not self._recent:
            return self._first_word_s
        prompt = await asyncio.to_thread(count_prompt, self, request.messages)
        return max(self._first_word_s, READING_MARGIN * prompt / self.prompt_tokens_per_s)

    async def _generate(
        self, request: ChatRequest, on_text: Callable[[str], None] | None
    ) -> Completion:
        await self._ready()
        generation = Generation()
        await self._read_stream(request, generation, on_text)
        text = self._text(generation)
        if request.json_schema is not None and not text.strip():
            text = self._endpoint.scrub_answer(json_object(generation.thoughts))
        self._check_complete(generation, text, request.max_tokens)
        self._check_and_measure(request, generation)
        return Completion(
            text=text,
            prompt_tokens=generation.prompt_tokens
            or sum(self.count_tokens(message.content) for message in request.messages),
            completion_tokens=generation.completion_tokens or self.count_tokens(text),
            seconds=generation.seconds,
        )

    async def _read_stream(
        self,
        request: ChatRequest,
        generation: Generation,
        on_text: Callable[[str], None] | None,
    ) -> None:
        """Add all chunks; raise ModelSilent where the first does not come."""
        timeout_s = await self._first_word_timeout_s(request)
        try:
            async with (
                asyncio.timeout(timeout_s) as first_word,
                aclosing(self._chunks(request, generation)) as chunks,
            ):
                async for chunk in chunks:
                    first_word.reschedule(None)
                    generation.add(chunk)
                    if chunk.content and on_text is not None and (text := self._text(generation)):
                        on_text(text)
        except TimeoutError as error:
            if not first_word.expired():
                raise
            raise ModelSilent(
                "{name} sent nothing for {seconds:g} s; restart its server, or raise "
                "RABBITHOLE_MODEL_FIRST_WORD_S if the model needs longer to load or to read the "
                "prompt",
                name=self.name,
                seconds=timeout_s,
            ) from error

    async def _chunks(
        self, request: ChatRequest, generation: Generation
    ) -> AsyncGenerator[Any, None]:
        """Stream from the client and translate its failures into domain errors."""
        messages = [(message.role, message.content) for message in request.messages]
        lost: tuple[type[Exception], ...] = (*self._lost, httpx.HTTPError, ConnectionError)
        try:
            async for chunk in self._messages(messages, request):
                yield chunk
        except lost as error:
            raise self._endpoint.connection_lost(bool(generation.text)) from error
        except self._refusals as error:
            message = getattr(error, "error", None) or getattr(error, "message", None) or ""
            status = getattr(error, "status_code", None)
            raise self._endpoint.status_error(status, str(message), _retry_after_s(error)) from None
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise self._endpoint.unparsable(error, bool(generation.text)) from error

    def _messages(
        self, messages: Sequence[tuple[str, str]], request: ChatRequest
    ) -> AsyncIterator[Any]:
        stream: AsyncIterator[Any] = self._chat.astream(messages, **self._arguments(request))
        return stream

    def _text(self, generation: Generation) -> str:
        return self._endpoint.scrub_answer(without_thoughts(generation.text))

    def _check_complete(self, generation: Generation, text: str, max_tokens: int) -> None:
        """Raise TruncatedGeneration or NoAnswer unless the answer has text and ended by itself."""
        reason = generation.finish_reason
        if reason is None and generation.text:
            raise NoAnswer("{name} stopped in the middle of its answer; try again", name=self.name)
        if reason == "length" and text.strip():
            raise TruncatedGeneration(
                "the answer was cut off after {tokens} tokens; ask for a shorter one",
                tokens=max_tokens,
            )
        if not text.strip():
            raise NoAnswer(
                "{name} sent no answer, or only its reasoning; switch off its thinking mode, "
                "or use another model",
                name=self.name,
            )
        if reason != "stop":
            cause = self._endpoint.scrub(reason or "")
            raise NoAnswer("the model stopped because of {cause!r}", cause=cause)

    def _check_and_measure(self, request: ChatRequest, generation: Generation) -> None:
        """Measure the speed of a generation; subclasses may refuse it here."""
        prompt, fresh = prompt_text(request), generation.prompt_tokens
        if generation.cached_tokens is None:
            fresh = int(fresh * (1.0 - self._cached_share(prompt)))
        else:
            fresh -= generation.cached_tokens
        timed = self._is_timed(generation)
        self._recent.append(prompt)
        if not timed:
            return
        reading_s = generation.reading_s
        if self.learns_speed:
            self.reading_speed = _average(self.reading_speed, fresh, reading_s, SPEED_SAMPLE_TOKENS)
        writing_s = generation.seconds - reading_s
        self._writing_speed = _average(
            self._writing_speed, generation.completion_tokens, writing_s, WRITTEN_SAMPLE_TOKENS
        )

    def _is_timed(self, generation: Generation) -> bool:
        """Return whether the first text or thought came as soon as the prompt was read."""
        return True

    def _cached_share(self, prompt: str) -> float:
        """Return the share of the prompt, 0-1, that the endpoint may hold from a recent call."""
        shared = (commonprefix((prompt, old)) for old in self._recent)  # noqa: RUF071 (characters)
        return max(map(len, shared), default=0) / max(1, len(prompt))


def _retry_after_s(refusal: Exception) -> float | None:
    headers = getattr(getattr(refusal, "response", None), "headers", {})
    with suppress(ValueError):
        return float(headers.get("retry-after", ""))
    return None


def _average(speed: float | None, tokens: int, seconds: float, least: int) -> float | None:
    """Return the mean of the speed and a measurement, if that has at least ``least`` tokens."""
    if tokens < least or seconds <= 0:
        return speed
    measured = tokens / seconds
    return measured if speed is None else (speed + measured) / 2


def prompt_text(request: ChatRequest) -> str:
    """Return all messages in one string, to compare prompts by."""
    return "\n".join(message.content for message in request.messages)
