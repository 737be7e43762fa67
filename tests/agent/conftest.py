"""What many tests of the agent begin with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.engine.engine import Engine
from tests.support.desk import open_desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Engine]:
    """A desk without a model, with one small law."""
    with open_desk(tmp_path / "home") as client:
        yield client
