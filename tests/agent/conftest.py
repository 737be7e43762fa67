"""What many tests of the agent begin with."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from agent.engine.engine import Engine
from tests.support import postgres
from tests.support.crew import Start, crew
from tests.support.desk import open_desk
from tests.support.grid_house import House


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Engine]:
    """A desk without a model, with one small law."""
    with open_desk(tmp_path / "home") as client:
        yield client


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Three leases, and a model that reads them."""
    opened = House(tmp_path / "home")
    yield opened
    opened.engine.close()


@pytest.fixture
def start(tmp_path: Path, postgresql: URL) -> Iterator[Start]:
    """Starts workers of one home by their names."""
    with postgres.database(postgresql) as address:
        yield partial(crew, tmp_path, address)
