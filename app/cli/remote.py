"""A server's HTTP API as an engine: what commands call, for whom the token acts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn, Self
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from agent.engine.answers import Asked
from agent.engine.connection import OnEvent
from agent.models import RunOptions
from agent.research.checkpoint_info import CheckpointInfo
from services.domain import (
    Chunking,
    CollectionInfo,
    DocumentInfo,
    IngestReport,
    SearchRequest,
    SearchResult,
    Shelf,
    errors,
)
from services.domain.errors import InvalidInput, NotFound, RabbitholeError, TryAgain
from services.domain.events import Event, EventKey, EventRecord, PlanItem
from services.domain.runs import RunInfo

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

    def get(self, path: str, **query: Any) -> Any:
        return self.send("GET", path, params=query).json()

    def post(self, path: str, body: Any = None) -> Any:
        return self.send("POST", path, json=to_jsonable_python(body)).json()

    def send(self, method: str, path: str, **content: Any) -> httpx.Response:
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
        raise _only_at_home(name.replace("_", " "))


def _only_at_home(what: str) -> InvalidInput:
    return InvalidInput(
        "A server cannot be asked for this ({what}). Run the command without --server, on the "
        "machine that has the home.",
        what=what,
    )


def _part(name: str) -> str:
    return quote(name, safe="")


class RemoteLibrary(RemotePart):
    """Collections and documents."""

    def collections(self) -> list[CollectionInfo]:
        found = self._server.get("collections")["collections"]
        return [CollectionInfo.model_validate(_without_rights(each)) for each in found]

    def collection(self, name: str) -> CollectionInfo:
        found = self._server.get(f"collections/{_part(name)}")
        return CollectionInfo.model_validate(_without_rights(found))

    def create_collection(self, name: str, **options: Any) -> CollectionInfo:
        return CollectionInfo.model_validate(
            self._server.post("collections", {"name": name, **options})
        )

    def change_collection(
        self, name: str, *, new_name: str | None = None, **options: Any
    ) -> CollectionInfo:
        body = {"name": new_name, **options}
        done = self._server.send("PATCH", f"collections/{_part(name)}", json=body)
        return CollectionInfo.model_validate(done.json())

    def delete_collection(self, name: str) -> CollectionInfo:
        done = self._server.send("DELETE", f"collections/{_part(name)}").json()
        return CollectionInfo.model_validate(done["deleted"])

    def documents(self, collection: str | None = None) -> list[DocumentInfo]:
        only = {} if collection is None else {"collection": collection}
        found = self._server.get("documents", **only)["documents"]
        return [DocumentInfo.model_validate(each) for each in found]

    def remove_document(self, collection: str, document: str) -> DocumentInfo:
        path = f"collections/{_part(collection)}/documents/{_part(document)}"
        done = self._server.send("DELETE", path).json()
        return DocumentInfo.model_validate(done["removed"])

    def find(self, request: SearchRequest) -> SearchResult:
        return SearchResult.model_validate(
            self._server.post("search", request.model_dump(exclude={"cached"}))
        )

    def ingest(
        self,
        paths: Sequence[Path],
        collection: str,
        *,
        language: str = "auto",
        chunking: Chunking | None = None,
        prune: bool = False,
        addresses: Sequence[str] = (),
        on_event: OnEvent | None = None,
    ) -> IngestReport:
        """Uploads the files, or names addresses, and waits until they have been taken in."""
        if paths and addresses:
            raise InvalidInput("Name files or addresses here, not both at once.")
        if prune or chunking not in (None, Chunking()) or any(path.is_dir() for path in paths):
            raise _only_at_home("folders, --prune, settings of chunking")
        try:
            files = [("files", (path.name, path.read_bytes())) for path in paths]
        except OSError as problem:
            raise InvalidInput(
                "{file} cannot be read: {cause}. Name another file.",
                file=str(problem.filename),
                cause=problem.strerror,
            ) from problem
        into = f"collections/{_part(collection)}"
        if addresses:
            body = {"addresses": list(addresses), "language": language}
            number = self._server.post(f"{into}/addresses", body)["number"]
        else:
            data = {"language": language}
            sent = self._server.send("POST", f"{into}/documents", files=files, data=data)
            number = sent.json()["number"]
        for record in self._server.events(f"jobs/{number}/events"):
            if on_event is not None:
                on_event(record.event)
        job = self._server.get(f"jobs/{number}")
        if job["status"] != "done":
            raise TryAgain("{said}", said=job["error"] or "The server ended before its work.")
        return IngestReport.model_validate(job["result"])


def _without_rights(shelf: Mapping[str, Any]) -> dict[str, Any]:
    rights = Shelf.model_fields.keys() - CollectionInfo.model_fields.keys()
    return {name: value for name, value in shelf.items() if name not in rights}


class RemoteThreads(RemotePart):
    """Research and conversations."""

    def runs(self) -> list[RunInfo]:
        return [RunInfo.model_validate(each) for each in self._server.get("runs")["runs"]]

    def run(self, thread_id: str) -> RunInfo:
        return RunInfo.model_validate(self._server.get(f"runs/{_part(thread_id)}"))

    def report(self, thread_id: str) -> dict[str, Any] | None:
        self.run(thread_id)
        with suppress(NotFound):
            found: dict[str, Any] = self._server.get(f"runs/{_part(thread_id)}/report")
            return found
        return None

    def export_report(self, thread_id: str, format_name: str, *, appendix: bool = True) -> bytes:
        query = {"format": format_name, "appendix": appendix}
        return self._server.send("GET", f"runs/{_part(thread_id)}/export", params=query).content

    def last_event(self, thread_id: str) -> int:
        """``seq`` of the newest event of a thread that is not at work."""
        return max((record.seq for record in self.follow(thread_id)), default=0)

    def follow(self, thread_id: str, after: int = 0) -> Iterator[EventRecord]:
        return self._server.events(f"runs/{_part(thread_id)}/events", after)

    def start(
        self,
        question: str,
        *,
        collections: Sequence[str] | None = None,
        options: RunOptions | None = None,
        thread_id: str | None = None,
    ) -> str:
        if thread_id is not None:
            raise _only_at_home("naming a thread")
        body = {"question": question, "collections": collections}
        body["options"] = (options or RunOptions()).model_dump(mode="json")  # type: ignore
        started: str = self._server.post("research", body)["thread_id"]
        return started

    def answer(self, thread_id: str, interrupt_id: str, text: str) -> None:
        self._steer(thread_id, "answer", {"interrupt_id": interrupt_id, "text": text})

    def approve(
        self, thread_id: str, interrupt_id: str, items: Sequence[PlanItem] | None = None
    ) -> None:
        self._steer(thread_id, "approve", {"interrupt_id": interrupt_id, "items": items})

    def correct(self, thread_id: str, interrupt_id: str, text: str) -> None:
        self._steer(thread_id, "correct", {"interrupt_id": interrupt_id, "text": text})

    def resume(self, thread_id: str) -> None:
        self._steer(thread_id, "resume")

    def pause(self, thread_id: str) -> None:
        self._steer(thread_id, "pause")

    def cancel(self, thread_id: str) -> None:
        self._steer(thread_id, "cancel")

    def restore_evidence(self, thread_id: str, chunk_ids: Sequence[str]) -> None:
        self._steer(thread_id, "restore", {"chunk_ids": chunk_ids})

    def checkpoints(self, thread_id: str) -> list[CheckpointInfo]:
        found = self._server.get(f"runs/{_part(thread_id)}/checkpoints")["checkpoints"]
        return [TypeAdapter(CheckpointInfo).validate_python(each) for each in found]

    def fork(self, thread_id: str, checkpoint_id: str) -> str:
        new: str = self._steer(thread_id, "fork", {"checkpoint_id": checkpoint_id})["thread_id"]
        return new

    def rename(self, thread_id: str, title: str) -> None:
        self._server.send("PATCH", f"runs/{_part(thread_id)}", json={"title": title})

    def delete(self, thread_id: str) -> None:
        self._server.send("DELETE", f"runs/{_part(thread_id)}")

    def verify(self, report: Mapping[str, Any]) -> dict[str, Any]:
        checked: dict[str, Any] = self._server.post("verify", report)
        return checked

    def _steer(self, thread_id: str, how: str, body: Any = None) -> Any:
        return self._server.post(f"runs/{_part(thread_id)}/{how}", body)


class RemoteAnswers(RemotePart):
    """Conversations of quick answers."""

    def ask(self, question: str, **options: Any) -> Asked:
        started = self._server.post("ask", {"question": question, "wait": False, **options})
        return Asked.model_validate(started)

    def turns(self, thread_id: str) -> list[dict[str, Any]]:
        with suppress(NotFound):
            report = self._server.get(f"runs/{_part(thread_id)}/report")
            return list(report["turns"])
        return []


class RemoteEngine(RemotePart):
    """What ``agent.engine.engine.Engine`` is to a command, at a server."""

    def __init__(self, http: httpx.Client) -> None:
        super().__init__(Server(http))
        self.library = RemoteLibrary(self._server)
        self.threads = RemoteThreads(self._server)
        self.answers = RemoteAnswers(self._server)

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
