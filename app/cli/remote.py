"""A server's HTTP API as an engine: what commands call, for whom the token acts."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import NoneType
from typing import Any, Final, Self

import httpx

from agent.engine.answers import Asked
from agent.engine.connection import OnEvent
from agent.graph_paths import Community, EntityCard, FactsCost, GraphStatus, NamedPlace, Step
from agent.research.checkpoint_info import CheckpointInfo
from app.cli.server import BODY, RemotePart, Server, call, only_at_home, part
from services.domain import (
    Chunking,
    CollectionInfo,
    DocumentInfo,
    IngestReport,
    SearchResult,
    SectionSpan,
)
from services.domain.collections import BinnedDocument
from services.domain.errors import InvalidInput, NotFound, TryAgain
from services.domain.events import EventRecord
from services.domain.plans import PlanCase
from services.domain.runs import IngestionInfo, RunInfo
from services.library.thresholds import Thresholds, VoteInfo

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

    ask = call(Asked, "POST ask", "question", wait=False)
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
        self._places: dict[Step, NamedPlace | None] = {}

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

    def places_of(self, steps: Sequence[Step], *_: object) -> list[NamedPlace | None]:
        return [self._places[step] for step in steps]

    def _keep(self, steps: Sequence[Step], places: Sequence[Any]) -> None:
        named = (each and NamedPlace.model_validate(each) for each in places)
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
