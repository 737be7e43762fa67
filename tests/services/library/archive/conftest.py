"""A collection and its archive."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.library.library import Library
from tests.support.archives import ANNA, opened, with_two_versions
from tests.support.library_parts import Fakes


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Fakes]:
    with opened(tmp_path / "home") as parts:
        yield parts


@pytest.fixture
def library(parts: Fakes, tmp_path: Path) -> Library:
    return with_two_versions(parts, tmp_path / "folder")


@pytest.fixture
def archive(library: Library, tmp_path: Path) -> Path:
    library.export_collection(ANNA, "law", tmp_path / "law.zip")
    return tmp_path / "law.zip"
