"""A server's HTTP API as an engine: what commands call, for whom the token acts."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import NoneType
from typing import Any, Final, NoReturn, Self, TypeVar
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from agent.engine.answers import StartedTurn
from agent.engine.connection import OnEvent
from agent.graph_paths import Community, EntityCard, FactsCost, GraphStatus, Step
from agent.research.checkpoint_info import CheckpointInfo
from services.domain import (
    Chunking,
    CollectionInfo,
    DocumentInfo,
    IngestReport,
    Location,
    SearchResult,
    SectionSpan,
    errors,
)
from services.domain.collections import BinnedDocument
from services.domain.errors import InvalidInput, NotFound, RabbitholeError, TryAgain
from services.domain.events import Event, EventKey, EventRecord
from services.domain.plans import PlanCase
from services.domain.runs import IngestionInfo, RunInfo
from services.library.thresholds import Thresholds, VoteInfo

T = TypeVar("T")
BODY: Final = "*"
EVENT: Final[TypeAdapter[Event]] = TypeAdapter(Event)


class Server:
    """Requests to one server; errors are those of the engine there.

    Raises:
        TryAgain: it cannot be reached, or the connection broke.
        RabbitholeError: of the kind that it names.
    """

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def close(self) -> None:
        self._http.close()

    def get(self, kind: type[T], path: str, *, of: str | None = None, **query: Any) -> T:
        """What is at a path, or the part of it that ``of`` names; what is empty is not sent."""
        params = {name: value for name, value in query.items() if value not in (None, (), [])}
        return self.read(kind, "GET", path, of, params=params)

    def read(
        self, kind: type[T], method: str, path: str, of: str | None = None, **content: Any
    ) -> T:
        """As ``get``; what the server says beyond the fields of ``kind`` is left out."""
        said = self.send(method, path, **content)
        found: Any = said.json() if said.content else None
        value = found if of is None else found[of]
        return TypeAdapter(kind).validate_python(value, extra="ignore")

    def send(self, method: str, path: str, *, json: Any = None, **content: Any) -> httpx.Response:
        content["json"] = to_jsonable_python(json)
        try:
            return _checked(self._http.request(method, f"/api/v1/{path}", **content))
        except httpx.HTTPError as problem:
            raise self._lost(problem) from problem

    def events(self, path: str, after: int = 0) -> Iterator[EventRecord]:
        """Events of a thread or a job as they come, until it waits for a person or has ended."""
        try:
            with self._http.stream("GET", f"/api/v1/{path}", params={"after": after}) as stream:
                if stream.is_error:
                    stream.read()
                _checked(stream)
                yield from _records(path, stream.iter_lines())
        except httpx.HTTPError as problem:
            raise self._lost(problem) from problem

    def _lost(self, problem: httpx.HTTPError) -> TryAgain:
        return TryAgain(
            "The server {url} does not answer ({cause}). Look whether it runs, and at --server.",
            url=str(self._http.base_url),
            cause=str(problem) or type(problem).__name__,
        )


def _checked(response: httpx.Response) -> httpx.Response:
    if not response.is_error:
        return response
    try:
        problem = response.json()
        name = "".join(word.capitalize() for word in problem["code"].split("-"))
        raise getattr(errors, name, RabbitholeError)("{said}", said=problem["detail"])
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(
            "What answers at {url} is no Rabbithole server (status {status}). Correct --server.",
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
    """One subject; what the API has no way to is refused."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def __getattr__(self, name: str) -> NoReturn:
        raise only_at_home(name.replace("_", " "))


def only_at_home(what: str) -> InvalidInput:
    return InvalidInput(
        "A server cannot be asked for this ({what}). Run the command without --server, on the "
        "machine that has the home.",
        what=what,
    )


def part(name: object) -> str:
    return quote(str(name), safe="")


def call(
    kind: type[T], request: str, *names: str, of: str | None = None, **fixed: Any
) -> Callable[..., T]:
    """A method of a part that makes a request, such as ``GET runs/{}``.

    Its first arguments fill the path. What else it is given, by position under these ``names`` or
    by keyword, is the query of a GET, and the body of others: all of it under the name ``BODY``.
    """
    method, _, path = request.partition(" ")
    places = path.count("{}")

    def made(self: RemotePart, *given: Any, **named: Any) -> T:
        where = path.format(*map(part, given[:places]))
        sent = fixed | dict(zip(names, given[places:], strict=False)) | named
        if method == "GET":
            return self._server.get(kind, where, of=of, **sent)
        return self._server.read(kind, method, where, of, json=sent.get(BODY, sent or None))

    return made


