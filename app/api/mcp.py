"""MCP: tools and resources for assistants, over stdio for one person or over HTTP by token."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi.concurrency import run_in_threadpool
from mcp.server import MCPServer
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
    ToolAnnotations,
)
from pydantic import Field, JsonValue
from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from agent.engine.engine import Engine
from agent.models import RunOptions
from app.api import library, values
from app.api.doors import Admitted, Doors, ended
from app.api.openai import ALL
from app.api.threads import begin, turn_of
from services.domain import SearchRequest
from services.domain.errors import RabbitholeError
from services.domain.events import PhaseStarted, TaskFinished, Waiting
from services.domain.markdown import plain_json, plain_markdown
from services.domain.runs import RunInfo
from services.domain.tokens import TokenScope
from services.locale import rendered

ABOUT: Final = """\
Answers from the user's own documents with proof. `search` finds passages; `ask` answers in seconds
with a numbered citation for every sentence; `research` works through a plan to a report. Of
sentences only those with the standing `quote` or `follows` are proven. `open_citation` shows the
place of a citation; `verify_report` checks all of them again."""
FAMILY: Final = "2026-07-28"
"""From this version of the protocol on, a tool asks by its result instead of by a request."""
LOOKS = ToolAnnotations(read_only_hint=True)
Json = dict[str, Any]
Asked = Annotated[values.Text, Field(min_length=1)]
Names = Annotated[values.Names, Field(description="Collections by name; all if left out.")]
Chosen = Annotated[
    values.Names,
    Field(description="Documents by file name: nothing else is searched.", examples=[["law.pdf"]]),
]
Number = Annotated[int, Field(ge=0)]


class Tools:
    """What the tools do, for whoever calls.

    Args:
        doors: of this server.
        sitting: who uses it over stdio; None over HTTP, where each request shows its token.
    """

    def __init__(self, doors: Doors, sitting: Engine | None) -> None:
        self._doors, self._sitting = doors, sitting

    def _engine(self, context: Context, scope: TokenScope = "read") -> Engine:
        if self._sitting is not None:
            return self._sitting
        request: Request = context.request_context.request  # type: ignore[assignment]
        admitted: Admitted = request.scope["rabbithole"]
        if not admitted.token.admits(scope):
            raise ToolError(f"This needs a token with the scope {scope}.")
        return admitted.engine

    async def search(
        self,
        context: Context,
        query: Asked,
        collections: Names = None,
        documents: Chosen = None,
        k: Annotated[int, Field(ge=1, le=100)] = 10,
    ) -> Json:
        """Find passages in the documents, each with document, section, page and relevance (0-1)."""
        wanted = SearchRequest(query=query, collections=collections, documents=documents or (), k=k)
        engine = self._engine(context)
        return _json(await _ours(engine.library.find, wanted))

    async def ask(
        self,
        context: Context,
        question: Asked,
        collections: Names = None,
        documents: Chosen = None,
        depth: Literal["auto", "fast", "enhanced", "structured", "agent"] = "auto",
        thread_id: values.ShortText | None = None,
    ) -> Json:
        """Answer a question in seconds, with a numbered citation for every sentence.

        `thread_id` of an answer before asks on in its conversation.
        """
        engine = self._engine(context)
        wanted = values.Ask(
            question=question,
            collections=collections,
            documents=documents,
            depth=depth,
            thread_id=thread_id,
        )
        with _spoken():
            started = await self._doors.starting(engine, lambda: begin(engine, wanted))
        run = await self._followed(context, engine, started)
        return _json(await _ours(turn_of, engine, run, started))

    async def research(
        self,
        context: Context,
        question: values.Text = "",
        collections: Names = None,
        documents: Chosen = None,
        clarify: bool = True,
        thread_id: values.ShortText | None = None,
        reply: values.Text | None = None,
    ) -> Json | InputRequiredResult:
        """Research a question to a report in which every claim opens the page it came from.

        It may ask what is meant, and has its plan approved: of the user, where the client can ask.
        Otherwise it returns what it waits for as `pending`; go on with `thread_id` and `reply`: an
        answer to its questions (`/end` goes on without), `approve` for the plan, or a correction.
        """
        engine = self._engine(context, "write")
        known = context.request_state or thread_id
        if known is None:
            options = RunOptions(clarify=clarify, documents=documents or ())
            chosen: Json = {"collections": collections, "options": options}
            start = partial(engine.threads.start, question, **chosen)
            with _spoken():
                known = await self._doors.starting(engine, start)
        run = await _ours(engine.threads.run, known)
        said = _said(context, run, reply)
        while True:
            if run.pending is not None and said is not None:
                await _ours(_reply, engine, known, run.pending, said)
                said = None
            after = await _ours(engine.threads.last_event, known) if run.pending else 0
            started = values.Started(thread_id=known, after=after)
            run = await self._followed(context, engine, started)
            if run.pending is None or not _can_ask(context):
                report = await _ours(engine.threads.report, known)
                return _json({**dict(run), "report": report})
            if (context.protocol_version or "") >= FAMILY:
                requests = {run.pending.interrupt_id: ElicitRequest(params=_form(run.pending))}
                return InputRequiredResult(input_requests=requests, request_state=known)
            form = _form(run.pending)
            result = await context.session.elicit_form(
                form.message, form.requested_schema, context.request_id
            )
            said = _content(result)
            if said is None:
                return _json(dict(run))

    async def open_citation(
        self, context: Context, document: values.ShortText, start: Number, end: Number
    ) -> Json:
        """Show the place of a citation: its characters in the document, with what is around."""
        engine = self._engine(context)
        around = 300
        quoted = await _ours(library.section_of, engine, document, start, end)
        wider = await _ours(
            library.section_of, engine, document, max(0, start - around), end + around
        )
        return _json({**dict(quoted), "around": wider.text})

    async def verify_report(
        self,
        context: Context,
        report: dict[str, JsonValue] | None = None,
        thread_id: values.ShortText | None = None,
    ) -> Json:
        """Check every citation of a report (its JSON, or that of a thread) offline."""
        engine = self._engine(context)
        if thread_id is not None:
            report = await _ours(engine.threads.report, thread_id)
        if not report:
            raise ToolError("Give the report's JSON, or the `thread_id` of a thread with a report.")
        return _json(await _ours(engine.threads.verify, report))

    async def document(self, document: str, context: Context) -> str:
        """A document's text."""
        opened = await _ours(self._engine(context).library.open_document, document)
        return str(opened.parsed.text)

    async def documents(self, collection: str, context: Context) -> str:
        """Which documents a collection holds, or `all`."""
        place = None if collection == ALL else collection
        found = await _ours(self._engine(context).library.documents, place)
        return json.dumps(_json({"documents": found}), ensure_ascii=False)

    async def report(self, thread: str, context: Context) -> str:
        """The report or conversation of a thread as Markdown."""
        content = await _ours(self._engine(context).threads.export_report, thread, "md")
        return bytes(content).decode()

    async def _followed(self, context: Context, engine: Engine, started: values.Started) -> RunInfo:
        """Follows a thread until it waits or has ended, and tells of its progress."""
        step, latest = 0, None
        async for run, records in self._doors.thread(engine, started.thread_id, started.after):
            latest = run
            for record in records:
                if isinstance(record.event, PhaseStarted | TaskFinished):
                    step += 1
                    await context.report_progress(step, None, _told(record.event))
        return ended(latest)


