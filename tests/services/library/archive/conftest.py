"""A collection and its archive."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.domain import (
    Chunking,
)
from services.library.library import Library
from tests.support.archives import ANNA, FIRST, SECOND, opened
from tests.support.library_parts import Fakes


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Fakes]:
    with opened(tmp_path / "home") as parts:
        yield parts


@pytest.fixture
def library(parts: Fakes, tmp_path: Path) -> Library:
    """A collection of two documents; one is a newer version of a retired third."""
    library, folder = Library(parts), tmp_path / "folder"
    folder.mkdir()
    (folder / "grenzwerte.txt").write_text(FIRST)
    (folder / "andere.txt").write_text("§ 1 Anderes\nEin Satz zu etwas anderem.\n")
    library.ingest(ANNA, [folder], "law", chunking=Chunking(size=200, overlap=20))
    (folder / "grenzwerte.txt").write_text(SECOND)
    library.ingest(ANNA, [folder], "law", chunking=Chunking(size=200, overlap=20))
    return library


@pytest.fixture
def archive(library: Library, tmp_path: Path) -> Path:
    library.export_collection(ANNA, "law", tmp_path / "law.zip")
    return tmp_path / "law.zip"
