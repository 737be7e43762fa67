"""Two people log in to one server, in a real browser and with a real OpenID provider, while their
programs use it with tokens of theirs."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import httpx2
import pytest
from selenium.webdriver.common.by import By

from agent.engine.engine import connect
from services.domain import Principal
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser
from tests.support.shell import Shell

pytestmark = [pytest.mark.browser, needs_browser]
LOGIN = """\
[auth]
redirect_uri = "{app}/oauth2callback"
cookie_secret = "a secret of more than thirty-two letters"
client_id = "rabbithole"
client_secret = "secret"
server_metadata_url = "{provider}/.well-known/openid-configuration"
[people]
allowed = ["*@kanzlei.example"]
"""


@pytest.fixture
def provider() -> Iterator[str]:
    import oidc_provider_mock

    names = ("anna@kanzlei.example", "bert@kanzlei.example", "carl@elsewhere.example")
    people = [oidc_provider_mock.User(sub=name, claims={"email": name}) for name in names]
    with oidc_provider_mock.run_server_in_thread(user_claims=people) as server:
        yield f"http://localhost:{server.server_port}"


def test_each_sees_what_is_theirs_and_a_stranger_nothing(tmp_path: Path, provider: str) -> None:
    tokens = {}
    with connect(Settings(home=tmp_path, llm="none")) as engine:
        for name in ("anna", "bert"):
            person = engine.acting_as(Principal(user=f"{name}@kanzlei.example"))
            (file := tmp_path / f"{name}.txt").write_text(f"Das Mandat von {name} ruht seit März.")
            person.library.ingest([file], f"Akten von {name}")
            tokens[name] = person.tokens.create("programs", "read", None).token
    with served(tmp_path, provider) as url:
        assert httpx.get(url).headers["content-security-policy"] == "frame-ancestors 'self'"
        with browser() as one, browser() as another:
            seats = {"anna": Window(one, patience_s=60), "bert": Window(another, patience_s=60)}
            for name, window in seats.items():
                window.open(f"{url}/library")
                log_in(window, f"{name}@kanzlei.example", provider)
                window.wait("Bibliothek")
            for name, window in seats.items():  # both are in
                window.open(f"{url}/library")
                window.wait(f"Akten von {name}")
                (other,) = seats.keys() - {name}
                assert f"Akten von {other}" not in window.text
            for name, token in tokens.items():
                found = told_to_programs(url, token, tmp_path / "elsewhere")
                assert found == {each: {f"Akten von {name}"} for each in found}, name
            for window in seats.values():
                window.click("Abmelden")
                window.click("End session")  # the provider's own question
                window.wait("Anmelden")
                window.open(f"{url}/library")
                window.wait("Anmelden")
                assert "Akten" not in window.text
        with browser() as driver:
            window = Window(driver, patience_s=60)
            window.open(url)
            log_in(window, "carl@elsewhere.example", provider)
            window.wait("hat keinen Zugang")
            assert "Bibliothek" not in window.text


def told_to_programs(url: str, token: str, home: Path) -> dict[str, set[str]]:
    """The collections that each program sees, or finds something in."""
    import openai

    header = f"Authorization: Bearer {token}"
    curl = ["curl", "-s", "-H", header, f"{url}/api/v1/collections"]
    listed = json.loads(subprocess.run(curl, capture_output=True, check=True).stdout)
    command = Shell(home).json("collections", "list", "--server", url, "--token", token)
    chat = openai.OpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0)
    return {
        "curl": {each["name"] for each in listed["collections"]},
        "command": {each["name"] for each in command["collections"]},
        "openai": {each.id for each in chat.models.list()} - {"all"},
        "mcp": asyncio.run(found_by_mcp(url, header)),
    }


async def found_by_mcp(url: str, header: str) -> set[str]:
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = dict([header.split(": ", 1)])
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        result = await client.call_tool(
            "search", {"query": "Seit wann ruht das Mandat?"}, read_timeout_seconds=120
        )
        hits = json.loads(result.content[0].text)["hits"]
    return {f"Akten von {Path(hit['document']).stem}" for hit in hits}


def log_in(window: Window, name: str, provider: str) -> None:
    window.click("Anmelden")
    field = window.find("input[name=sub]")
    assert window.driver.current_url.startswith(provider)
    field.send_keys(name)
    window.driver.find_element(By.CSS_SELECTOR, "button[type=submit]").click()


@contextmanager
def served(home: Path, provider: str) -> Iterator[str]:
    file = home / "login.toml"
    app = AppServer(home, login=file)
    file.write_text(LOGIN.format(app=app.url, provider=provider), encoding="utf-8")
    file.chmod(0o600)
    app.start()
    try:
        yield app.url
    finally:
        app.stop()
