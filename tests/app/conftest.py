"""Homes and clients that several modules share."""

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from agent.engine.engine import Engine
from tests.support.desk import LAW, open_desk
from tests.support.house import House
from tests.support.shell import Shell

# AppTest looks through every installed package each time that it draws a page, which took longer
# than the page itself; the packages stay the same.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(scope="session")
def law_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one law, taken into ``laerm`` by the command; beside it, the file. To copy."""
    folder = tmp_path_factory.mktemp("law")
    (folder / "LaermG.txt").write_text(LAW, encoding="utf-8")
    Shell(folder / "home").json("ingest", folder / "LaermG.txt", "--collection", "laerm")
    return folder


@pytest.fixture(scope="module")
def shell(law_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A copy of that home for a module."""
    return Shell(shutil.copytree(law_home, tmp_path_factory.mktemp("module") / "law") / "home")


@pytest.fixture
def own_shell(law_home: Path, tmp_path: Path) -> Shell:
    """A copy of that home for one test."""
    return Shell(shutil.copytree(law_home / "home", tmp_path / "home"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that the pages take for theirs."""
    monkeypatch.setenv("RABBITHOLE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def owner(home: Path) -> Iterator[Engine]:
    """A client that owns a desk with one small law in ``laerm``."""
    with open_desk(home) as client:
        yield client


@pytest.fixture(scope="session")
def shared_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    home = tmp_path_factory.mktemp("house")
    house = House(home)
    with house.engine:
        yield house


@pytest.fixture
def house(shared_house: House) -> House:
    """The house that all pages share; its model says the usual."""
    shared_house.play()
    return shared_house
