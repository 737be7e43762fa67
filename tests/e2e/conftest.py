"""What several browser tests look at: starting an app and filling a home takes most of a test."""

from collections.abc import Iterator

import pytest

from tests.support.app_server import AppServer
from tests.support.read_home import ReadHome, fill


@pytest.fixture(scope="session")
def read_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadHome]:
    """A filled home behind a running app; tests change only what is theirs."""
    filled = fill(tmp_path_factory.mktemp("read"))
    filled.server.start()
    yield filled
    filled.server.stop()


@pytest.fixture(scope="session")
def fake_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app on a house with a scripted model, another one for each value of ``?fake``."""
    server = AppServer(tmp_path_factory.mktemp("fake"), script="tests/support/fake_app.py")
    server.start()
    yield server
    server.stop()
