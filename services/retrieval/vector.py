"""Vector search in embedded Chroma, on this machine."""

import json
import re
import shutil
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np

from services.caches import Lazy
from services.catalog.database import batches
from services.domain.errors import Broken, EmbeddingMismatch
from services.home import has_room, translate_disk_errors, unwritable
from services.retrieval.embedders import Vectors

DATABASE = "chroma.sqlite3"
SEAL_NAME = "seal.json"
GRAPH = "index_metadata.pickle"
"""The file of a graph that Chroma writes last, and only from a thousand vectors on."""
T = TypeVar("T")
COPY = ".copy"
BATCH = 5000
"""Chroma accepts at most 5461 entries in one call."""
EF_SEARCH = 400
"""Candidates that a search in the HNSW graph keeps. With the default of 100 it found .92 of the
exact nearest 50 among 10,000 chunks; with 400 it finds .99, and .98 among 100,000."""
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

FOLDER_OF = """
SELECT id FROM segments WHERE scope = 'VECTOR' AND collection =
(SELECT id FROM collections WHERE name = ?)
"""

UNAPPLIED = """
SELECT coalesce(sum(length(vector)), 0) FROM embeddings_queue WHERE seq_id > coalesce(
(SELECT max(seq_id) FROM max_seq_id WHERE segment_id = ?), 0)
"""
"""Selects the bytes of the log that are not in the files of a graph yet."""


