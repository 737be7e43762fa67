"""OpenAI's chat completions over one's collections, for programs that speak nothing else.

All that it says is Markdown in which texts of documents and models are escaped. Only checked text
is the answer (``content``). What a model writes before it has been checked is
streamed as ``reasoning_content``, where programs show what leads to an answer. The tail of an
answer names its places and its thread; a program sends it back with the next question, and so
the thread is found that goes on.
"""

import json
import re
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_jsonable_python

from agent.ask.models import AskedDepth
from agent.engine.engine import Engine
from app.api import values
from app.api.access import Reader, Shared, TokenFirst
from app.api.doors import Doors, ended
from app.api.events import as_stream
from app.api.problems import Json, refusal, responses
from app.api.threads import begin, turn_of
from app.formats import one_line
from services.domain.collections import told_apart
from services.domain.errors import InvalidInput, NotFound, RabbitholeError
from services.domain.events import TokenUpdate
from services.domain.markdown import plain_markdown
from services.locale import rendered

JSON: Final = "application/json"
router = APIRouter(
    route_class=TokenFirst,
    prefix="/v1",
    tags=["openai"],
    responses=responses(401, 403, 413, 422, 429, 502, 503, media_type=JSON),
)
ALL: Final = "all"
_MARK: Final = re.compile(r"\[(\d+)\]")
_ESCAPED_MARK: Final = re.compile(r"\\\[(\d+)\\\](?=\s|$|\\\[)")
"""Of an answer; what looks like one in a text leads nowhere."""
_STRUCTURE: Final = re.compile(r"((?:## |> |- )?)(.*)")
_THREAD: Final = re.compile(r"`thread ([0-9A-Za-z_-]{1,64})/(\d{1,6})`\s*$")


LongText = Annotated[str, Field(max_length=200_000, pattern=values.NOT_NUL)]


class Part(BaseModel):
    """A part of a message; only text is read."""

    model_config = ConfigDict(extra="allow")
    type: str
    text: LongText = ""


class Message(BaseModel):
    model_config = ConfigDict(extra="allow")
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: LongText | list[Part] | None = None

    @property
    def text(self) -> str:
        """What it says."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="allow")
    include_usage: bool = False


class Completion(BaseModel):
    """Other fields of OpenAI's have no effect: answers rest on the documents alone."""

    model_config = ConfigDict(extra="allow")
    model: values.ShortText = Field(examples=[ALL])
    messages: list[Message] = Field(
        min_length=1,
        max_length=1000,
        examples=[[{"role": "user", "content": "Ab welchem Alter darf man ein Solarium nutzen?"}]],
    )
    stream: bool = False
    stream_options: StreamOptions | None = None
    depth: AskedDepth = "auto"


@router.get("/models")
def models(engine: Reader) -> dict[str, Any]:
    """List your collections as models, and ``all``."""
    found = engine.library.collections()
    known = [(name, info.owner) for name, info in zip(told_apart(found), found, strict=True)]
    return {
        "object": "list",
        "data": [
            {"id": name, "object": "model", "created": 0, "owned_by": owner}
            for name, owner in ((ALL, "rabbithole"), *known)
        ],
    }


@router.post(
    "/chat/completions",
    response_model=dict[str, Any],
    responses={**responses(404, 409, media_type=JSON), 200: {"content": {"text/event-stream": {}}}},
)
async def complete(
    request: Request, doors: Shared, engine: Reader, wanted: Completion
) -> Json | StreamingResponse:
    """Answer the last question of the messages from a collection, or from all."""
    started = await doors.starting(engine, lambda: _begin(engine, wanted))
    told = _Told(wanted.model, f"chatcmpl-{started.thread_id}-{started.turn}")
    place = str(request.base_url)
    if wanted.stream:
        return as_stream(_streamed(doors, engine, wanted, started, told, place))
    run = await doors.finish(engine, started.thread_id, started.after)
    turn = await run_in_threadpool(turn_of, engine, run, started)
    said = Said(turn, started, place, in_app=doors.app)
    message = {"role": "assistant", "content": said.content, "annotations": said.annotations}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return Json(told.as_object("chat.completion", [choice]) | {"usage": said.usage})


def _begin(engine: Engine, wanted: Completion) -> values.Started:
    """Asks the last question, in the thread that the last answer names."""
    asked = wanted.messages[-1]
    if asked.role != "user" or not asked.text.strip():
        raise InvalidInput("The last message has to be a question of the user, as text.")
    collections = (
        told_apart(engine.library.collections()) if wanted.model == ALL else (wanted.model,)
    )
    thread = _thread_of(engine, wanted, collections)
    question = values.Ask.model_construct(
        question=asked.text, thread_id=thread, collections=collections, depth=wanted.depth
    )
    return begin(engine, question)


def _thread_of(engine: Engine, wanted: Completion, collections: tuple[str, ...]) -> str | None:
    """The thread over the collections whose last turn is the last answer; None without one."""
    answers = [each.text for each in wanted.messages if each.role == "assistant"]
    named = _THREAD.search(answers[-1]) if answers else None
    if named is None:
        return None
    try:
        run = engine.threads.run(named[1])
        turns = len(engine.answers.turns(named[1])) if run.kind == "ask" else -1
    except NotFound:
        return None
    same = set(run.collections) == set(collections)
    waits = run.pending is not None
    return run.thread_id if same and (waits or turns == int(named[2])) else None


