"""A client of a server's HTTP API with the methods of the engine that commands call."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import NoneType
from typing import Any, Final, NoReturn, Self, TypeVar, cast
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from agent.engine.answers import StartedTurn
from agent.engine.connection import OnEvent
from agent.engine.library import Outline
from agent.graph_paths import Community, EntityCard, FactsCost, GraphStatus, Step
from agent.research.state import CheckpointInfo
from services.domain import (
    Chunking,
    CollectionInfo,
    DocumentInfo,
    IngestReport,
    Location,
    SearchResult,
)
from services.domain.collections import BinnedDocument
from services.domain.errors import InvalidInput, NotFound, TryAgain, error_class
from services.domain.events import Event, EventKey, EventRecord
from services.domain.grids import Cell, Estimate, GridTable, SweepResult
from services.domain.plan_cases import PlanCase
from services.domain.runs import IngestionInfo, RunInfo
from services.library.thresholds import Thresholds, VoteInfo

T = TypeVar("T")
BODY: Final = "*"
EVENT: Final[TypeAdapter[Event]] = TypeAdapter(Event)


class ServerClient:
    """Sends requests to one server; raises the errors it names, and TryAgain out of its reach."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def request(
        self, kind: type[T], method: str, path: str, key: str | None = None, **content: Any
    ) -> T:
        """Return the response, or its ``key``, as ``kind``; unknown fields are ignored."""
        with self._errors():
            response = self.http.request(method, f"/api/v1/{path}", **content)
        if kind is bytes:
            return cast(T, response.content)
        body: Any = response.json() if response.content else None
        return TypeAdapter(kind).validate_python(body if key is None else body[key], extra="ignore")

    def events(self, path: str, after: int = 0) -> Iterator[EventRecord]:
        """Yield events of a thread or a job until it waits for a person or has ended."""
        address, params = f"/api/v1/{path}", {"after": after}
        with self._errors(), self.http.stream("GET", address, params=params) as stream:
            yield from _records(path, stream.iter_lines())

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except httpx.HTTPError as problem:
            raise TryAgain(
                "The server {url} does not respond ({cause}). Check --server and that the server "
                "is running.",
                url=str(self.http.base_url),
                cause=str(problem) or type(problem).__name__,
            ) from problem


