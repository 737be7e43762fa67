"""MCP: tools and resources for assistants, over stdio for one person or over HTTP by token."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Annotated, Any, Final

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

from agent.ask.models import AskedDepth
from agent.engine.engine import Engine
from agent.models import RunOptions
from app.api import library, values
from app.api.gateway import ApiGateway, Caller, require_ended
from app.api.openai import ALL
from app.api.threads import begin, steered, turn_of
from services.domain import SearchRequest, Value
from services.domain.errors import RabbitholeError
from services.domain.events import PhaseStarted, RowRead, TaskFinished, Waiting
from services.domain.grids import MOST_COLUMNS
from services.domain.identity import TokenScope
from services.domain.markdown import plain_json, plain_markdown
from services.domain.runs import RunInfo
from services.locale import rendered

ABOUT: Final = """\
Answers from the user's own documents with proof. `search` finds passages; `ask` answers in seconds
with a numbered citation for every sentence; `research` works through a plan to a report; `grid`
puts the same questions to many documents, and `sweep` one question to every section. Only
sentences with the standing `quote` or `follows` are proven. `open_citation` shows a citation in its
document; `verify_report` checks all citations of a report again."""
ASK_BY_RESULT: Final = "2026-07-28"
"""Since this protocol version, a tool asks with its result instead of a request."""
AROUND: Final = 300
"""Characters shown on both sides of a citation."""
READ_ONLY = ToolAnnotations(read_only_hint=True)
Json = dict[str, Any]
Question = Annotated[values.Text, Field(min_length=1)]
Names = Annotated[values.Names, Field(description="Collections by name; all if left out.")]
Documents = Annotated[
    values.Names,
    Field(description="Documents by file name: nothing else is searched.", examples=[["law.pdf"]]),
]
Number = Annotated[int, Field(ge=0)]


class Tools:
    """The tools and resources; over HTTP, ``local`` is None and each request has a token."""

    def __init__(self, gateway: ApiGateway, local: Engine | None) -> None:
        self._gateway, self._local = gateway, local

    def _engine(self, context: Context, scope: TokenScope = "read") -> Engine:
        if self._local is not None:
            return self._local
        request: Request = context.request_context.request  # type: ignore[assignment]
        caller: Caller = request.scope["rabbithole"]
        if not caller.token.admits(scope):
            raise ToolError(f"This needs a token with the scope {scope}.")
        return caller.engine

    async def search(
        self,
        context: Context,
        query: Question,
        collections: Names = None,
        documents: Documents = None,
        k: Annotated[int, Field(ge=1, le=100)] = 10,
    ) -> Json:
        """Find passages in the documents, each with document, section, page and relevance (0-1)."""
        request = SearchRequest(
            query=query, collections=collections, documents=documents or (), k=k
        )
        engine = self._engine(context)
        return _json(await _in_thread(engine.library.find, request))

    async def ask(
        self,
        context: Context,
        question: Question,
        collections: Names = None,
        documents: Documents = None,
        depth: AskedDepth = "auto",
        thread_id: values.ShortText | None = None,
    ) -> Json:
        """Answer a question in seconds, with a numbered citation for every sentence.

        Give the `thread_id` of an earlier answer to ask a follow-up question.
        """
        engine = self._engine(context)
        request = values.Ask(
            question=question,
            collections=collections,
            documents=documents,
            depth=depth,
            thread_id=thread_id,
        )
        with _tool_errors():
            started = await self._gateway.start(engine, lambda: begin(engine, request))
        run = await self._follow(context, engine, started)
        return _json(await _in_thread(turn_of, engine, run, started))

    async def research(
        self,
        context: Context,
        question: values.Text = "",
        collections: Names = None,
        documents: Documents = None,
        clarify: bool = True,
        thread_id: values.ShortText | None = None,
        reply: values.Text | None = None,
    ) -> Json | InputRequiredResult:
        """Research a question to a report in which every claim opens the page it came from.

        It may ask what the question means, and asks for approval of its plan. If the client cannot
        ask its user, the tool returns what it waits for as `pending`; continue with `thread_id` and
        `reply`: an answer to its questions (`/end` skips them), `approve` for the plan, or a
        correction.
        """
        engine = self._engine(context, "write")
        thread = context.request_state or thread_id
        if thread is None:
            options = RunOptions(clarify=clarify, documents=documents or ())
            scope: Json = {"collections": collections, "options": options}
            start = partial(engine.threads.start, question, **scope)
            with _tool_errors():
                thread = await self._gateway.start(engine, start)
        run = await _in_thread(engine.threads.run, thread)
        responses = context.input_responses or {}
        if run.pending is not None and run.pending.interrupt_id in responses:
            reply = _form_reply(responses[run.pending.interrupt_id])
            if reply is None:
                return _json(dict(run))
        while True:
            if run.pending is not None and reply is not None:
                await _in_thread(_send_reply, engine, thread, run.pending, reply)
                reply = None
            after = await _in_thread(engine.threads.last_event, thread) if run.pending else 0
            started = values.Started(thread_id=thread, after=after)
            run = await self._follow(context, engine, started)
            if run.pending is None or not _can_ask(context):
                report = await _in_thread(engine.threads.report, thread)
                return _json({**dict(run), "report": report})
            if (context.protocol_version or "") >= ASK_BY_RESULT:
                requests = {run.pending.interrupt_id: ElicitRequest(params=_form(run.pending))}
                return InputRequiredResult(input_requests=requests, request_state=thread)
            form = _form(run.pending)
            result = await context.session.elicit_form(
                form.message, form.requested_schema, context.request_id
            )
            reply = _form_reply(result)
            if reply is None:
                return _json(dict(run))

    async def grid(
        self,
        context: Context,
        name: values.ShortText = "",
        columns: Annotated[tuple[values.GridColumn, ...], Field(max_length=MOST_COLUMNS)] = (),
        collections: Names = None,
        documents: Documents = None,
        thread_id: values.ShortText | None = None,
        read: bool = False,
    ) -> Json:
        """Put the same questions to many documents: a table with a proof behind every cell.

        It first returns a `thread_id` and what reading takes, for the user to decide. Call it with
        the `thread_id` and `read` to read what is missing. `grid_cell` shows the quotes of a cell.
        """
        grids = self._engine(context, "write").grids
        scope: Json = {"collections": collections, "documents": documents or ()}
        create = partial(grids.create, name, columns, **scope)
        return await self._read(context, thread_id, create, grids.table if read else None)

    async def grid_cell(
        self, context: Context, thread_id: values.ShortText, row: values.ShortText, column: Number
    ) -> Json:
        """Show the claims and quotes of a cell of a grid, and how many sections were read."""
        return _json(await _in_thread(self._engine(context).grids.cell, thread_id, row, column))

    async def sweep(
        self,
        context: Context,
        question: values.Text = "",
        collections: Names = None,
        documents: Documents = None,
        thread_id: values.ShortText | None = None,
        read: bool = False,
    ) -> Json:
        """Read every section for a question that asks for all: "list every …", "is there any …".

        It first returns a `thread_id` and what reading takes, for the user to decide. Call it with
        the `thread_id` and `read` for the list, which says how many sections were read.
        """
        grids = self._engine(context, "write").grids
        scope: Json = {"collections": collections, "documents": documents or ()}
        create = partial(grids.sweep, question, **scope)
        return await self._read(context, thread_id, create, grids.result if read else None)

    async def _read(
        self,
        context: Context,
        thread: str | None,
        create: Callable[[], str],
        result: Callable[[str], Value] | None,
    ) -> Json:
        """Read a thread, or a new one, and return its result; without that, what reading takes."""
        engine = self._engine(context, "write")
        thread = thread or await _in_thread(create)
        if result is None:
            estimate = await _in_thread(engine.grids.estimate, thread)
            return _json({"thread_id": thread, "estimate": estimate})
        start = partial(steered, engine, thread, engine.grids.run)
        with _tool_errors():
            started = await self._gateway.start(engine, start)
        await self._follow(context, engine, started)
        return _json(await _in_thread(result, thread))

    async def open_citation(
        self, context: Context, document: values.ShortText, start: Number, end: Number
    ) -> Json:
        """Show a citation in its document, with the text around it."""
        section_of = partial(library.section_of, self._engine(context), document)
        quoted = await _in_thread(section_of, start, end)
        wider = await _in_thread(section_of, max(0, start - AROUND), end + AROUND)
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
            report = await _in_thread(engine.threads.report, thread_id)
        if not report:
            raise ToolError("Give the report's JSON, or the `thread_id` of a thread with a report.")
        return _json(await _in_thread(engine.threads.verify, report))

    async def document(self, document: str, context: Context) -> str:
        """A document's text."""
        opened = await _in_thread(self._engine(context).library.open_document, document)
        return str(opened.parsed.text)

    async def documents(self, collection: str, context: Context) -> str:
        """The documents of a collection, or of `all`."""
        name = None if collection == ALL else collection
        documents = await _in_thread(self._engine(context).library.documents, name)
        return json.dumps(_json({"documents": documents}), ensure_ascii=False)

    async def report(self, thread: str, context: Context) -> str:
        """The report or conversation of a thread as Markdown."""
        content = await _in_thread(self._engine(context).threads.export_report, thread, "md")
        return bytes(content).decode()

    async def _follow(self, context: Context, engine: Engine, started: values.Started) -> RunInfo:
        step, latest = 0, None
        async for run, records in self._gateway.follow_thread(
            engine, started.thread_id, started.after
        ):
            latest = run
            for record in records:
                if isinstance(record.event, PhaseStarted | TaskFinished | RowRead):
                    step += 1
                    await context.report_progress(step, None, _progress(record.event))
        return require_ended(latest)