def _told(event: PhaseStarted | TaskFinished) -> str:
    if isinstance(event, PhaseStarted):
        return event.phase
    return f"task {event.task_id}: {event.evidence} passages, {event.quotes} quotes"


def _json(value: Any) -> Json:
    said: Json = rendered(to_jsonable_python(value))
    return said


async def _ours(work: Any, *arguments: Any) -> Any:
    """Work of the engine in a thread."""
    with _spoken():
        return await run_in_threadpool(work, *arguments)


@contextmanager
def _spoken() -> Iterator[None]:
    """What the engine says of an error is for the client."""
    try:
        yield
    except RabbitholeError as problem:
        raise ToolError(f"{problem.code}: {plain_markdown(str(problem))}") from problem


def _can_ask(context: Context) -> bool:
    """Whether the client can put a form before its user."""
    able = context.client_capabilities
    forms = able.elicitation if able is not None else None
    return forms is not None and (forms.form is not None or forms.url is None)


def _form(pending: Waiting) -> ElicitRequestFormParams:
    """What a thread waits for, as a form."""
    fields: dict[str, Any]
    if pending.interrupt == "clarification":
        asked = map(plain_markdown, [*pending.questions, "", *pending.found])
        message = "\n".join(asked)
        field = {"type": "string", "title": "Answer", "description": "/end goes on without."}
        fields = {"answer": field}
    else:
        plan = [f"{item.id}. {plain_markdown(item.task)}" for item in pending.items]
        assumed = map(plain_markdown, pending.assumed)
        message = "\n".join(["Approve this plan?", *plan, *assumed])
        fields = {
            "approve": {"type": "boolean", "title": "Approve", "default": True},
            "correction": {"type": "string", "title": "Or correct what it assumes"},
        }
    schema: Any = {"type": "object", "properties": fields, "required": [next(iter(fields))]}
    return ElicitRequestFormParams(message=message, requested_schema=schema)


