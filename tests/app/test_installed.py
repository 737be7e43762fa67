"""A wheel has all files of the packages, and its app is as closed as that of a working copy."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest

from tests.support.app_server import ROOT, free_port
from tests.support.waiting import answers, until

WITHIN_S = 60
PACKAGED = ("app", "agent", "services", "kb/samples")
"""Folders of which every file is needed."""
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
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of a source distribution, as ``python -m build`` makes it, beside a home in use."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in PACKAGED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "rabbithole.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    (folder / "kb" / "database").mkdir()
    (folder / "kb" / "database" / "catalog.sqlite3").write_bytes(b"somebody's")
    sources = folder / built("sdist", folder)
    with tarfile.open(sources) as archive:
        archive.extractall(folder, filter="data")
    unpacked = sources.parent / sources.name.removesuffix(".tar.gz")
    return unpacked / built("wheel", unpacked)


def built(kind: str, folder: Path) -> str:
    """The name of what hatchling makes of a folder, without the network."""
    code = f"from hatchling import build; print(build.build_{kind}('.'))"
    command = [sys.executable, "-c", code]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return made.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """That of a Python which finds the package only where its wheel was installed."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    place = tmp_path_factory.mktemp("installed")
    subprocess.run([*pip, "install", "--no-deps", "--target", place, wheel], check=True)
    home = str(tmp_path_factory.mktemp("home"))
    own = {
        "PYTHONPATH": str(place / "rabbithole"),
        "RABBITHOLE_HOME": home,
        "RABBITHOLE_LLM": "none",
    }
    return {**os.environ, **SHELL, **own}


def test_it_has_every_file_of_the_packages_and_nothing_of_a_home(wheel: Path) -> None:
    files = (path for name in PACKAGED for path in (ROOT / name).rglob("*") if path.is_file())
    paths = (path.relative_to(ROOT) for path in files if path.suffix != ".pyc")
    wanted = {f"rabbithole/{path.as_posix()}" for path in paths} | {"rabbithole/__init__.py"}
    with zipfile.ZipFile(wheel) as archive:
        packaged = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert wanted - packaged == set()
    assert packaged - wanted == set()


def test_it_leaves_other_packages_of_these_names_alone(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    (tmp_path / "services").mkdir()
    (tmp_path / "services" / "__init__.py").write_text("OTHER = True")
    site = Path(environment["PYTHONPATH"]).parent
    elsewhere = environment | {"PYTHONPATH": f"{site}{os.pathsep}{tmp_path}"}
    theirs, ours = "import services; assert services.OTHER", "import rabbithole, services.settings"
    for code in (theirs, ours):
        subprocess.run([sys.executable, "-c", code], env=elsewhere, cwd=site, check=True)
    command = [sys.executable, "-c", "import rabbithole; rabbithole.main()", "--help"]
    ran = subprocess.run(command, env=elsewhere, cwd=site, check=True, capture_output=True)
    assert ran.stdout.startswith(b"Usage:")


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
    try:
        until(lambda: answers(f"http://127.0.0.1:{port}/_stcore/health"), seconds=WITHIN_S)
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
