"""What several browser tests look at: starting an app and filling a home takes most of a test."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.engine.engine import connect
from services.settings import Settings
from tests.support.app_server import ROOT, AppServer
from tests.support.read_home import ReadHome, fill


@pytest.fixture(scope="session")
def read_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadHome]:
    """A filled home behind a running app; tests change only what is theirs."""
    filled = fill(tmp_path_factory.mktemp("read"))
    filled.server.start()
    yield filled
    filled.server.stop()


@pytest.fixture(scope="session")
def two_laws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two small laws; to copy."""
    home = tmp_path_factory.mktemp("laws") / "home"
    samples = ROOT / "kb" / "samples" / "strahlenschutz"
    with connect(Settings(home=home, llm="none")) as client:
        client.library.ingest([samples / "UVSV.txt", samples / "NiSG.md"], "strahlenschutz")
    return home


@pytest.fixture
def own_home(two_laws: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    return shutil.copytree(two_laws, tmp_path / "home")


@pytest.fixture(scope="session")
def fake_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app on a house with a scripted model, another one for each value of ``?fake``."""
    server = AppServer(tmp_path_factory.mktemp("fake"), script="tests/support/fake_app.py")
    server.start()
    yield server
    server.stop()