def _content(result: ElicitResult) -> str | None:
    """What a person said to a form, as ``reply`` has it; None where they said nothing."""
    content = result.content if result.action == "accept" else None
    if not content:
        return None
    if "answer" in content:
        return str(content["answer"]).strip() or "/end"
    if correction := str(content.get("correction") or "").strip():
        return correction
    return "approve" if content.get("approve") else None


def _said(context: Context, run: RunInfo, reply: str | None) -> str | None:
    """What the client says to what a thread waits for: by argument, or to an earlier form."""
    given = (context.input_responses or {}).get(run.pending.interrupt_id) if run.pending else None
    return _content(given) if isinstance(given, ElicitResult) else reply


def _reply(engine: Engine, thread: str, pending: Waiting, said: str) -> None:
    if pending.interrupt == "clarification":
        engine.threads.answer(thread, pending.interrupt_id, said)
    elif said == "approve":
        engine.threads.approve(thread, pending.interrupt_id)
    else:
        engine.threads.correct(thread, pending.interrupt_id, said)


class Server(MCPServer[Any]):
    """Says its JSON so that a client may take it for Markdown; the values are those of texts."""

    async def call_tool(
        self, name: str, arguments: Json, context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        result = await super().call_tool(name, arguments, context)
        for each in result.content if isinstance(result, CallToolResult) else ():
            if isinstance(each, TextContent):
                each.text = plain_json(each.text)
        return result


def make_server(doors: Doors, sitting: Engine | None) -> MCPServer[Any]:
    """The tools and resources as the protocol has them."""
    tools = Tools(doors, sitting)
    server = Server("rabbithole", instructions=ABOUT, log_level="WARNING")
    for look in (tools.search, tools.ask, tools.open_citation, tools.verify_report):
        server.add_tool(look, annotations=LOOKS)
    server.add_tool(tools.research)
    server.resource("documents://{collection}", mime_type="application/json")(tools.documents)
    server.resource("document://{document}", mime_type="text/plain")(tools.document)
    server.resource("report://{thread}", mime_type="text/markdown")(tools.report)
    return server


@asynccontextmanager
async def over_http(server: MCPServer[Any]) -> AsyncIterator[ASGIApp]:
    """Serves sessions over streamable HTTP meanwhile; each belongs to whose token began it."""
    app = server.streamable_http_app(streamable_http_path="/", host="0.0.0.0")

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        known = scope["rabbithole"].token
        access = AccessToken(token="", client_id=f"{known.user}/{known.name}", scopes=[known.scope])
        inner = {**scope, "path": "/", "root_path": "", "user": AuthenticatedUser(access)}
        await app(inner, receive, send)

    async with server.session_manager.run():
        yield call
