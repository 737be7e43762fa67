"""What several browser tests look at: starting an app and filling a home takes most of a test."""

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


@pytest.fixture
def own_home(tmp_path: Path) -> Path:
    """A home with two small laws for one test."""
    home = tmp_path / "home"
    samples = ROOT / "kb" / "samples" / "strahlenschutz"
    with connect(Settings(home=home, llm="none")) as client:
        client.library.ingest([samples / "UVSV.txt", samples / "NiSG.md"], "strahlenschutz")
    return home


@pytest.fixture(scope="session")
def fake_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app on a house with a scripted model, another one for each value of ``?fake``."""
    server = AppServer(tmp_path_factory.mktemp("fake"), script="tests/support/fake_app.py")
    server.start()
    yield server
    server.stop()