class Seal:
    """Checksums of a folder's files in a file beside them, once the file ``last`` is there."""

    def __init__(self, folder: Path, last: str) -> None:
        self._folder = folder
        self._last = folder / last
        self._file, self._lifted = folder / SEAL_NAME, folder / f"{SEAL_NAME}.lifted"

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Allow changes in the block, then seal again, unless it fails or is killed."""
        before = self._stamps()
        if self._file.exists():
            self._file.replace(self._lifted)
        else:
            self._lifted.unlink(missing_ok=True)  # of a killed change
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
        """Seal the files as they are now; without disk space they stay unsealed."""
        draft = self._folder / f"{SEAL_NAME}.partial"
        checksums = {name: self._checksum(name) for name in self._stamps()}
        with suppress(OSError):
            draft.write_text(json.dumps(checksums), encoding="utf-8")
            draft.replace(self._file)

    def broken(self) -> str | None:
        """Return the first file that is missing or changed; None if none is, or without a seal."""
        if not self._file.exists():
            return None
        try:
            for name, checksum in json.loads(self._file.read_bytes()).items():
                if self._checksum(name) != checksum:
                    return str(name)
        except (OSError, ValueError, AttributeError) as error:
            return str(error)
        return None

    def _checksum(self, name: str) -> int:
        return zlib.crc32((self._folder / name).read_bytes())

    def _stamps(self) -> dict[str, tuple[int, int]]:
        files = [file for file in self._folder.glob("*") if not file.name.startswith(SEAL_NAME)]
        return {file.name: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}


class ChromaIndex:
    """A ``VectorIndex`` in embedded Chroma under ``path``, imported on first use.

    Only one process may open the folder (Chroma's embedded client loses vectors when two write);
    the caller sees to that. Chroma replays its log when a collection is first used, once in each
    thread that uses it meanwhile, and then writes to the files of the graph in place. So one thread
    opens a collection, and a read-only folder is read through a copy. The files are sealed, because
    damaged ones crash the process when Chroma loads them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._lock = threading.RLock()
        self._client: Lazy[Any] = Lazy(self._make_client)
        self._collections: dict[str, Any] = {}
        self._seals: dict[str, Seal] = {}
        self._copy: TemporaryDirectory[str] | None = None

    def upsert(self, collection_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        # Chroma refuses an id that occurs twice in one call; the last vector of an id counts.
        unique = dict(zip(ids, vectors, strict=True))
        with self._write(collection_id, vectors.nbytes, create=True):
            collection = self._collection(collection_id)
            for batch in batches(unique, BATCH):
                collection.upsert(ids=batch, embeddings=np.stack([unique[i] for i in batch]))

    def search(self, collection_id: str, vector: Vectors, k: int) -> list[tuple[str, float]]:
        def query(collection: Any) -> list[tuple[str, float]]:
            result = collection.query(
                query_embeddings=vector[None, :], n_results=k, include=["distances"]
            )
            ranked = zip(result["ids"][0], result["distances"][0], strict=True)
            return [(identifier, 1.0 - float(distance)) for identifier, distance in ranked]

        return self._read(collection_id, query, []) if k > 0 else []

    def vectors(self, collection_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        vectors: dict[str, Vectors] = {}

        def get(collection: Any) -> None:
            for batch in batches(dict.fromkeys(ids), BATCH):
                result = collection.get(ids=batch, include=["embeddings"])
                for identifier, embedding in zip(result["ids"], result["embeddings"], strict=True):
                    vectors[identifier] = np.asarray(embedding, dtype=np.float32)

        self._read(collection_id, get, None)
        return vectors

    def delete(self, collection_id: str, ids: Sequence[str]) -> None:
        with self._write(collection_id):
            collection = self._collection(collection_id)
            for batch in batches(dict.fromkeys(ids), BATCH) if collection is not None else ():
                collection.delete(ids=batch)

    def count(self, collection_id: str) -> int:
        return self._read(collection_id, lambda collection: int(collection.count()), 0)

    def ids(self, collection_id: str) -> list[str]:
        return self._read(
            collection_id, lambda collection: list(collection.get(include=[])["ids"]), []
        )

    def rewrite(self, collection_id: str) -> None:
        """Copy the vectors to a collection of Chroma that replaces the former one.

        Chroma only marks deleted vectors in its files and keeps them in its log. After a kill
        between the last two steps the copy takes the place of the collection when it is opened.
        """
        copy, ids = f"{collection_id}{COPY}", self.ids(collection_id)
        self.drop(copy)  # of a call that was killed
        for batch in batches(ids, BATCH):
            vectors = self.vectors(collection_id, batch)
            self.upsert(copy, [*vectors], np.stack([*vectors.values()]))
        with self._lock, self._translate_errors(collection_id):
            if (new := self._collections.pop(copy, None)) is None:
                return self.drop(collection_id)
            self._collections[collection_id] = new
            self._seals[collection_id] = self._seals.pop(copy)
            self._client.get().delete_collection(_name(collection_id))
            new.modify(name=_name(collection_id))
            self._sweep()

    def verify(self, collection_id: str) -> None:
        if (self._path / DATABASE).exists():
            with self._translate_errors(collection_id), self._database() as database:
                (problem,) = database.execute("PRAGMA quick_check(1)").fetchone()
                if problem != "ok":
                    raise self._broken(problem)
                self._check(Seal(self._folder(database, collection_id), GRAPH))

    def drop(self, collection_id: str) -> None:
        with self._write(collection_id):
            for name in (f"{collection_id}{COPY}", collection_id):
                if self._collection(name) is not None:
                    self._client.get().delete_collection(_name(name))
                    del self._collections[name]
            self._sweep()

    def set_aside(self) -> None:
        from chromadb.api.shared_system_client import SharedSystemClient

        with self._lock:
            self.close()
            SharedSystemClient.clear_system_cache()  # else the next client is the broken one
            aside = self._path.with_name(f"{self._path.name}-damaged")
            shutil.rmtree(aside, ignore_errors=True)
            self._path.replace(aside)

    def close(self) -> None:
        with self._lock:
            client, copy = self._client.take(), self._copy
            self._collections.clear()
            self._copy = None
        if client is not None:
            client.close()
        if copy is not None:
            copy.cleanup()

    def _sweep(self) -> None:
        """Delete what Chroma leaves of dropped collections: folders, and pages of its database.

        The files of a graph that has no vectors yet are written from memory that was never cleared,
        so they may have anything of this process. What cannot be deleted now is deleted at the next
        drop.
        """
        if not (self._path / DATABASE).exists():
            return
        with self._database() as database:
            used = {name for (name,) in database.execute("SELECT id FROM segments")}
        with suppress(sqlite3.OperationalError), self._database("rw") as database:
            database.execute("VACUUM")
        for folder in filter(lambda path: UUID.fullmatch(path.name), self._path.iterdir()):
            if folder.name not in used:
                shutil.rmtree(folder, ignore_errors=True)
            elif not (folder / GRAPH).exists():
                for file in folder.glob("*.bin"):
                    file.write_bytes(b"")

    def _make_client(self) -> Any:
        from chromadb import PersistentClient
        from chromadb.api.shared_system_client import SharedSystemClient
        from chromadb.config import Settings

        folder = self._path
        if folder.is_dir() and not has_room(folder):
            with translate_disk_errors(folder):
                self._copy = TemporaryDirectory(prefix="rabbithole-vectors-")
                shutil.copytree(folder, self._copy.name, dirs_exist_ok=True)
                folder = Path(self._copy.name)
        folder.mkdir(parents=True, exist_ok=True)
        # Chroma's own variables would send traces of searches elsewhere.
        quiet = Settings(anonymized_telemetry=False, chroma_otel_collection_endpoint="")
        try:
            return PersistentClient(path=str(folder), settings=quiet)
        except BaseException:
            SharedSystemClient.clear_system_cache()  # or the next one has its half-open database
            raise

    def _broken(self, error: object) -> Broken:
        return Broken(
            "The vectors in {folder} are damaged: {error}. `rabbithole doctor --repair` rebuilds "
            "them from the catalog.",
            folder=self._path,
            error=error,
        )

    @contextmanager
    def _translate_errors(self, collection_id: str) -> Iterator[None]:
        """Translate Chroma's few types of errors, panics included, into domain errors."""
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
    def _write(self, collection_id: str, size: int = 0, *, create: bool = False) -> Iterator[None]:
        """Hold the lock for a change of ``size`` bytes, and seal the files that Chroma writes."""
        with self._lock, self._translate_errors(collection_id):
            self._require_room(size)
            if self._copy is not None:
                self.close()
            exists = self._collection(collection_id, create=create) is not None
            with self._seals[collection_id].lifted() if exists else nullcontext():
                yield

    def _require_room(self, size: int = 0) -> None:
        if self._path.is_dir() and not has_room(self._path, 2 * size):
            raise unwritable(self._path, "no room, or read-only")

    def _check(self, seal: Seal) -> None:
        if file := seal.broken():
            raise self._broken(file)

    def _folder(self, database: sqlite3.Connection, collection_id: str) -> Path:
        """Return the folder of a collection's graph; it exists only if Chroma has written one."""
        row = database.execute(FOLDER_OF, [_name(collection_id)]).fetchone()
        return self._path / (row[0] if row else "none")

    @contextmanager
    def _database(self, mode: str = "ro") -> Iterator[sqlite3.Connection]:
        file = Path(self._copy.name if self._copy else self._path) / DATABASE
        with closing(sqlite3.connect(f"{file.as_uri()}?mode={mode}", uri=True)) as database:
            yield database

    def _read(self, collection_id: str, read: Callable[[Any], T], nothing: T) -> T:
        from chromadb.errors import NotFoundError

        with self._translate_errors(collection_id):
            if (collection := self._collection(collection_id)) is None:
                return nothing
            try:
                return read(collection)
            except NotFoundError:  # it was rewritten or dropped meanwhile
                collection = self._collection(collection_id)
                return nothing if collection is None else read(collection)

    def _completed_copy(self, collection_id: str) -> Any:
        """Return the copy of a collection that `rewrite` had deleted when it was killed."""
        from chromadb.errors import NotFoundError

        try:
            copy = self._client.get().get_collection(
                _name(f"{collection_id}{COPY}"), embedding_function=None
            )
        except NotFoundError:
            return None
        copy.modify(name=_name(collection_id))
        return copy

    def _collection(self, collection_id: str, create: bool = False) -> Any:
        from chromadb.errors import NotFoundError

        with self._lock:
            if collection_id in self._collections:
                return self._collections[collection_id]
            if not (create or (self._path / DATABASE).exists()):
                return None
            client, name = self._client.get(), _name(collection_id)
            try:
                collection = client.get_collection(name, embedding_function=None)
            except NotFoundError:
                collection = self._completed_copy(collection_id)
                if collection is None and not create:
                    return None
                collection = collection or client.create_collection(
                    name,
                    embedding_function=None,
                    configuration={"hnsw": {"space": "cosine", "ef_search": EF_SEARCH}},
                )
            if collection.configuration_json.get("hnsw", {}).get("ef_search") != EF_SEARCH:
                collection.modify(configuration={"hnsw": {"ef_search": EF_SEARCH}})
            self._load(collection_id, collection)
            self._collections[collection_id] = collection
            return collection

    def _load(self, collection_id: str, collection: Any) -> None:
        with self._database() as database:
            folder = self._folder(database, collection_id)
            (size,) = database.execute(UNAPPLIED, [folder.name]).fetchone()
        seal = self._seals[collection_id] = Seal(folder, GRAPH)
        self._check(seal)
        if self._copy is None:
            self._require_room(size)
        with seal.lifted() if self._copy is None else nullcontext():
            collection.get(limit=1, include=[])


def _name(collection_id: str) -> str:
    return f"rh-{collection_id}"


def mismatch(collection_id: str, error: Exception) -> EmbeddingMismatch:
    return EmbeddingMismatch(
        "The vectors do not fit the collection {collection}: {error}. It was indexed with another "
        "embedding model: set RABBITHOLE_EMBEDDING to that model again, or ingest the documents "
        "into a new collection.",
        collection=collection_id,
        error=error,
    )
