"""Ingestion of a folder by a process that is killed again and again, with the real stores."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from services.catalog import Catalog
from services.domain.events import Event
from services.retrieval.lexical import TantivyIndex
from services.retrieval.vector import ChromaIndex
from services.settings import Settings
from tests.support.ingestion import Bench, CountingEmbedder, HeadingParser

KILLS = 8
FILES = 150
WORDS = [f"wort{n}" for n in range(400)]


def bench(home: Path) -> Bench:
    return Bench(
        Catalog.open(Settings(home=home).catalog_url),
        home,
        CountingEmbedder(),
        HeadingParser(),
        ChromaIndex(home / "vectors"),  # type: ignore[arg-type]
        TantivyIndex(home / "keywords"),  # type: ignore[arg-type]
    )


def write_folder(folder: Path) -> None:
    folder.mkdir()
    dice = random.Random(7)
    for n in range(FILES):
        sections = (
            f"§ {section} Titel\n{' '.join(dice.choices(WORDS, k=40))} {n}-{section}.\n\n"
            for section in range(1, dice.randint(5, 60))
        )
        (folder / f"{n:03}.txt").write_text("".join(sections))


def ingest_until_killed(folder: Path, home: Path, events: int, seconds: float) -> None:
    """Kill the process a moment after it has told so many events."""
    with subprocess.Popen(
        [sys.executable, "-m", __name__, str(folder), str(home)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        for _ in range(events):
            process.stdout.readline()
        time.sleep(seconds)
        process.kill()


def check(folder: Path, home: Path) -> None:
    """Nothing is missing, nothing twice, and every chunk finds itself."""
    end = bench(home)
    assert {outcome.status for outcome in end.ingest(folder).files} <= {"added", "unchanged"}
    assert end.agrees()
    collection, scope = end.collection(), end.scope()
    assert len(end.catalog.documents.list(scope)) == FILES
    ids = end.catalog.chunks.ids(collection)
    info = end.catalog.collections.get(collection)
    assert info.chunks == len(ids) == end.vectors.count(collection) == end.lexical.count(collection)
    stored = end.vectors.vectors(collection, ids)
    lost = [key for key in ids if end.vectors.search(collection, stored[key], 1)[0][1] < 0.999]
    assert lost == []
    end.vectors.close()
    end.catalog.close()


@pytest.mark.slow
def test_catalog_and_indexes_agree_after_kills(tmp_path: Path) -> None:
    folder, home = tmp_path / "folder", tmp_path / "home"
    write_folder(folder)
    dice = random.Random()
    for _ in range(KILLS):
        ingest_until_killed(folder, home, dice.randint(1, FILES), dice.uniform(0, 0.1))
    check(folder, home)


class Printed(list[Event]):
    """Tells the parent process of every event."""

    def append(self, event: Event) -> None:
        print(event.kind, flush=True)


if __name__ == "__main__":
    worker = bench(Path(sys.argv[2]))
    worker.events = Printed()
    worker.ingest(Path(sys.argv[1]))