OF_SERVER: Final = {"chunking": Chunking(), "prune": False, "engine": "local"}
"""How a server takes documents in."""


class RemoteLibrary(RemotePart):
    """Collections and documents."""

    collections = call(list[CollectionInfo], "GET collections", of="collections")
    collection = call(CollectionInfo, "GET collections/{}")
    change_collection = call(CollectionInfo, "PATCH collections/{}")
    create_collection = call(CollectionInfo, "POST collections", "name")
    delete_collection = call(CollectionInfo, "DELETE collections/{}", of="deleted")
    subscribe = call(CollectionInfo, "PUT collections/{}/subscription")
    unsubscribe = call(CollectionInfo, "DELETE collections/{}/subscription")
    documents = call(list[DocumentInfo], "GET documents", "collection", of="documents")
    remove_document = call(DocumentInfo, "DELETE collections/{}/documents/{}", of="removed")
    bin = call(list[BinnedDocument], "GET collections/{}/bin", of="documents")
    empty_bin = call(list[BinnedDocument], "DELETE collections/{}/bin", of="documents")
    restore_document = call(DocumentInfo, "POST collections/{}/bin/{}")
    edit_document = call(DocumentInfo, "PATCH collections/{}/documents/{}", BODY)
    find = call(SearchResult, "POST search", BODY)
    ingestions = call(list[IngestionInfo], "GET ingestions", of="ingestions")

    def outline(
        self, document: str, collection: str | None = None
    ) -> tuple[DocumentInfo, list[SectionSpan]]:
        path = f"documents/{part(document)}/outline"
        found = self._server.get(dict[str, Any], path, collection=collection)
        sections = [SectionSpan.model_validate(each) for each in found["outline"]]
        return DocumentInfo.model_validate(found["document"]), sections

    def ingest(
        self,
        paths: Sequence[Path],
        collection: str,
        *,
        language: str = "auto",
        on_event: OnEvent | None = None,
        **settings: Any,
    ) -> IngestReport:
        """Uploads the files, and waits until they have been taken in."""
        if not settings.items() <= OF_SERVER.items() or any(path.is_dir() for path in paths):
            raise only_at_home("folders, --prune, --engine, settings of chunking")
        try:
            files = [("files", (path.name, path.read_bytes())) for path in paths]
        except OSError as problem:
            raise InvalidInput(
                "{file} cannot be read: {cause}. Name another file.",
                file=str(problem.filename),
                cause=problem.strerror,
            ) from problem
        sent = {"files": files, "data": {"language": language}}
        into = f"collections/{part(collection)}/documents"
        number = self._server.read(int, "POST", into, "number", **sent)
        for record in self._server.events(f"jobs/{number}/events"):
            if on_event is not None:
                on_event(record.event)
        job = self._server.get(dict[str, Any], f"jobs/{number}")
        if job["status"] != "done":
            raise TryAgain("{said}", said=job["error"] or "The server ended before its work.")
        return IngestReport.model_validate(job["result"])


class RemoteThreads(RemotePart):
    """Research and conversations."""

    runs = call(list[RunInfo], "GET runs", of="runs")
    run = call(RunInfo, "GET runs/{}")
    checkpoints = call(list[CheckpointInfo], "GET runs/{}/checkpoints", of="checkpoints")
    trace = call(dict[str, Any], "GET runs/{}/trace")
    rename = call(RunInfo, "PATCH runs/{}", "title")
    answer = call(str, "POST runs/{}/answer", "interrupt_id", "text", of="thread_id")
    approve = call(str, "POST runs/{}/approve", "interrupt_id", "items", of="thread_id")
    correct = call(str, "POST runs/{}/correct", "interrupt_id", "text", of="thread_id")
    resume = call(str, "POST runs/{}/resume", of="thread_id")
    pause = call(str, "POST runs/{}/pause", of="thread_id")
    cancel = call(str, "POST runs/{}/cancel", of="thread_id")
    restore_evidence = call(str, "POST runs/{}/restore", "chunk_ids", of="thread_id")
    fork = call(str, "POST runs/{}/fork", "checkpoint_id", of="thread_id")
    delete = call(NoneType, "DELETE runs/{}")
    verify = call(dict[str, Any], "POST verify", BODY)

    def named(self, thread_id: str) -> RunInfo | None:
        with suppress(NotFound):
            return self.run(thread_id)
        return None

    def report(self, thread_id: str) -> dict[str, Any] | None:
        self.run(thread_id)
        with suppress(NotFound):
            return self._server.get(dict[str, Any], f"runs/{part(thread_id)}/report")
        return None

    def export_report(self, thread_id: str, format_name: str, *, appendix: bool = True) -> bytes:
        query = {"format": format_name, "appendix": appendix}
        return self._server.send("GET", f"runs/{part(thread_id)}/export", params=query).content

    def last_event(self, thread_id: str) -> int:
        """``seq`` of the newest event of a thread that is not at work."""
        return max((record.seq for record in self.follow(thread_id)), default=0)

    def follow(self, thread_id: str, after: int = 0) -> Iterator[EventRecord]:
        return self._server.events(f"runs/{part(thread_id)}/events", after)

    _start = call(str, "POST research", "question", of="thread_id")

    def start(self, question: str, *, thread_id: str | None = None, **chosen: Any) -> str:
        if thread_id is not None:
            raise only_at_home("naming a thread")
        return self._start(question, **chosen)


