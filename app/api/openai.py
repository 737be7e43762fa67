"""OpenAI's chat completions over your collections, for programs that know no other API.

Responses are Markdown in which texts of documents and models are escaped. The unchecked draft of a
model is streamed as ``reasoning_content``. An answer ends with its sources and the id of its
thread; a program sends them back with the next question, which so continues the thread.
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
from app.api.events import as_stream
from app.api.gateway import ApiGateway, Gateway, Reader, TokenFirst, require_ended
from app.api.problems import Json, refusal, responses
from app.api.threads import begin, turn_of
from app.formats import one_line
from services.domain.collections import unique_names
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
"""The mark of a citation in an answer; one inside a text keeps its escapes."""
_STRUCTURE: Final = re.compile(r"((?:## |> |- )?)(.*)")
_THREAD: Final = re.compile(r"`thread ([0-9A-Za-z_-]{1,64})/(\d{1,6})`\s*$")


LongText = Annotated[str, Field(max_length=200_000, pattern=values.NOT_NUL)]


class ContentPart(BaseModel):
    """A part of a message; only text is read."""

    model_config = ConfigDict(extra="allow")
    type: str
    text: LongText = ""


class Message(BaseModel):
    model_config = ConfigDict(extra="allow")
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: LongText | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        """Return its text."""
        if isinstance(self.content, list):
            return "\n".join(chunk.text for chunk in self.content if chunk.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="allow")
    include_usage: bool = False


class Completion(BaseModel):
    """OpenAI's other fields have no effect: answers rest on the documents alone."""

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
    infos = engine.library.collections()
    owned = [(name, info.owner) for name, info in zip(unique_names(infos), infos, strict=True)]
    return {
        "object": "list",
        "data": [
            {"id": name, "object": "model", "created": 0, "owned_by": owner}
            for name, owner in ((ALL, "rabbithole"), *owned)
        ],
    }


@router.post(
    "/chat/completions",
    response_model=dict[str, Any],
    responses={**responses(404, 409, media_type=JSON), 200: {"content": {"text/event-stream": {}}}},
)
async def complete(
    request: Request, gateway: Gateway, engine: Reader, completion: Completion
) -> Json | StreamingResponse:
    """Answer the last question of the messages from a collection, or from all."""
    started = await gateway.start(engine, lambda: _begin(engine, completion))
    frame = _Frame(completion.model, f"chatcmpl-{started.thread_id}-{started.turn}")
    base_url = str(request.base_url)
    if completion.stream:
        return as_stream(_streamed(gateway, engine, completion, started, frame, base_url))
    run = await gateway.finish(engine, started.thread_id, started.after)
    turn = await run_in_threadpool(turn_of, engine, run, started)
    reply = ChatReply(turn, started, base_url, in_app=gateway.app)
    message = {"role": "assistant", "content": reply.content, "annotations": reply.annotations}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return Json(frame.as_object("chat.completion", [choice]) | {"usage": reply.usage})


def _begin(engine: Engine, completion: Completion) -> values.Started:
    last = completion.messages[-1]
    if last.role != "user" or not last.text.strip():
        raise InvalidInput("The last message must be a text message from the user.")
    collections: tuple[str, ...] = (completion.model,)
    if completion.model == ALL:
        collections = tuple(unique_names(engine.library.collections()))
    question = values.Ask.model_construct(
        question=last.text,
        thread_id=_thread_to_continue(engine, completion, collections),
        collections=collections,
        depth=completion.depth,
    )
    return begin(engine, question)


def _thread_to_continue(
    engine: Engine, completion: Completion, collections: tuple[str, ...]
) -> str | None:
    """Return the thread over the collections whose last turn is the last answer, if any."""
    replies = [message.text for message in completion.messages if message.role == "assistant"]
    named = _THREAD.search(replies[-1]) if replies else None
    if named is None:
        return None
    try:
        run = engine.threads.run(named[1])
        turns = len(engine.answers.turns(named[1])) if run.kind == "ask" else -1
    except NotFound:
        return None
    same = set(collections) in (set(run.collections), set(run.collection_ids))
    waits = run.pending is not None
    return run.thread_id if same and (waits or turns == int(named[2])) else None


