"""Works that change what a home holds, each done by a process that may be killed, and what is left.

Every process is forked from this one, which has the modules loaded and nothing opened.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import chromadb.api.rust  # what is loaded here need not be loaded by every process

import agent.engine.handlers
import services.graph.builder
from agent.engine import restoring
from agent.engine.engine import Engine, connect_to
from agent.engine.jobs import CheckIndexes
from services.build import Services
from services.domain import Chunking, Principal
from services.domain.errors import RabbitholeError
from services.home import has_catalog
from services.library.archive.checked import opened
from services.library.backup import Backup, write_backup
from services.retrieval.lexical import TantivyIndex
from services.retrieval.vector import ChromaIndex
from tests.support.deadly import Points
from tests.support.desk import LAW, make_services

LAWS: Final = "laerm"
RECORDS: Final = {
    "commands",
    "jobs",
    "events",
    "leases",
    "parameters",
    "alembic_version",
    "sqlite_sequence",
}
"""Tables that tell of works, not of what they made."""
CHANGING: Final = ("_at", "content_version")
LOADED: Final = (chromadb.api.rust, agent.engine.handlers, services.graph.builder)
WORDS: Final = ("Lärm", "Grenzwert", "Staub", "Licht")


@dataclass(frozen=True)
class Place:
    """A folder with the files of a person, a home, and a file beside them."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def files(self) -> Path:
        return self.folder / "files"

    @property
    def archive(self) -> Path:
        return self.folder / "out" / "archive.zip"

    def services(self) -> Services:
        return make_services(
            self.home,
            vectors=lambda: ChromaIndex(self.home / "vectors"),
            lexical=lambda: TantivyIndex(self.home / "keywords"),
        )

    def engine(self) -> Engine:
        return connect_to(self.services(), Principal(role="admin"))


def law(name: str, subject: str) -> str:
    return LAW.replace("Lärm", subject).replace("LärmG", name)


def write_files(place: Place) -> None:
    """Three laws, of which one will change and one will be gone."""
    place.files.mkdir(parents=True)
    place.archive.parent.mkdir()
    for subject in ("Lärm", "Staub", "Hitze"):
        (place.files / f"{subject}G.txt").write_text(law(f"{subject}G", subject), encoding="utf-8")
    with place.engine() as engine:
        engine.library.ingest([place.files], LAWS)


def change_files(place: Place) -> None:
    write_files(place)
    (place.files / "StaubG.txt").write_text(law("StaubG", "Staub") * 9, encoding="utf-8")
    (place.files / "LichtG.txt").write_text(law("LichtG", "Licht"), encoding="utf-8")
    (place.files / "HitzeG.txt").unlink()


def bin_one(place: Place) -> None:
    write_files(place)
    with place.engine() as engine:
        engine.library.edit_document(LAWS, "StaubG.txt", _tagged())
        engine.library.remove_document(LAWS, "StaubG.txt")


def _tagged() -> Any:
    from services.domain import MetadataChanges

    return MetadataChanges(tags=("wichtig",))


def lose_indexes(place: Place) -> None:
    write_files(place)
    shutil.rmtree(place.home / "vectors")
    shutil.rmtree(place.home / "keywords")
    next((place.home / "originals").iterdir()).unlink()


def lose_graph(place: Place) -> None:
    write_files(place)
    with closing(sqlite3.connect(place.home / "catalog.sqlite3")) as catalog, catalog:
        for table in ("graph_mentions", "graph_edges", "graph_nodes", "graph_merges"):
            catalog.execute(f"DELETE FROM {table}")
        catalog.execute("DELETE FROM graph_parts")


def keep_collection(place: Place) -> None:
    write_files(place)
    with place.engine() as engine:
        engine.library.export_collection(LAWS, place.archive)
        engine.library.delete_collection(LAWS)


def keep_home(place: Place) -> None:
    write_files(place)
    write_backup(place.services().settings, place.archive)
    shutil.rmtree(place.home)
    place.home.mkdir()


def rebuild(place: Place) -> None:
    with place.engine() as engine:
        number = engine.submit(CheckIndexes(collection=LAWS, repair=True, afresh=True))
        while engine.job(number).open:
            time.sleep(0.02)