class RemoteAnswers(RemotePart):
    """Conversations of quick answers."""

    ask = call(StartedTurn, "POST ask", "question", wait=False)
    vote = call(VoteInfo, "POST runs/{}/vote", "up", "text")
    thresholds = call(Thresholds, "GET thresholds", "collections")
    classify = call(dict[str, Any], "POST classify", "question", "collections")

    def turns(self, thread_id: str) -> list[dict[str, Any]]:
        with suppress(NotFound):
            path = f"runs/{part(thread_id)}/report"
            return self._server.get(list[dict[str, Any]], path, of="turns")
        return []


class RemotePlans(RemotePart):
    """Remembered plans."""

    list = call(tuple[PlanCase, ...], "GET plans", of="plans")
    get = call(PlanCase, "GET plans/{}")

    def forget(self, case_id: str | None = None) -> int:
        path = "plans" if case_id is None else f"plans/{part(case_id)}"
        return self._server.read(int, "DELETE", path, "forgotten")


class RemoteReviews(RemotePart):
    """Decisions about the sentences of an answer."""

    listed = call(dict[str, Any], "GET runs/{}/review", "turn")
    decide = call(dict[str, Any], "POST runs/{}/review", "sentence", "decision", "text", "turn")
    sign = call(dict[str, Any], "POST runs/{}/review/sign?turn={}")


class RemoteGraph(RemotePart):
    """What the graph knows; places come with the steps that they belong to."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._places: dict[Step, Location | None] = {}

    status = call(GraphStatus, "GET graph", "collection", of="status")
    facts_cost = call(FactsCost, "GET graph", "collection", of="facts_cost")
    communities = call(
        tuple[Community, ...], "GET graph/communities", "collections", of="communities"
    )
    _entity = call(dict[str, Any], "GET graph/entity", "name", "collections")
    _paths = call(dict[str, Any], "GET graph/paths", "first", "second", "collections")

    def entity(self, *asked: Any, **limit: int) -> EntityCard:
        found = self._entity(*asked, **limit)
        card = EntityCard.model_validate(found["entity"])
        self._keep(card.neighbours, found["places"])
        return card

    def paths(self, *asked: Any, **limit: int) -> tuple[tuple[Step, ...], ...]:
        found = self._paths(*asked, **limit)
        ways = tuple(tuple(map(Step.model_validate, way)) for way in found["paths"])
        for way, places in zip(ways, found["places"], strict=True):
            self._keep(way, places)
        return ways

    def places_of(self, steps: Sequence[Step], *_: object) -> list[Location | None]:
        return [self._places[step] for step in steps]

    def _keep(self, steps: Sequence[Step], places: Sequence[Any]) -> None:
        named = (each and Location.model_validate(each) for each in places)
        self._places.update(zip(steps, named, strict=True))


class RemoteEngine(RemotePart):
    """What ``agent.engine.engine.Engine`` is to a command, at a server."""

    def __init__(self, http: httpx.Client) -> None:
        super().__init__(Server(http))
        self.library = RemoteLibrary(self._server)
        self.threads = RemoteThreads(self._server)
        self.answers = RemoteAnswers(self._server)
        self.plans = RemotePlans(self._server)
        self.reviews = RemoteReviews(self._server)
        self.graph = RemoteGraph(self._server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()


def connect_to_server(url: str, token: str | None) -> RemoteEngine:
    """The server at a URL, for the person whose token this is.

    Raises:
        InvalidInput: that is no URL, or there is no token.
    """
    if not url.startswith(("http://", "https://")):
        raise InvalidInput("{url} is no address of a server: http://HOST:PORT.", url=url)
    if not token:
        raise InvalidInput(
            "A server wants a token: --token or RABBITHOLE_TOKEN; there, "
            "`rabbithole tokens create NAME --scope write` makes one."
        )
    headers = {"Authorization": f"Bearer {token}"}
    return RemoteEngine(httpx.Client(base_url=url, headers=headers, timeout=600))
