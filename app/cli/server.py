"""Requests to a server's HTTP API, for the commands that work there."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn, TypeVar
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from services.domain import errors
from services.domain.errors import InvalidInput, RabbitholeError, TryAgain
from services.domain.events import Event, EventKey, EventRecord

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
