"""Homes to export collections from, and archives that were tampered with."""

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from services.domain import Chunking, Principal
from services.library.library import Library
from services.settings import Settings
from tests.support.catalogs import new_catalog
from tests.support.ingestion import CountingEmbedder
from tests.support.library_parts import Fakes
from tests.support.real_stores import open_stores

ANNA, BEN = Principal(user="anna"), Principal(user="ben")
ADMIN = Principal(user="local", role="admin")
FIRST = (
    "§ 1 Grenzwert\nDer Grenzwert beträgt 20 Millisievert.\n\n§ 2 Ausnahme\nNach § 1 gilt mehr.\n"
)
SECOND = FIRST.replace("20", "6")


@contextmanager
def opened(home: Path, dimension: int = 256) -> Iterator[Fakes]:
    home.mkdir(parents=True, exist_ok=True)
    with new_catalog(home / "catalog.sqlite3") as catalog, open_stores(home) as stores:
        embedder = CountingEmbedder(dimension=dimension)
        yield Fakes(Settings(home=home), catalog, embedder, **stores)


def with_two_versions(parts: Fakes, folder: Path) -> Library:
    """A collection of two documents; one is a newer version of a retired third."""
    library = Library(parts)
    folder.mkdir()
    (folder / "andere.txt").write_text("§ 1 Anderes\nEin Satz zu etwas anderem.\n")
    for text in (FIRST, SECOND):
        (folder / "grenzwerte.txt").write_text(text)
        library.ingest(ANNA, [folder], "law", chunking=Chunking(size=200, overlap=20))
    return library


def rewritten(archive: Path, change: Callable[[str, bytes], bytes | None], **more: bytes) -> Path:
    """The archive with members changed or (None) left out, and others added."""
    target = archive.with_name("changed.zip")
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if (data := change(name, old.read(name))) is not None:
                new.writestr(name, data)
        for name, data in more.items():
            new.writestr(name, data)
    return target


Change = Callable[[Path], Path]


def member(wanted: str, change: Callable[[bytes], bytes | None]) -> Change:
    """What the members of that kind hold is changed or left out."""
    return lambda archive: rewritten(
        archive, lambda name, data: change(data) if name.startswith(wanted) else data
    )


def flipped(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def cut_off(length: int) -> Change:
    def change(archive: Path) -> Path:
        target = archive.with_name("changed.zip")
        target.write_bytes(archive.read_bytes()[:length])
        return target

    return change


def manifest_with(**values: object) -> Callable[[str, bytes], bytes | None]:
    """For ``rewritten``: the list of members says something else."""

    def change(name: str, data: bytes) -> bytes:
        if name not in ("manifest.json", "backup.json"):
            return data
        return json.dumps({**json.loads(data), **values}).encode()

    return change