def restore(place: Place) -> None:
    restoring.restore(place.services(), place.archive)


def by(work: Callable[[Engine, Place], Any]) -> Callable[[Place], None]:
    def done(place: Place) -> None:
        with place.engine() as engine:
            work(engine, place)

    return done


@dataclass(frozen=True)
class Work:
    """What is there before, and what is done; the owner does it again unless it is by ``hand``."""

    before: Callable[[Place], None]
    do: Callable[[Place], None]
    by_hand: bool = False


COARSE: Final = Chunking(size=400, overlap=0)
WORKS: Final = {
    "ingest": Work(
        change_files, by(lambda e, place: e.library.ingest([place.files], LAWS, prune=True))
    ),
    "cut anew": Work(
        write_files, by(lambda e, place: e.library.ingest([place.files], LAWS, chunking=COARSE))
    ),
    "remove": Work(write_files, by(lambda e, _: e.library.remove_document(LAWS, "StaubG.txt"))),
    "put back": Work(bin_one, by(lambda e, _: e.library.restore_document(LAWS, "StaubG.txt"))),
    "empty bin": Work(bin_one, by(lambda e, _: e.library.empty_bin(LAWS))),
    "delete": Work(write_files, by(lambda e, _: e.library.delete_collection(LAWS))),
    "repair": Work(lose_indexes, by(lambda e, _: e.library.check_indexes(repair=True))),
    "rebuild": Work(write_files, rebuild),
    "graph": Work(lose_graph, by(lambda e, _: e.graph.build(LAWS))),
    "restore collection": Work(
        keep_collection, by(lambda e, place: e.library.restore_collection(place.archive))
    ),
    "backup": Work(
        write_files,
        lambda place: void(write_backup(place.services().settings, place.archive)),
        by_hand=True,
    ),
    "restore": Work(keep_home, restore),
}


def void(_: object) -> None: ...


def settled(place: Place) -> None:
    """Starts the program, and waits until its owner has done what a dead one left."""
    with place.engine() as engine:
        engine.settings.search_cache()
        while any(engine.activity().jobs.values()):
            time.sleep(0.02)


def look(place: Place) -> dict[str, Any]:
    """All that a home holds, but for times and the records of works; needs no owner."""
    home = place.home
    found: dict[str, Any] = {"files": _files(home), "beside": _archive(place)}
    if not (home / "catalog.sqlite3").exists():
        return found
    with closing(sqlite3.connect(home / "catalog.sqlite3")) as catalog:
        names = dict(catalog.execute("SELECT collection_id, name FROM collections"))
        parts = catalog.execute("SELECT 'part_id', part_id, text_id FROM graph_parts")
        made_up = {**names, **{(column, part): text for column, part, text in parts}}
        found |= {name: _rows(catalog, name, made_up) for name in _tables(catalog)}
    services = place.services()
    try:
        for collection, name in names.items():
            ids = sorted(services.vectors.ids(collection))
            vectors = services.vectors.vectors(collection, ids)
            found[f"vectors {name}"] = [[each, _hash(vectors[each].tobytes())] for each in ids]
            found[f"keywords {name}"] = sorted(services.lexical.ids(collection))
            for words in WORDS:
                hits = services.lexical.search(collection, words, 50)
                found[f"{words} {name}"] = sorted(each for each, _ in hits)
            health = services.library.health(Principal(role="admin"), collection)
            found[f"health {name}"] = [each.healthy for each in health]
        found["folders"] = _folders(home, names)
    finally:
        services.close()
    return json.loads(json.dumps(found))  # as the parent reads it


