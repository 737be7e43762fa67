"""Nearest neighbours by cosine, in embedded Chroma."""

import hashlib
import json
import re
import shutil
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from services.caches import Lazy
from services.catalog.database import batches
from services.domain.errors import AskPerson, Broken, EmbeddingMismatch
from services.home import has_room, translate_disk_errors
from services.retrieval.embedders import Vectors

DATABASE = "chroma.sqlite3"

GRAPH = "index_metadata.pickle"
"""The file of a graph that Chroma writes last, and not before a thousand vectors."""

SEAL_NAME = "seal.json"

BATCH = 5000
"""Chroma takes at most 5461 entries in one call."""

EF_SEARCH = 400
"""Candidates that a search in the HNSW graph keeps. With the default of 100 it found .92 of the
exact nearest 50 among 10,000 chunks; with 400 it finds .99, and .98 among 100,000."""

EXACT_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,60}[a-z0-9])?")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

FOLDER_OF = """
SELECT id FROM segments WHERE scope = 'VECTOR' AND collection =
(SELECT id FROM collections WHERE name = ?)
"""
"""Chroma's name of the folder with the graph of a collection."""

UNAPPLIED = """
SELECT coalesce(sum(length(vector)), 0) FROM embeddings_queue WHERE seq_id > coalesce(
(SELECT max(seq_id) FROM max_seq_id WHERE segment_id = ?), 0)
"""
"""Bytes of the log that the files of a graph do not have yet."""