def _progress(event: PhaseStarted | TaskFinished | RowRead) -> str:
    if isinstance(event, PhaseStarted):
        return event.phase
    if isinstance(event, RowRead):
        return f"{event.cells_read} of {event.cells} read"
    return f"task {event.task_id}: {event.evidence} passages, {event.quotes} quotes"


def _json(value: Any) -> Json:
    content: Json = rendered(to_jsonable_python(value))
    return content


async def _in_thread(work: Any, *arguments: Any) -> Any:
    with _tool_errors():
        return await run_in_threadpool(work, *arguments)


@contextmanager
def _tool_errors() -> Iterator[None]:
    try:
        yield
    except RabbitholeError as problem:
        raise ToolError(f"{problem.code}: {plain_markdown(str(problem))}") from problem


def _can_ask(context: Context) -> bool:
    capabilities = context.client_capabilities
    forms = capabilities.elicitation if capabilities is not None else None
    return forms is not None and (forms.form is not None or forms.url is None)


def _form(pending: Waiting) -> ElicitRequestFormParams:
    fields: dict[str, Any]
    if pending.interrupt == "clarification":
        message = "\n".join(map(plain_markdown, [*pending.questions, "", *pending.found]))
        field = {"type": "string", "title": "Answer", "description": "/end skips the questions."}
        fields = {"answer": field}
    else:
        plan = [f"{item.id}. {plain_markdown(item.task)}" for item in pending.items]
        assumed = map(plain_markdown, pending.assumed)
        message = "\n".join(["Approve this plan?", *plan, *assumed])
        fields = {
            "approve": {"type": "boolean", "title": "Approve", "default": True},
            "correction": {"type": "string", "title": "Or correct an assumption"},
        }
    schema: Any = {"type": "object", "properties": fields, "required": [next(iter(fields))]}
    return ElicitRequestFormParams(message=message, requested_schema=schema)


