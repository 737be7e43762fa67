"""Hypothesis without deadlines: machines are busy. In CI the same examples every time; more of
them every night. What all tests share: a PostgreSQL server, hosts of parsers, compiled statements.
"""

import gc
import os
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import settings
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import URL, Engine
from sqlalchemy.util import LRUCache

from tests.support import postgres

settings.register_profile("default", deadline=None, max_examples=40)
settings.register_profile("ci", deadline=None, max_examples=40, derandomize=True)
settings.register_profile("nightly", deadline=None, max_examples=200)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default")
)

os.environ["RABBITHOLE_SUMMARIES"] = "no"
"""Only tests of summaries expect calls of a model in the background, after an ingestion."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without looking for garbage, and exempt what was loaded from later searches.

    Modules and tests stay until the end. Searching them again and again took a tenth of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def pytest_configure() -> None:
    """Let all catalogs in SQLite files share their compiled statements.

    A process of the product opens one catalog, the tests open thousands. The cache is by dialect,
    of which each engine has its own; here they differ in nothing.
    """
    statements: LRUCache[Any, Any] = LRUCache(2000)
    make = Engine.__init__

    def make_with_shared_cache(engine: Engine, *arguments: Any, **options: Any) -> None:
        make(engine, *arguments, **options)
        if isinstance(engine.dialect, SQLiteDialect_pysqlite):
            engine._compiled_cache = statements

    SQLiteDialect_pysqlite.__eq__ = lambda one, other: type(one) is type(other)
    SQLiteDialect_pysqlite.__hash__ = lambda dialect: hash(type(dialect))
    Engine.__init__ = make_with_shared_cache


@pytest.fixture(scope="session", autouse=True)
def _shared_by_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    from tests.support.new_catalogs import copied_catalogs  # not before a test is to run
    from tests.support.parser_hosts import shared_hosts

    with shared_hosts(), copied_catalogs(tmp_path_factory.mktemp("new")):
        yield


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