class Seal:
    """Checksums of a folder's files, in one more file there: whether they are as they were written.

    Args:
        folder: may not be there yet.
        last: the file that is written when the others are; without it there is nothing to seal.
    """

    def __init__(self, folder: Path, last: str) -> None:
        self._folder = folder
        self._last = folder / last
        self._file, self._lifted = folder / SEAL_NAME, folder / f"{SEAL_NAME}.lifted"

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Let the files change within the block, and seal them again at its end.

        Where it ends with an error, or is killed, changed files stay without a seal.
        """
        before = self._stamps()
        with suppress(FileNotFoundError):
            self._file.replace(self._lifted)
        done = False
        try:
            yield
            done = True
        finally:
            if self._stamps() == before:
                with suppress(FileNotFoundError):
                    self._lifted.replace(self._file)
            elif done and self._last.exists():
                self._renew()

    def _renew(self) -> None:
        """Seal the files as they are now; where there is no room they stay without a seal."""
        draft = self._folder / f"{SEAL_NAME}.partial"
        sums = {name: self._sum(name) for name in self._stamps()}
        with suppress(OSError):
            draft.write_text(json.dumps(sums), encoding="utf-8")
            draft.replace(self._file)

    def broken(self) -> str | None:
        """The first file that is gone or has changed; None where all is well, or nothing sealed."""
        if not self._file.exists():
            return None
        try:
            for name, kept in json.loads(self._file.read_bytes()).items():
                if self._sum(name) != kept:
                    return str(name)
        except (OSError, ValueError, AttributeError) as error:
            return str(error)
        return None

    def _sum(self, name: str) -> int:
        return zlib.crc32((self._folder / name).read_bytes())

    def _stamps(self) -> dict[str, tuple[int, int]]:
        files = [each for each in self._folder.glob("*") if not each.name.startswith(SEAL_NAME)]
        return {file.name: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}


class ChromaIndex:
    """A ``VectorIndex`` of this machine.

    Embedded Chroma under ``path``, opened on first use: ids and vectors, no texts. Only then is
    the library loaded, which takes a second.

    The caller makes sure that only one process opens the folder (Chroma's embedded client loses
    vectors when two write). Writes of one process are serialised here.

    Chroma replays its log when a collection is first asked for, by each thread that asks meanwhile;
    what is replayed a thousand times is written to the files of the graph, in place. So one thread
    opens a collection, and a place that takes nothing is read over a copy. What was written is
    sealed: Chroma loads any files, and damaged ones end the process.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._lock = threading.RLock()
        self._client: Lazy[Any] = Lazy(self._opened)
        self._open: dict[str, Any] = {}
        self._seals: dict[str, Seal] = {}
        self._copy: TemporaryDirectory[str] | None = None

    def upsert(self, collection_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        # Chroma refuses an id that occurs twice in one call; the last vector of an id counts.
        last = dict(zip(ids, vectors, strict=True))
        with self._changing(collection_id, vectors.nbytes, create=True):
            collection = self._collection(collection_id)
            for batch in batches(last, BATCH):
                collection.upsert(ids=batch, embeddings=np.stack([last[i] for i in batch]))

    def search(self, collection_id: str, vector: Vectors, k: int) -> list[tuple[str, float]]:
        with self._asking(collection_id):
            collection = self._collection(collection_id)
            if collection is None or k < 1:
                return []
            found = collection.query(
                query_embeddings=vector[None, :], n_results=k, include=["distances"]
            )
        ranked = zip(found["ids"][0], found["distances"][0], strict=True)
        return [(identifier, 1.0 - float(distance)) for identifier, distance in ranked]

    def vectors(self, collection_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        result: dict[str, Vectors] = {}
        with self._asking(collection_id):
            collection = self._collection(collection_id)
            for batch in batches(dict.fromkeys(ids), BATCH) if collection is not None else ():
                found = collection.get(ids=batch, include=["embeddings"])
                for identifier, embedding in zip(found["ids"], found["embeddings"], strict=True):
                    result[identifier] = np.asarray(embedding, dtype=np.float32)
        return result

    def delete(self, collection_id: str, ids: Sequence[str]) -> None:
        with self._changing(collection_id):
            collection = self._collection(collection_id)
            for batch in batches(dict.fromkeys(ids), BATCH) if collection is not None else ():
                collection.delete(ids=batch)

    def count(self, collection_id: str) -> int:
        with self._asking(collection_id):
            collection = self._collection(collection_id)
            return 0 if collection is None else collection.count()

    def ids(self, collection_id: str) -> list[str]:
        with self._asking(collection_id):
            collection = self._collection(collection_id)
            return [] if collection is None else list(collection.get(include=[])["ids"])

    def require_whole(self, collection_id: str) -> None:
        if (self._path / DATABASE).exists():
            with self._asking(collection_id), self._database() as database:
                (said,) = database.execute("PRAGMA quick_check(1)").fetchone()
                if said != "ok":
                    raise self._broken(said)
                self._require_sealed(Seal(self._folder(database, collection_id), GRAPH))

    def drop(self, collection_id: str) -> None:
        with self._changing(collection_id):
            if self._collection(collection_id) is not None:
                self._client.get().delete_collection(_name(collection_id))
                del self._open[collection_id]
            self._sweep()

    def set_aside(self) -> None:
        """Move what cannot be used away, of all collections; the index is empty then."""
        from chromadb.api.shared_system_client import SharedSystemClient

        with self._lock:
            self.close()
            SharedSystemClient.clear_system_cache()  # else the next client is the broken one
            aside = self._path.with_name(f"{self._path.name}-damaged")
            shutil.rmtree(aside, ignore_errors=True)
            self._path.replace(aside)

    def close(self) -> None:
        """Release the files; the index may be used again and then reopens them."""
        with self._lock:
            client, copy = self._client.take(), self._copy
            self._open.clear()
            self._copy = None
        if client is not None:
            client.close()
        if copy is not None:
            copy.cleanup()

    def _sweep(self) -> None:
        """Delete the folders of dropped collections: Chroma forgets them, but leaves the vectors.

        A folder that cannot be deleted now (Windows keeps open files) goes with the next drop.
        """
        if not (self._path / DATABASE).exists():
            return
        with self._database() as database:
            used = {name for (name,) in database.execute("SELECT id FROM segments")}
        for folder in self._path.iterdir():
            if folder.is_dir() and UUID.fullmatch(folder.name) and folder.name not in used:
                shutil.rmtree(folder, ignore_errors=True)

    def _opened(self) -> Any:
        from chromadb import PersistentClient
        from chromadb.config import Settings

        place = self._path
        if place.is_dir() and not has_room(place):
            with translate_disk_errors(place):
                self._copy = TemporaryDirectory(prefix="rabbithole-vectors-")
                shutil.copytree(place, self._copy.name, dirs_exist_ok=True)
                place = Path(self._copy.name)
        place.mkdir(parents=True, exist_ok=True)
        # Chroma's own variables would send traces of searches elsewhere.
        quiet = Settings(anonymized_telemetry=False, chroma_otel_collection_endpoint="")
        return PersistentClient(path=str(place), settings=quiet)

    def _broken(self, error: object) -> Broken:
        return Broken(
            "The vectors in {folder} are damaged: {error}. `rabbithole doctor --repair` builds "
            "them again from the catalog.",
            folder=self._path,
            error=error,
        )

    @contextmanager
    def _asking(self, collection_id: str) -> Iterator[None]:
        """Turns what Chroma raises, panics included, into our errors; it has few types for it."""
        from chromadb.errors import ChromaError, InvalidArgumentError

        try:
            yield
        except InvalidArgumentError as error:
            raise mismatch(collection_id, error) from error
        except BaseException as error:
            unusable = isinstance(error, ChromaError | sqlite3.DatabaseError | ValueError)
            if unusable or type(error).__module__ == "pyo3_runtime":
                raise self._broken(error) from error
            raise

    @contextmanager
    def _changing(
        self, collection_id: str, size: int = 0, *, create: bool = False
    ) -> Iterator[None]:
        """Has the index alone, where it takes so many bytes, and seals what Chroma has written.

        Raises:
            AskPerson: there is no room, or nobody may write there.
        """
        with self._lock, self._asking(collection_id):
            self._require_room(size)
            if self._copy is not None:
                self.close()
            there = self._collection(collection_id, create=create) is not None
            with self._seals[collection_id].lifted() if there else nullcontext():
                yield

    def _require_room(self, size: int = 0) -> None:
        """Chroma writes what it is given to its log, and later to the graph."""
        if self._path.is_dir() and not has_room(self._path, 2 * size):
            raise AskPerson(
                "{file} cannot be written ({cause}). Free some space, or let this user write "
                "there; nothing that was kept is lost.",
                file=self._path,
                cause="no room, or read-only",
            )

    def _require_sealed(self, seal: Seal) -> None:
        if file := seal.broken():
            raise self._broken(file)

    def _folder(self, database: sqlite3.Connection, collection_id: str) -> Path:
        """Where Chroma keeps the graph of a collection, if it does."""
        row = database.execute(FOLDER_OF, [_name(collection_id)]).fetchone()
        return self._path / (row[0] if row else "none")

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """Chroma's own database, to be read."""
        file = Path(self._copy.name if self._copy else self._path) / DATABASE
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as database:
            yield database

    def _collection(self, collection_id: str, create: bool = False) -> Any:
        """Chroma's collection; None where there is none and none is to be made."""
        from chromadb.errors import NotFoundError

        with self._lock:
            if collection_id in self._open:
                return self._open[collection_id]
            if not (create or (self._path / DATABASE).exists()):
                return None
            client, name = self._client.get(), _name(collection_id)
            try:
                found = client.get_collection(name, embedding_function=None)
            except NotFoundError:
                if not create:
                    return None
                found = client.create_collection(
                    name,
                    embedding_function=None,
                    configuration={"hnsw": {"space": "cosine", "ef_search": EF_SEARCH}},
                )
            if found.configuration_json.get("hnsw", {}).get("ef_search") != EF_SEARCH:
                found.modify(configuration={"hnsw": {"ef_search": EF_SEARCH}})
            self._load(collection_id, found)
            self._open[collection_id] = found
            return found

    def _load(self, collection_id: str, collection: Any) -> None:
        """Let Chroma load a graph that is whole, and replay its log once."""
        with self._database() as database:
            folder = self._folder(database, collection_id)
            (size,) = database.execute(UNAPPLIED, [folder.name]).fetchone()
        seal = self._seals[collection_id] = Seal(folder, GRAPH)
        self._require_sealed(seal)
        if self._copy is None:
            self._require_room(size)
        with seal.lifted() if self._copy is None else nullcontext():
            collection.get(limit=1, include=[])


def _name(collection_id: str) -> str:
    """A name Chroma accepts (3-512 of ``[a-zA-Z0-9._-]``), different for every id."""
    if EXACT_NAME.fullmatch(collection_id):
        return f"rh-{collection_id}"
    return f"rh.{hashlib.sha256(collection_id.encode()).hexdigest()}"


def mismatch(collection_id: str, error: Exception) -> EmbeddingMismatch:
    return EmbeddingMismatch(
        "The vectors do not fit the collection {collection}: {error}. It was indexed "
        "with another embedding model: set RABBITHOLE_EMBEDDING back to that model, or "
        "ingest the documents into a new collection.",
        collection=collection_id,
        error=error,
    )