class _Frame:
    """The fields that all objects of one completion share."""

    def __init__(self, model: str, id_: str) -> None:
        self._fields = {"id": id_, "created": int(time.time()), "model": model}

    def as_object(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {**self._fields, "object": kind, "choices": choices}

    def chunk(self, delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _event(self.as_object("chat.completion.chunk", [choice]))


class ChatReply:
    """An answer as text with its numbered sources, and these as OpenAI's annotations."""

    def __init__(
        self, result: dict[str, Any], started: values.Started, base_url: str, *, in_app: bool
    ) -> None:
        turn = rendered(to_jsonable_python(result))
        self._base_url, self._in_app = base_url.rstrip("/"), in_app
        self.annotations: list[dict[str, Any]] = []
        usage = turn.get("usage", {})
        counts = {name: usage.get(name, 0) for name in ("prompt_tokens", "completion_tokens")}
        self.usage = {**counts, "total_tokens": sum(counts.values())}
        thread = f"`thread {started.thread_id}/{started.turn}`"
        if pending := turn.get("pending"):
            self.content = "\n".join([*map(_escaped, pending["questions"]), "", thread])
            return
        cited = {citation["number"]: citation for citation in turn["citations"]}
        sources = [
            f"[{number}] {_escaped(citation['place'])}: »{_escaped(citation['quote'])}«"
            for number, citation in cited.items()
        ]
        coverage = turn["coverage"]
        sampled = None if coverage["whole"] else coverage["statement"]
        notes = [note for note in (sampled, coverage["warning"], *turn["warnings"]) if note]
        answer = _as_markdown(turn["answer"])
        blocks = (answer, "\n".join(sources), "\n".join(map(_escaped, notes)), thread)
        self.content = "\n\n".join(filter(None, blocks))
        self.annotations = [
            self._annotation(cited[int(mark[1])], mark.span())
            for mark in _MARK.finditer(answer)
            if int(mark[1]) in cited
        ]

    def _annotation(self, cited: dict[str, Any], span: tuple[int, int]) -> dict[str, Any]:
        start, end, document = cited["start"], cited["end"], cited["document_id"]
        page = f"document?doc={document}&span={start}-{end}"
        text = f"api/v1/documents/{document}/text?start={start}&end={end}"
        citation = {
            "start_index": span[0],
            "end_index": span[1],
            "title": cited["place"],
            "url": f"{self._base_url}/{page if self._in_app else text}",
        }
        return {"type": "url_citation", "url_citation": citation}


def _escaped(text: str) -> str:
    return plain_markdown(one_line(text))


def _as_markdown(answer: str) -> str:
    """Return a stored answer with its headings, quotes and marks; everything else is escaped."""
    lines = (_STRUCTURE.fullmatch(line) for line in answer.split("\n"))
    escaped = "\n".join(f"{line[1]}{plain_markdown(line[2])}" for line in lines if line)
    return _ESCAPED_MARK.sub(r"[\1]", escaped)


async def _streamed(
    gateway: ApiGateway,
    engine: Engine,
    completion: Completion,
    started: values.Started,
    frame: _Frame,
    base_url: str,
) -> AsyncIterator[str]:
    """Yield the draft as it grows, then the checked answer with its annotations."""
    yield frame.chunk({"role": "assistant", "content": ""})
    draft, latest = _Draft(), None
    try:
        async for run, records in gateway.follow_thread(engine, started.thread_id, started.after):
            latest = run
            if not records:
                yield ": at work\n\n"
            for record in records:
                if isinstance(record.event, TokenUpdate) and record.event.text:
                    yield frame.chunk({"reasoning_content": draft.update(record.event.text)})
        yield frame.chunk({"reasoning_content": draft.last_word()})
        turn = await run_in_threadpool(turn_of, engine, require_ended(latest), started)
    except RabbitholeError as problem:
        failed = refusal("/v1/", problem)
        yield f"data: {bytes(failed.body).decode()}\n\ndata: [DONE]\n\n"
        return
    reply = ChatReply(turn, started, base_url, in_app=gateway.app)
    for line in reply.content.splitlines(keepends=True):
        yield frame.chunk({"content": line})
    yield frame.chunk({"annotations": reply.annotations}, "stop")
    if completion.stream_options is not None and completion.stream_options.include_usage:
        yield _event(frame.as_object("chat.completion.chunk", []) | {"usage": reply.usage})
    yield "data: [DONE]\n\n"


class _Draft:
    """A growing draft as Markdown; how a word is escaped depends on what follows it."""

    def __init__(self) -> None:
        self._text = self._sent = ""

    def update(self, text: str) -> str:
        """Return what to send after the draft has grown to this text, or was replaced by it."""
        ended = ""
        if not text.startswith(self._text):
            ended, self._sent = f"{self.last_word()}\n", ""
        self._text = text
        complete = plain_markdown(text.removesuffix(re.split(r"\s", text)[-1]))
        new, self._sent = complete[len(self._sent) :], complete
        return ended + new

    def last_word(self) -> str:
        """Return the last word, which has not been sent yet."""
        return plain_markdown(self._text)[len(self._sent) :]


def _event(content: dict[str, Any]) -> str:
    return f"data: {json.dumps(content)}\n\n"
