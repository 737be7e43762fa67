"""What a server is sent to let us in is nowhere afterwards, whatever the server says."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.domain.errors import RabbitholeError
from services.models.base import ChatModel
from services.models.factory import make_model
from services.retrieval.embedders import make_embedder
from services.secrets import passwords_in, scrubbed, without_login
from services.settings import Settings
from tests.contracts.chat_model_contract import ask
from tests.support.desk import open_desk
from tests.support.loopback import Body, Out
from tests.support.openai_server import OpenAIServer
from tests.support.research import researched

KEY, PASSWORD, SENT = "sk-1234567890", "p@ssword9", "YW5uYTpwQHNzd29yZDk="
SAID = f"I was sent {KEY}, anna:{PASSWORD}, p%40ssword9 and Basic {SENT}."


class Echo(OpenAIServer):
    """Says what it was sent, in its answers or in its errors."""

    def __init__(self, status: int) -> None:
        super().__init__(SAID)
        self.status = status

    def _chat(self, body: Body, out: Out) -> None:
        if self.status == 200:
            super()._chat(body, out)
        else:
            out.json({"error": {"message": SAID}}, self.status)


@pytest.fixture(params=[200, 400, 500])
def server(request: pytest.FixtureRequest) -> Iterator[Echo]:
    with Echo(request.param) as server:
        yield server


def settings_for(url: str) -> Settings:
    address = url.replace("//", "//anna:p%40ssword9@")
    keys = {"openai_api_key": KEY, "openai_url": f"{address}/v1", "ollama_url": address}
    return Settings(llm="openai:m", embedding="ollama:m", **keys)


def assert_secret(said: str | bytes) -> None:
    text = said if isinstance(said, str) else said.decode("latin-1")
    assert not [each for each in (KEY, PASSWORD, "p%40ssword9", SENT) if each in text]


def test_nothing_of_them_is_in_the_home_the_report_or_the_log(
    tmp_path: Path, server: Echo, caplog: pytest.LogCaptureFixture
) -> None:
    async def model() -> ChatModel | None:
        return await make_model(settings_for(server.url))

    home = tmp_path / "home"
    with caplog.at_level(logging.INFO), open_desk(home, model) as desk:
        thread = researched(desk)
        told: list[Any] = [desk.threads.report(thread), desk.threads.run(thread).error]
        told += [each.model_dump(mode="json") for each in desk.threads.events(thread)]
        assert server.requests or server.status != 200
    assert_secret(json.dumps(told, ensure_ascii=False))
    assert_secret(caplog.text)
    for file in home.rglob("*"):
        if file.is_file():
            assert_secret(file.read_bytes())


async def test_what_a_model_says_has_none_of_them() -> None:
    with Echo(200) as server:
        model = await make_model(settings_for(server.url))
        assert model is not None
        reply = await model.complete(ask())
    assert "I was sent [secret]" in reply.text
    assert_secret(reply.text)


async def test_an_error_names_the_server_without_them(closed_port: str) -> None:
    settings = settings_for(closed_port)
    with pytest.raises(RabbitholeError, match="nothing responds") as caught:
        await make_model(settings)
    assert_secret(str(caught.value))
    with pytest.raises(RabbitholeError, match="cannot be reached") as caught:
        make_embedder(settings).embed_query("Was gilt?")
    assert_secret(str(caught.value))
    assert_secret(repr(settings))


@pytest.fixture
def closed_port() -> str:
    with OpenAIServer() as gone:
        return gone.url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://anna:p%40ss@host:8000/v1?x=1", "http://host:8000/v1?x=1"),
        ("http://host/v1", "http://host/v1"),
        ("http://anna:p,ss@host/v1 ,http://ben:x@other", "http://host/v1 ,http://other"),
        ("sqlite:////home/anna/catalog.sqlite3", "sqlite:////home/anna/catalog.sqlite3"),
        ("postgresql+psycopg:///db?host=%2Frun", "postgresql+psycopg:///db?host=%2Frun"),
        ("postgresql+psycopg://anna:p@/db?host=%2Frun", "postgresql+psycopg:///db?host=%2Frun"),
    ],
)
def test_a_url_is_shown_without_who_logs_in(url: str, shown: str) -> None:
    assert without_login(url) == shown


def test_nothing_but_passwords_is_scrubbed() -> None:
    assert passwords_in("http://host/v1") == set()
    assert scrubbed("abc ab", ["ab", "abc", ""]) == "[secret] [secret]"
