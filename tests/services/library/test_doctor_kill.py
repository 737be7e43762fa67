"""Ingestions and deletions killed at random moments; then the doctor, with the real stores."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from services.catalog import Catalog
from services.domain import Principal
from services.library.library import Library
from services.retrieval.lexical import TantivyIndex
from services.retrieval.vector import ChromaIndex
from services.settings import Settings
from tests.support.ingestion import CountingEmbedder
from tests.support.library_parts import Fakes

KILLS = int(os.environ.get("KILLS", "10"))
FILES = 20
NAMES = ("a", "b")
ANNA = Principal(user="anna")


def open_parts(home: Path) -> Fakes:
    settings = Settings(home=home)
    return Fakes(
        settings,
        Catalog.open(settings.catalog_url),
        CountingEmbedder(),
        ChromaIndex(home / "vectors"),  # type: ignore[arg-type]
        TantivyIndex(home / "keywords"),  # type: ignore[arg-type]
    )


def write_folder(folder: Path) -> None:
    folder.mkdir()
    for n in range(FILES):
        words = " ".join(f"wort{n}x{k}" for k in range(200))
        (folder / f"{n:03}.txt").write_text(f"§ 1 Titel\n{words}.\n\n§ 2 Ende\n{words} {n}.\n")


def work(folder: Path, home: Path) -> None:
    """Fill and delete two collections in turn, for ever."""
    library = Library(open_parts(home))
    print("ready", flush=True)
    while True:
        for name in NAMES:
            library.ingest(ANNA, [folder], name)
            if any(info.name != name for info in library.collections(ANNA)):
                library.delete_collection(ANNA, next(each for each in NAMES if each != name))
                library.clear_deleted()


@pytest.mark.slow
def test_the_doctor_heals_whatever_a_kill_left(tmp_path: Path) -> None:
    folder, home, dice = tmp_path / "folder", tmp_path / "home", random.Random()
    write_folder(folder)
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-m", __name__, str(folder), str(home)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(dice.uniform(0.05, 2.5))
            process.kill()
        check(home)


def check(home: Path) -> None:
    """After a repair nothing is missing, stale or left over, and every chunk finds itself."""
    parts = open_parts(home)
    library = Library(parts)
    for state in library.repair(ANNA):
        assert state.healthy and not state.stale_vectors and not state.stale_keywords, state
    assert parts.catalog.deletions.pending() == parts.catalog.deletions.unused() == []
    documents = {info.document_id for info in library.documents(ANNA)}
    kept = {path.name for path in (home / "originals").glob("*") if path.suffix != ".partial"}
    assert kept >= documents
    folders = {path.name for path in (home / "keywords").glob("*")}
    assert folders <= {info.collection_id for info in library.collections(ANNA)}
    parts.vectors.close()
    parts.lexical.close()
    parts.catalog.close()


if __name__ == "__main__":
    work(Path(sys.argv[1]), Path(sys.argv[2]))