def _form_reply(result: object) -> str | None:
    """Return the reply that a person gave in a form; None if they gave none."""
    if not isinstance(result, ElicitResult) or result.action != "accept" or not result.content:
        return None
    content = result.content
    if "answer" in content:
        return str(content["answer"]).strip() or "/end"
    if correction := str(content.get("correction") or "").strip():
        return correction
    return "approve" if content.get("approve") else None


def _send_reply(engine: Engine, thread: str, pending: Waiting, reply: str) -> None:
    if pending.interrupt == "clarification":
        engine.threads.answer(thread, pending.interrupt_id, reply)
    elif reply == "approve":
        engine.threads.approve(thread, pending.interrupt_id)
    else:
        engine.threads.correct(thread, pending.interrupt_id, reply)


class EscapingServer(MCPServer[Any]):
    """Escapes its JSON, so that a client that renders it as Markdown loads nothing."""

    async def call_tool(
        self, name: str, arguments: Json, context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        result = await super().call_tool(name, arguments, context)
        for content in result.content if isinstance(result, CallToolResult) else ():
            if isinstance(content, TextContent):
                content.text = plain_json(content.text)
        return result


def make_server(gateway: ApiGateway, local: Engine | None) -> MCPServer[Any]:
    """Return a server with the tools and resources; see `Tools` for the arguments."""
    tools = Tools(gateway, local)
    server = EscapingServer("rabbithole", instructions=ABOUT, log_level="WARNING")
    for tool in (
        tools.search,
        tools.ask,
        tools.grid_cell,
        tools.open_citation,
        tools.verify_report,
    ):
        server.add_tool(tool, annotations=READ_ONLY)
    server.add_tool(tools.research)
    server.add_tool(tools.grid)
    server.add_tool(tools.sweep)
    server.resource("documents://{collection}", mime_type="application/json")(tools.documents)
    server.resource("document://{document}", mime_type="text/plain")(tools.document)
    server.resource("report://{thread}", mime_type="text/markdown")(tools.report)
    return server


@asynccontextmanager
async def over_http(server: MCPServer[Any]) -> AsyncIterator[ASGIApp]:
    """Serve sessions over streamable HTTP; each belongs to the token that began it."""
    app = server.streamable_http_app(streamable_http_path="/", host="0.0.0.0")

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        token = scope["rabbithole"].token
        access = AccessToken(token="", client_id=f"{token.user}/{token.name}", scopes=[token.scope])
        inner = {**scope, "path": "/", "root_path": "", "user": AuthenticatedUser(access)}
        await app(inner, receive, send)

    async with server.session_manager.run():
        yield call
