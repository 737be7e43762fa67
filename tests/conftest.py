"""Hypothesis: no deadlines, since machines are busy; the same examples every time in CI. And one
PostgreSQL server for all tests that want it.
"""

import gc
import os
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings
from sqlalchemy.engine import URL

from tests.support import postgres

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage: modules and tests stay, so there is next to none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[URL]:
    with postgres.server() as address:
        yield address


@pytest.fixture(scope="session")
def shared(postgresql: URL) -> Iterator[str]:
    with postgres.database(postgresql) as address:
        yield address


@pytest.fixture
def cleared(shared: str) -> str:
    """The address of a database that catalogs and indexes of other tests have used and left."""
    postgres.clear(shared)
    return shared
