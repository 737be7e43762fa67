"""Connections end that wait for the other side without end; a token is asked for before a body."""

import asyncio
import socket
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.server import ServerState

from app.api.problems import GuardedConnection
from app.asgi import LoggedIn
from app.server import limit_connections
from services.login import Auth, Login, People
from tests.support.api_server import Served, served


class Loop:
    """A loop in which time passes when a test says so, and no request is ever worked at."""

    def __init__(self) -> None:
        self._calls: list[Any] = []

    def call_later(self, _: float, call: Any, *arguments: Any) -> Any:
        self._calls.append(lambda: call(*arguments))
        return SimpleNamespace(cancel=self._calls.clear)

    def create_task(self, work: Any) -> Any:
        work.close()
        return Mock()

    def look(self, times: int = 1) -> None:
        for _ in range(times):
            calls, self._calls = self._calls, []
            for each in calls:
                each()


class Transport(asyncio.Transport):
    """The other side, which has so many bytes of answers still to take."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.aborted = 0, False

    def pause_reading(self) -> None: ...

    def get_write_buffer_size(self) -> int:
        return self.left

    def abort(self) -> None:
        self.aborted = True


class Side:
    """A connection and its other side."""

    def __init__(self, state: ServerState | None = None) -> None:
        config = uvicorn.Config(Starlette(), http=GuardedConnection, ws="none")
        self.loop, self.transport = Loop(), Transport()
        loop: Any = self.loop
        self.connection = GuardedConnection(config, state or ServerState(), {}, loop)
        self.connection.connection_made(self.transport)

    def ended_after(self, looks: int) -> bool:
        self.loop.look(looks)
        return self.transport.aborted


REQUEST = b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET /x HTTP/1.1\r\nX: 1"])
def test_who_sends_no_request_is_not_waited_for(sent: bytes) -> None:
    side = Side()
    assert not side.transport.aborted
    if sent:
        side.connection.data_received(sent)
    assert side.ended_after(1)


def test_a_request_is_worked_at_however_long_that_takes() -> None:
    side = Side()
    side.connection.data_received(REQUEST)
    assert not side.ended_after(9)


def test_the_rest_of_what_has_been_answered_is_not_waited_for() -> None:
    side = Side()
    side.connection.data_received(REQUEST)
    side.connection.cycle.response_complete = True
    assert not side.ended_after(1)
    side.connection.data_received(b"x")
    assert side.ended_after(1)


def test_an_answer_is_sent_as_long_as_something_of_it_is_taken() -> None:
    side = Side()
    side.connection.data_received(REQUEST)
    side.connection.pause_writing()
    for side.transport.left in (900, 600, 300):
        assert not side.ended_after(1)
    assert side.ended_after(1)


def test_there_are_so_many_connections_at_most() -> None:
    state = ServerState()
    sides = [Side(state) for _ in range(GuardedConnection.most + 1)]
    assert [each.transport.aborted for each in sides] == [*[False] * GuardedConnection.most, True]


def test_streamlit_s_server_limits_its_connections_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HTTP_PROTOCOLS, "auto", HTTP_PROTOCOLS["auto"])
    limit_connections()
    config = uvicorn.Config(Starlette())
    config.load()
    assert config.http_protocol_class is GuardedConnection


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("doors")) as desk:
        yield desk


def status_of_headers(url: str, method: str, path: str, token: str = "") -> int:
    """What is answered to the headers of a request, of whose body nothing is ever sent."""
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    head += "Content-Length: 900\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n"
    place = urlsplit(url)
    with socket.create_connection((place.hostname or "", place.port or 0), 30) as sent:
        sent.sendall(head.encode())
        return int(sent.recv(1000).split()[1])


def test_no_body_is_read_before_the_token_is_known_to_suffice(desk: Served) -> None:
    paths = httpx.get(f"{desk.url}/api/openapi.json", timeout=60).json()["paths"]
    taking = [(m, p) for p, each in paths.items() for m in each if "requestBody" in each[m]]
    assert len(taking) > 15
    for method, path in [*taking, ("post", "/mcp")]:
        assert status_of_headers(desk.url, method.upper(), path) == 401, path
    upload = "/api/v1/collections/laerm/documents"
    assert status_of_headers(desk.url, "POST", upload, desk.token("read")) == 403


AUTH = Auth.model_validate(
    {
        "redirect_uri": "https://x.example/oauth2callback",
        "cookie_secret": "a secret of more than thirty-two letters",
        "client_id": "x",
        "client_secret": "x",
        "server_metadata_url": "https://x.example",
    }
)
LOGIN = Login(auth=AUTH, people=People(allowed=["*@kanzlei.example"]))


def cookie(email: str, secret: str = AUTH.cookie_secret, ago_s: float = 0) -> str:
    claims = f'{{"email": "{email}", "iat": {time.time() - ago_s}}}'
    return create_signed_value(secret, "_streamlit_user", claims).decode()


@pytest.mark.parametrize(
    ("login", "kept", "path", "status"),
    [
        (LOGIN, "", "/_stcore/upload_file/s/f", 403),
        (LOGIN, "nonsense", "/_stcore/upload_file/s/f", 403),
        (LOGIN, cookie("anna@kanzlei.example", "x" * 32), "/_stcore/upload_file/s/f", 403),
        (LOGIN, cookie("carl@elsewhere.example"), "/_stcore/upload_file/s/f", 403),
        (LOGIN, cookie("anna@kanzlei.example", ago_s=1e6), "/_stcore/upload_file/s/f", 403),
        (LOGIN, cookie("anna@kanzlei.example"), "/_stcore/upload_file/s/f", 404),
        (LOGIN, "", "/_stcore/health", 404),
        (None, "", "/_stcore/upload_file/s/f", 404),
    ],
)
async def test_only_who_is_logged_in_sends_files_to_the_app(
    login: Login | None, kept: str, path: str, status: int
) -> None:
    transport = httpx.ASGITransport(LoggedIn(Starlette(), login))
    headers = {"Cookie": f"_streamlit_user={kept}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as http:
        assert (await http.put(path, headers=headers)).status_code == status
