"""A chat model that records its replies, and one that replays them."""

import hashlib
import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from pydantic import Field, JsonValue, ValidationError

from services.domain.errors import Broken, InvalidInput, ModelSilent, RabbitholeError, error_class
from services.domain.notices import Notice
from services.domain.value import Value
from services.models.base import ChatModel, ChatRequest, Completion, estimate_tokens


class RecordedReply(Value):
    """The outcome of one call: a text, or an error by name and message.

    ``speed`` is the model's ``prompt_tokens_per_s`` before the call. ``counts`` are the tokens
    counted since the previous call, by `text_key`: the prompt was fitted by them.
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
    """Return the SHA-256 of the parts of a request that a reply depends on."""
    content = request.model_dump(mode="json", exclude={"deadline_s", "task", "caller"})
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def text_key(text: str) -> str:
    """Return a short key of a text whose tokens were counted."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


CONTEXT_TOKENS = 8192
"""Context of a recorded model that was never called."""
OUTPUT_SPEED = 10.0
"""Tokens a second; it only affects estimates of time, and the depth of a run without calls."""


class Recording(Value):
    """The replies of a model in a run that is shipped for replay.

    ``day`` is ISO 8601, ``question`` was researched in ``documents``, files of the samples.
    """

    model: str
    day: str
    question: str
    documents: tuple[str, ...]
    replies: tuple[RecordedReply, ...]


RECORDING: Final = "recorded.json"
STALE: Final = Notice.of(
    "The recording has no reply to this prompt because it was made with another version. "
    "`make recording` makes a new one."
)
OTHER_RUN: Final = Notice.of(
    "The trace has no reply to this prompt: the documents, the settings or the version differ"
    " from those of the run. Replay it in the installation where it was made."
)


def read_recording(path: Path) -> Recording:
    """Read the recording in a file; raise `InvalidInput` if it is none."""
    try:
        return Recording.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise InvalidInput("{path} is not a recording of model replies.", path=path) from error


def recorded_model(recording: Recording) -> "ReplayModel":
    """Return the model of a recording, named with the day."""
    name = f"{recording.model}, recorded on {recording.day}"
    return ReplayModel(recording.replies, name, otherwise=STALE)


class RecordingModel:
    """Passes calls on to a model, and each outcome to ``record``; other attributes are the model's.

    A cancelled call has no outcome: it will be repeated. Once ``unheard`` is set, the model is not
    called, and that error is the outcome.
    """

    unheard: ModelSilent | None = None

    name: str
    context_tokens: int
    prompt_tokens_per_s: float
    output_tokens_per_s: float
    slots: int

    def __init__(self, model: ChatModel, record: Callable[[RecordedReply], None]) -> None:
        self._model = model
        self._record = record
        self._counts: dict[str, JsonValue] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        speed = self._model.prompt_tokens_per_s
        try:
            if self.unheard is not None:
                raise self.unheard
            completion = await self._model.complete(request, on_text)
        except RabbitholeError as error:
            self._note(request, speed, text=str(error), error=type(error).__name__)
            raise
        self._note(request, speed, **completion.model_dump(exclude={"seconds"}))
        return completion

    def count_tokens(self, text: str) -> int:
        count = self._model.count_tokens(text)
        self._counts[text_key(text)] = count
        return count

    async def close(self) -> None:
        """Leave the model open: it belongs to the process, this to a run."""

    def _note(self, request: ChatRequest, speed: float, **outcome: Any) -> None:
        counts, self._counts = self._counts, {}
        self._record(
            RecordedReply(
                task=request.task,
                sha256=request_key(request),
                model=self.name,
                context_tokens=self.context_tokens,
                speed=speed,
                slots=self.slots,
                counts=counts,
                **outcome,
            )
        )


class ReplayModel:
    """Answers each request with the recorded reply to the same one.

    Equal requests get their replies in order, and then the last one again. ``otherwise`` explains
    why a request has no reply.
    """

    def __init__(
        self, replies: Iterable[RecordedReply], name: str, *, otherwise: Notice = OTHER_RUN
    ) -> None:
        recorded = list(replies)
        self.name, self._otherwise = name, otherwise
        self.context_tokens = recorded[0].context_tokens if recorded else CONTEXT_TOKENS
        self.slots = recorded[0].slots if recorded else 1
        self.output_tokens_per_s = OUTPUT_SPEED
        self._speeds = deque(reply.speed for reply in recorded) or deque([OUTPUT_SPEED])
        self._counts = {key: count for reply in recorded for key, count in reply.counts.items()}
        self._replies: dict[str, deque[RecordedReply]] = defaultdict(deque)
        for reply in recorded:
            self._replies[reply.sha256].append(reply)

    @property
    def prompt_tokens_per_s(self) -> float:
        """The speed as measured before the next call."""
        return self._speeds[0]

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        """Return the recorded reply or raise the recorded error; Broken without either."""
        replies = self._replies.get(request_key(request))
        if not replies:
            raise Broken(self._otherwise)
        reply = replies.popleft() if len(replies) > 1 else replies[0]
        if len(self._speeds) > 1:
            self._speeds.popleft()
        if reply.error is not None:
            raise error_class(reply.error)(reply.text)
        if on_text is not None:
            on_text(reply.text)
        outcome = reply.model_dump(include={"text", "prompt_tokens", "completion_tokens"})
        return Completion(**outcome, seconds=0.0)

    def count_tokens(self, text: str) -> int:
        count = self._counts.get(text_key(text))
        return int(count) if isinstance(count, int) else estimate_tokens(text)

    async def close(self) -> None:
        """Do nothing: it holds no resources."""