def _tables(catalog: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    return [name for (name,) in catalog.execute(query) if name not in RECORDS]


def _rows(catalog: sqlite3.Connection, table: str, names: dict[Any, str]) -> list[str]:
    """Rows without times and counters; numbers and ids that are made up stand as their names."""
    cursor = catalog.execute(f'SELECT * FROM "{table}"')
    columns = [column[0] for column in cursor.description]
    return sorted(
        repr([_named(name, value, names) for name, value in zip(columns, row, strict=True)])
        for row in cursor
    )


def _named(column: str, value: Any, names: dict[Any, str]) -> Any:
    if column.endswith(CHANGING):
        return None
    known = (column, value) if column == "part_id" else value
    return _hash(value) if isinstance(value, bytes) else names.get(known, value)


def _files(home: Path) -> list[list[str]]:
    """Files of a home by name and hash; stores by name alone, logs and locks not at all."""
    passed = ("owner.", "catalog.sqlite3-", "checkpoints.sqlite3")
    found = []
    for file in sorted(each for each in home.rglob("*") if each.is_file()):
        name = str(file.relative_to(home))
        if not name.startswith((*passed, "vectors/", "keywords/")):
            found.append([name, "" if "sqlite3" in name else _hash(file.read_bytes())])
    return found


def _folders(home: Path, names: dict[str, str]) -> list[str]:
    """Folders of the indexes; those of vectors bear random names and are counted."""
    keywords = home / "keywords"
    named = (
        sorted(names.get(each.name, "?") for each in keywords.iterdir())
        if keywords.exists()
        else []
    )
    count = sum(each.is_dir() for each in (home / "vectors").iterdir())
    return [*named, str(count)]


def _archive(place: Place) -> list[str]:
    """The files beside the home; of a backup, that it is whole."""
    names = sorted(each.name for each in place.archive.parent.iterdir())
    if place.archive.exists() and "catalog.sqlite3" in _members(place.archive):
        with opened(place.archive, Backup, place.home) as archive:
            names.append(f"{archive.listing.documents} documents")
    return names


def _members(file: Path) -> list[str]:
    from zipfile import ZipFile

    with ZipFile(file) as archive:
        return archive.namelist()


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def forked(work: Callable[[], Any]) -> tuple[int, Any]:
    """What a process of its own comes to: its exit status, and what it returned."""
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            os.close(reading)
            said = json.dumps(work()).encode()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(said)
            os._exit(0)
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), json.loads(said) if said else None


class Trial:
    """One work, done and killed as often as wanted, each time from the same beginning."""

    def __init__(self, folder: Path, name: str) -> None:
        self.work = WORKS[name]
        self._place, self._before = Place(folder / "place"), folder / "before"
        status, _ = forked(lambda: self.work.before(self._place))
        assert status == 0
        shutil.copytree(self._place.folder, self._before)
        self.at_first = self._seen()
        status, self.points = forked(lambda: self._done(""))
        assert status == 0
        self.expected = self._seen()

    def killed(self, point: str) -> tuple[str, list[str]]:
        """How it went on after it died at a point, and what then differs from the undisturbed."""
        shutil.rmtree(self._place.folder)
        shutil.copytree(self._before, self._place.folder)
        status, _ = forked(lambda: self._done(point))
        if status != -9:
            return "not reached", [f"exit status {status}"]
        if not self.work.by_hand and has_catalog(self._place.services().settings):
            forked(lambda: settled(self._place))
            if not self._differs():
                return "by itself", []
        _, problem = forked(self._again)
        differs = self._differs()
        return "again", [*([problem] if problem and differs else []), *differs]

    def _again(self) -> str:
        try:
            self.work.do(self._place)
        except RabbitholeError as error:
            return str(error)
        return ""

    def _done(self, point: str) -> list[str]:
        place = self._place
        points = Points(point, place.home, place.archive.parent).install()
        self.work.do(place)
        return points.passed

    def _seen(self) -> dict[str, Any]:
        status, seen = forked(lambda: look(self._place))
        return seen if status == 0 else {"look": status}

    def _differs(self) -> list[str]:
        seen = self._seen()
        return [
            f"{name}: {_difference(self.expected.get(name, []), seen.get(name, []))}"
            for name in sorted(self.expected.keys() | seen.keys())
            if self.expected.get(name) != seen.get(name)
        ]


def _difference(expected: Iterable[Any], seen: Iterable[Any]) -> str:
    if not (isinstance(expected, list) and isinstance(seen, list)):
        return str(seen)[:200]
    less = [each for each in expected if each not in seen]
    more = [each for each in seen if each not in expected]
    return f"lacks {str(less)[:200]}, has {str(more)[:200]}"