class _Told:
    """The frame of all that is said of one completion."""

    def __init__(self, model: str, id_: str) -> None:
        self._frame = {"id": id_, "created": int(time.time()), "model": model}

    def as_object(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {**self._frame, "object": kind, "choices": choices}

    def chunk(self, delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _sent(self.as_object("chat.completion.chunk", [choice]))


class Said:
    """An answer as text with its numbered places, and these as OpenAI's annotations."""

    def __init__(
        self, asked: dict[str, Any], started: values.Started, place: str, *, in_app: bool
    ) -> None:
        turn = rendered(to_jsonable_python(asked))
        self._place, self._in_app = place.rstrip("/"), in_app
        thread = f"`thread {started.thread_id}/{started.turn}`"
        if pending := turn.get("pending"):
            questions = map(_said, pending["questions"])
            self.content = "\n".join([*questions, "", thread])
            self.annotations: list[dict[str, Any]] = []
            self.usage = _usage({})
            return
        cited = {each["number"]: each for each in turn["citations"]}
        places = [f"[{n}] {_said(at['place'])}: »{_said(at['quote'])}«" for n, at in cited.items()]
        coverage = turn["coverage"]
        sampled = None if coverage["whole"] else coverage["statement"]
        notes = [note for note in (sampled, coverage["warning"], *turn["warnings"]) if note]
        answer = _as_markdown(turn["answer"])
        parts = (answer, "\n".join(places), "\n".join(map(_said, notes)), thread)
        self.content = "\n\n".join(filter(None, parts))
        self.annotations = [
            self._annotation(cited[int(mark[1])], mark.span())
            for mark in _MARK.finditer(answer)
            if int(mark[1]) in cited
        ]
        self.usage = _usage(turn["usage"])

    def _annotation(self, cited: dict[str, Any], span: tuple[int, int]) -> dict[str, Any]:
        start, end, document = cited["start"], cited["end"], cited["document_id"]
        page = f"document?doc={document}&span={start}-{end}"
        text = f"api/v1/documents/{document}/text?start={start}&end={end}"
        place = {
            "start_index": span[0],
            "end_index": span[1],
            "title": cited["place"],
            "url": f"{self._place}/{page if self._in_app else text}",
        }
        return {"type": "url_citation", "url_citation": place}


def _said(text: str) -> str:
    return plain_markdown(one_line(text))


def _as_markdown(answer: str) -> str:
    """An answer as it is kept, its headings, quotes and marks as such and all else escaped."""
    lines = (_STRUCTURE.fullmatch(line) for line in answer.split("\n"))
    escaped = "\n".join(f"{line[1]}{plain_markdown(line[2])}" for line in lines if line)
    return _ESCAPED_MARK.sub(r"[\1]", escaped)


def _usage(usage: dict[str, Any]) -> dict[str, int]:
    read, written = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
    }


async def _streamed(
    doors: Doors,
    engine: Engine,
    wanted: Completion,
    started: values.Started,
    told: _Told,
    place: str,
) -> AsyncIterator[str]:
    """The draft as it is written, then the checked answer with its annotations."""
    yield told.chunk({"role": "assistant", "content": ""})
    draft, latest = _Draft(), None
    try:
        async for run, records in doors.thread(engine, started.thread_id, started.after):
            latest = run
            if not records:
                yield ": at work\n\n"
            for record in records:
                if isinstance(record.event, TokenUpdate) and record.event.text:
                    yield told.chunk({"reasoning_content": draft.grown(record.event.text)})
        yield told.chunk({"reasoning_content": draft.rest()})
        turn = await run_in_threadpool(turn_of, engine, ended(latest), started)
    except RabbitholeError as problem:
        failed = refusal("/v1/", problem)
        yield f"data: {bytes(failed.body).decode()}\n\ndata: [DONE]\n\n"
        return
    said = Said(turn, started, place, in_app=doors.app)
    for line in said.content.splitlines(keepends=True):
        yield told.chunk({"content": line})
    yield told.chunk({"annotations": said.annotations}, "stop")
    if wanted.stream_options is not None and wanted.stream_options.include_usage:
        yield _sent(told.as_object("chat.completion.chunk", []) | {"usage": said.usage})
    yield "data: [DONE]\n\n"


class _Draft:
    """A draft as Markdown, told word by word: how one is escaped depends on all of it."""

    def __init__(self) -> None:
        self._text = self._told = ""

    def grown(self, text: str) -> str:
        """What there is to tell of a draft that has grown, or is another now."""
        ended = ""
        if not text.startswith(self._text):
            ended, self._told = f"{self.rest()}\n", ""
        self._text = text
        whole = plain_markdown(text.removesuffix(re.split(r"\s", text)[-1]))
        new, self._told = whole[len(self._told) :], whole
        return ended + new

    def rest(self) -> str:
        """The last word."""
        return plain_markdown(self._text)[len(self._told) :]


def _sent(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value)}\n\n"
