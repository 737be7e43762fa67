"""Works that change what a home holds, each to be done by a process that may be killed."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import chromadb.api.rust  # what is loaded here need not be loaded by every process
from click.testing import CliRunner

import agent.engine.handlers
import services.graph.build
from agent.engine import moving
from agent.engine.changes import CheckIndexes
from agent.engine.engine import Engine, connect_to
from app.cli.ingest import watch as watching
from services.build import Services
from services.domain import Chunking, MetadataChanges, Principal
from services.library.backup import write_backup
from services.models.base import ChatModel
from services.retrieval.lexical import TantivyIndex
from services.retrieval.vector import ChromaIndex
from tests.support.desk import LAW, make_services
from tests.support.faulty_tasks import REPLIES
from tests.support.scripted_model import ScriptedModel
from tests.support.waiting import until

LAWS: Final = "laerm"
LOADED: Final = (chromadb.api.rust, agent.engine.handlers, services.graph.build)


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

    def services(self, model: ChatModel | None = None) -> Services:
        return make_services(
            self.home,
            model,
            vectors=lambda: ChromaIndex(self.home / "vectors"),
            lexical=lambda: TantivyIndex(self.home / "keywords"),
        )

    def engine(self, model: ChatModel | None = None) -> Engine:
        return connect_to(self.services(model), Principal(role="admin"))


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
    change(place)


def change(place: Place) -> None:
    (place.files / "StaubG.txt").write_text(law("StaubG", "Staub") * 9, encoding="utf-8")
    (place.files / "LichtG.txt").write_text(law("LichtG", "Licht"), encoding="utf-8")
    (place.files / "HitzeG.txt").unlink(missing_ok=True)


def bin_one(place: Place) -> None:
    write_files(place)
    with place.engine() as engine:
        engine.library.edit_document(LAWS, "StaubG.txt", MetadataChanges(tags=("wichtig",)))
        engine.library.remove_document(LAWS, "StaubG.txt")


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
        until(lambda: not engine.job(number).open)


def read_facts(place: Place) -> None:
    model = ScriptedModel([(f"^{task}$", reply) for task, reply in REPLIES.items()])
    with place.engine(model) as engine:
        assert not engine.graph.build(LAWS, facts=True).warnings


def watch(place: Place) -> None:
    """`rabbithole watch` through two rounds, between which files change."""

    def rounds(*_: object, **__: object) -> Iterator[set[str]]:
        yield set()
        change(place)
        yield {"changed"}

    with (
        patch("watchfiles.watch", rounds),
        patch("agent.engine.engine.connect", lambda *_, **__: place.engine()),
    ):
        options = [str(place.files), "--collection", LAWS]
        ended = CliRunner().invoke(watching, options, catch_exceptions=False)
    assert ended.exit_code == 0, ended.output


def restore(place: Place) -> None:
    moving.restore(place.services(), place.archive)


def by(work: Callable[[Engine, Place], Any]) -> Callable[[Place], None]:
    def done(place: Place) -> None:
        with place.engine() as engine:
            work(engine, place)

    return done


@dataclass(frozen=True)
class Work:
    """What is there before, and what is done; the owner does it again unless it is by ``hand``.

    ``look`` sees what counts of its end, where that is not what a home holds; ``reset`` makes what
    is outside the place as it was.
    """

    before: Callable[[Place], None]
    do: Callable[[Place], None]
    by_hand: bool = False
    look: Callable[[Place], dict[str, Any]] | None = None
    reset: Callable[[], None] = lambda: None


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
    "repair": Work(lose_indexes, by(lambda e, _: e.library.check(repair=True).collections)),
    "rebuild": Work(write_files, rebuild),
    "watch": Work(write_files, watch),
    "facts": Work(lose_graph, read_facts),
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
