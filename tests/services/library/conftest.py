"""A library on small means, and whoever uses it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.library.library import Library
from tests.support.ingestion import CountingEmbedder
from tests.support.library_parts import Fakes, new_parts


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Fakes]:
    parts = new_parts(tmp_path / "home")
    parts.embedder = CountingEmbedder()
    with parts.catalog:
        yield parts


@pytest.fixture
def library(parts: Fakes) -> Library:
    return Library(parts)