def _raise_error(response: httpx.Response) -> None:
    if not response.is_error:
        return
    response.read()
    try:
        problem = response.json()
        name = "".join(word.capitalize() for word in problem["code"].split("-"))
        raise error_class(name)("{message}", message=problem["detail"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidInput(
            "There is no Rabbithole server at {url} (status {status}). Correct --server.",
            url=str(response.url),
            status=response.status_code,
        ) from None


def _records(path: str, lines: Iterator[str]) -> Iterator[EventRecord]:
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
            continue
        if "id" in fields:
            data = json.loads(fields["data"])
            key = EventKey(thread_id=path, checkpoint="", n=int(fields["id"]))
            at = data.pop("at")
            event = EVENT.validate_python(data)
            yield EventRecord(seq=key.n, key=key, at=at, event=event)
        fields = {}


class RemotePart:
    """The methods of one subject; a method that the API does not have raises InvalidInput."""

    def __init__(self, server: ServerClient) -> None:
        self._server = server

    def __getattr__(self, name: str) -> NoReturn:
        raise _only_local(name.replace("_", " "))


def _only_local(feature: str) -> InvalidInput:
    return InvalidInput(
        "The server does not support this ({feature}). Run the command without --server, on "
        "the machine that has the data.",
        feature=feature,
    )


def _quoted(name: object) -> str:
    return quote(str(name), safe="")


def call(
    kind: type[T], request: str, *names: str, key: str | None = None, **fixed: Any
) -> Callable[..., T]:
    """Return a method that sends a request, such as ``GET runs/{}``, and reads a ``kind``.

    Its first arguments fill the path. The others, by position under these ``names`` or by keyword,
    are the query of a GET, or the fields of a body; one named ``BODY`` is the whole body.
    """
    method, _, template = request.partition(" ")
    slots = template.count("{}")

    def send(self: RemotePart, *arguments: Any, **options: Any) -> T:
        path = template.format(*map(_quoted, arguments[:slots]))
        fields = fixed | dict(zip(names, arguments[slots:], strict=False)) | options
        if method == "GET":
            params = {name: value for name, value in fields.items() if value not in (None, (), [])}
            return self._server.request(kind, method, path, key, params=params)
        body = to_jsonable_python(fields.get(BODY, fields or None))
        return self._server.request(kind, method, path, key, json=body)

    return send


OF_SERVER: Final = {"chunking": Chunking(), "prune": False, "engine": "local"}
"""The options of an ingestion at a server."""


class RemoteLibrary(RemotePart):
    collections = call(list[CollectionInfo], "GET collections", key="collections")
    collection = call(CollectionInfo, "GET collections/{}")
    change_collection = call(CollectionInfo, "PATCH collections/{}")
    create_collection = call(CollectionInfo, "POST collections", "name")
    delete_collection = call(CollectionInfo, "DELETE collections/{}", key="deleted")
    subscribe = call(CollectionInfo, "PUT collections/{}/subscription")
    unsubscribe = call(CollectionInfo, "DELETE collections/{}/subscription")
    documents = call(list[DocumentInfo], "GET documents", "collection", key="documents")
    remove_document = call(DocumentInfo, "DELETE collections/{}/documents/{}", key="removed")
    bin = call(list[BinnedDocument], "GET collections/{}/bin", key="documents")
    empty_bin = call(list[BinnedDocument], "DELETE collections/{}/bin", key="documents")
    restore_document = call(DocumentInfo, "POST collections/{}/bin/{}")
    edit_document = call(DocumentInfo, "PATCH collections/{}/documents/{}", BODY)
    outline = call(Outline, "GET documents/{}/outline", "collection")
    find = call(SearchResult, "POST search", BODY)
    ingestions = call(list[IngestionInfo], "GET ingestions", key="ingestions")

    def ingest(
        self,
        paths: Sequence[Path],
        collection: str,
        *,
        language: str = "auto",
        on_event: OnEvent | None = None,
        **settings: Any,
    ) -> IngestReport:
        """Upload the files, and wait until they are ingested."""
        if not settings.items() <= OF_SERVER.items() or any(path.is_dir() for path in paths):
            raise _only_local("folders, --prune, --engine, chunking options")
        try:
            files = [("files", (path.name, path.read_bytes())) for path in paths]
        except OSError as problem:
            raise InvalidInput(
                "{file} cannot be read: {cause}. Choose another file.",
                file=str(problem.filename),
                cause=problem.strerror,
            ) from problem
        form = {"files": files, "data": {"language": language}}
        path = f"collections/{_quoted(collection)}/documents"
        number = self._server.request(int, "POST", path, "number", **form)
        for record in self._server.events(f"jobs/{number}/events"):
            if on_event is not None:
                on_event(record.event)
        job = self._server.request(dict[str, Any], "GET", f"jobs/{number}")
        if job["status"] != "done":
            reason = job["error"] or "The server stopped before the job was done."
            raise TryAgain("{message}", message=reason)
        return IngestReport.model_validate(job["result"])


class RemoteThreads(RemotePart):
    runs = call(list[RunInfo], "GET runs", key="runs")
    run = call(RunInfo, "GET runs/{}")
    checkpoints = call(list[CheckpointInfo], "GET runs/{}/checkpoints", key="checkpoints")
    trace = call(dict[str, Any], "GET runs/{}/trace")
    rename = call(RunInfo, "PATCH runs/{}", "title")
    answer = call(str, "POST runs/{}/answer", "interrupt_id", "text", key="thread_id")
    approve = call(str, "POST runs/{}/approve", "interrupt_id", "items", key="thread_id")
    correct = call(str, "POST runs/{}/correct", "interrupt_id", "text", key="thread_id")
    resume = call(str, "POST runs/{}/resume", key="thread_id")
    pause = call(str, "POST runs/{}/pause", key="thread_id")
    cancel = call(str, "POST runs/{}/cancel", key="thread_id")
    restore_evidence = call(str, "POST runs/{}/restore", "chunk_ids", key="thread_id")
    fork = call(str, "POST runs/{}/fork", "checkpoint_id", key="thread_id")
    delete = call(NoneType, "DELETE runs/{}")
    verify = call(dict[str, Any], "POST verify", BODY)
    export_report = call(bytes, "GET runs/{}/export", "format")
    _report = call(dict[str, Any], "GET runs/{}/report")
    _start = call(str, "POST research", "question", key="thread_id")

    def named(self, thread_id: str) -> RunInfo | None:
        with suppress(NotFound):
            return self.run(thread_id)
        return None

    def report(self, thread_id: str) -> dict[str, Any] | None:
        self.run(thread_id)
        with suppress(NotFound):
            return self._report(thread_id)
        return None

    def last_event(self, thread_id: str) -> int:
        """Return the ``seq`` of the newest event of a thread that is not active."""
        return max((record.seq for record in self.follow(thread_id)), default=0)

    def follow(self, thread_id: str, after: int = 0) -> Iterator[EventRecord]:
        return self._server.events(f"runs/{_quoted(thread_id)}/events", after)

    def start(self, question: str, *, thread_id: str | None = None, **options: Any) -> str:
        if thread_id is not None:
            raise _only_local("naming a thread")
        return self._start(question, **options)


class RemoteAnswers(RemotePart):
    ask = call(StartedTurn, "POST ask", "question", wait=False)
    vote = call(VoteInfo, "POST runs/{}/vote", "up", "text")
    thresholds = call(Thresholds, "GET thresholds", "collections")
    classify = call(dict[str, Any], "POST classify", "question", "collections")
    _turns = call(list[dict[str, Any]], "GET runs/{}/report", key="turns")

    def turns(self, thread_id: str) -> list[dict[str, Any]]:
        with suppress(NotFound):
            return self._turns(thread_id)
        return []


class RemoteGrids(RemotePart):
    all = call(list[RunInfo], "GET grids", key="grids")
    create = call(str, "POST grids", "name", "columns", key="thread_id")
    sweep = call(str, "POST sweeps", "question", key="thread_id")
    estimate = call(Estimate, "GET grids/{}/estimate")
    run = call(str, "POST grids/{}/run", key="thread_id")
    stop = call(str, "POST grids/{}/stop", key="thread_id")
    change = call(GridTable, "PATCH grids/{}")
    table = call(GridTable, "GET grids/{}")
    cell = call(Cell, "GET grids/{}/cells/{}/{}")
    read_again = call(str, "POST grids/{}/cells/{}/{}/read", key="thread_id")
    review = call(Cell, "POST grids/{}/cells/{}/{}/review", "value")
    result = call(SweepResult, "GET sweeps/{}")
    export = call(bytes, "GET grids/{}/export", "format")


class RemotePlans(RemotePart):
    list = call(tuple[PlanCase, ...], "GET plans", key="plans")
    get = call(PlanCase, "GET plans/{}")

    _forget = call(int, "DELETE plans/{}", key="forgotten")
    _forget_all = call(int, "DELETE plans", key="forgotten")

    def forget(self, case_id: str | None = None) -> int:
        return self._forget_all() if case_id is None else self._forget(case_id)


class RemoteReviews(RemotePart):
    listed = call(dict[str, Any], "GET runs/{}/review", "turn")
    decide = call(dict[str, Any], "POST runs/{}/review", "sentence", "decision", "text", "turn")
    sign = call(dict[str, Any], "POST runs/{}/review/sign?turn={}")


class RemoteGraph(RemotePart):
    """The knowledge graph; the API returns the places of steps together with these."""

    def __init__(self, server: ServerClient) -> None:
        super().__init__(server)
        self._places: dict[Step, Location | None] = {}

    status = call(GraphStatus, "GET graph", "collection", key="status")
    facts_cost = call(FactsCost, "GET graph", "collection", key="facts_cost")
    communities = call(
        tuple[Community, ...], "GET graph/communities", "collections", key="communities"
    )
    _entity = call(dict[str, Any], "GET graph/entity", "name", "collections")
    _paths = call(dict[str, Any], "GET graph/paths", "first", "second", "collections")

    def entity(self, *query: Any, **limit: int) -> EntityCard:
        body = self._entity(*query, **limit)
        card = EntityCard.model_validate(body["entity"])
        self._remember(card.neighbours, body["places"])
        return card

    def paths(self, *query: Any, **limit: int) -> tuple[tuple[Step, ...], ...]:
        body = self._paths(*query, **limit)
        paths = tuple(tuple(map(Step.model_validate, steps)) for steps in body["paths"])
        for steps, locations in zip(paths, body["places"], strict=True):
            self._remember(steps, locations)
        return paths

    def places_of(self, steps: Sequence[Step], *_: object) -> list[Location | None]:
        return [self._places[step] for step in steps]

    def _remember(self, steps: Sequence[Step], locations: Sequence[Any]) -> None:
        values = (value and Location.model_validate(value) for value in locations)
        self._places.update(zip(steps, values, strict=True))


class RemoteEngine(RemotePart):
    """An engine at a server, in the place of ``agent.engine.engine.Engine``."""

    def __init__(self, http: httpx.Client) -> None:
        super().__init__(ServerClient(http))
        self.library = RemoteLibrary(self._server)
        self.threads = RemoteThreads(self._server)
        self.answers = RemoteAnswers(self._server)
        self.grids = RemoteGrids(self._server)
        self.plans = RemotePlans(self._server)
        self.reviews = RemoteReviews(self._server)
        self.graph = RemoteGraph(self._server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.http.close()


def connect_to_server(url: str, token: str | None) -> RemoteEngine:
    """Return an engine at the server; raise InvalidInput for a bad URL or without a token."""
    if not url.startswith(("http://", "https://")):
        raise InvalidInput("{url} is not a server address. Write http://HOST:PORT.", url=url)
    if not token:
        raise InvalidInput(
            "The server requires a token: --token or RABBITHOLE_TOKEN. Create one there with "
            "`rabbithole tokens create NAME --scope write`."
        )
    headers = {"Authorization": f"Bearer {token}"}
    hooks = {"response": [_raise_error]}
    return RemoteEngine(httpx.Client(base_url=url, headers=headers, timeout=600, event_hooks=hooks))
