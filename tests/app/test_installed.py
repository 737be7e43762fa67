"""The app that a wheel installs is as closed as that of a working copy."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.request import urlopen

import click
import pytest

from tests.support.app_server import ROOT, free_port

WITHIN_S = 60
SHELL = {
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "true",
    "STREAMLIT_SERVER_ENABLE_CORS": "false",
    "STREAMLIT_SERVER_ALLOWED_HOSTS": "*",
    "STREAMLIT_CLIENT_SHOW_ERROR_DETAILS": "full",
}
SHOW = """
from app import server
from streamlit.web.cli import main

main(["config", "show", *server.options()])
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """That of a Python which finds the package only where its wheel was installed."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("app", "agent", "services"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", "dist", "."]
    subprocess.run(build, cwd=folder, check=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    place = tmp_path_factory.mktemp("installed")
    subprocess.run([*pip, "install", "--no-deps", "--target", place, wheel], check=True)
    home = str(tmp_path_factory.mktemp("home"))
    own = {"PYTHONPATH": str(place), "RABBITHOLE_HOME": home, "RABBITHOLE_LLM": "none"}
    return {**os.environ, **SHELL, **own}


def test_its_options_hold(environment: Mapping[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-c", SHOW]
    shown = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, check=True)
    told = click.unstyle(shown.stdout.decode())
    options = tomllib.loads(told[told.index("\n[") :])
    assert options["browser"]["gatherUsageStats"] is False
    assert options["client"]["showErrorDetails"] == "none"
    assert options["server"]["allowedHosts"] == ["127.0.0.1", "localhost", "::1"]
    assert json.loads(options["theme"]["headingFontWeights"]) == [600] * 6
    assert options["theme"]["dark"]["backgroundColor"] == "#1a1c1e"


def test_it_speaks_german(environment: Mapping[str, str], tmp_path: Path) -> None:
    code = "from app.locale import translate; print(translate('de', 'Library'))"
    command = [sys.executable, "-c", code]
    told = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, check=True)
    assert told.stdout.decode().strip() == "Bibliothek"


@pytest.fixture
def port(environment: Mapping[str, str], tmp_path: Path) -> Iterator[int]:
    port = free_port()
    command = [sys.executable, "-m", "app.cli.main", "serve", "--port", str(port)]
    server = subprocess.Popen(command, env=environment, cwd=tmp_path)
    deadline = time.monotonic() + WITHIN_S
    try:
        while True:
            try:
                urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.2)
        yield port
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


def test_it_takes_no_foreign_host_or_origin(port: int) -> None:
    here = f"127.0.0.1:{port}"
    assert status(port, here, f"http://{here}") == 101
    assert status(port, here, "http://evil.example") == 403
    assert status(port, "evil.example", "http://evil.example") == 403


def status(port: int, host: str, origin: str) -> int:
    """What the server answers to somebody who wants to open its WebSocket."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {
        "Host": host,
        "Origin": origin,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    connection.request("GET", "/_stcore/stream", headers=headers)
    try:
        return connection.getresponse().status
    finally:
        connection.close()
