"""Nearest neighbours by cosine, in embedded Chroma."""

import hashlib
import re
import shutil
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from services.catalog.database import batches
from services.domain.errors import Broken, EmbeddingMismatch
from services.lazy import Lazy
from services.retrieval.embedders import Vectors

BATCH = 5000
"""Chroma takes at most 5461 entries in one call."""

EF_SEARCH = 400
"""Candidates that a search in the HNSW graph keeps. With the default of 100 it found .92 of the
exact nearest 50 among 10,000 chunks; with 400 it finds .99, and .98 among 100,000."""

EXACT_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,60}[a-z0-9])?")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class ChromaIndex:
    """A ``VectorIndex`` of this machine.

    Embedded Chroma under ``path``, opened on first use: ids and vectors, no texts. Only then is
    the library loaded, which takes a second.

    The caller makes sure that only one process opens the folder (Chroma's embedded client loses
    vectors when two write). Writes of one process are serialised here.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._lock = threading.RLock()
        self._client: Lazy[Any] = Lazy(self._opened)
        self._open: dict[str, Any] = {}

    def upsert(self, collection_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        from chromadb.errors import InvalidArgumentError

        # Chroma refuses an id that occurs twice in one call; the last vector of an id counts.
        last = dict(zip(ids, vectors, strict=True))
        with self._lock:
            collection = self._collection(collection_id, create=True)
            for batch in batches(last, BATCH):
                try:
                    collection.upsert(ids=batch, embeddings=np.stack([last[i] for i in batch]))
                except InvalidArgumentError as error:
                    raise mismatch(collection_id, error) from error

    def search(self, collection_id: str, vector: Vectors, k: int) -> list[tuple[str, float]]:
        from chromadb.errors import InternalError, InvalidArgumentError

        collection = self._collection(collection_id)
        if collection is None or k < 1:
            return []
        try:
            found = collection.query(
                query_embeddings=vector[None, :], n_results=k, include=["distances"]
            )
        except InvalidArgumentError as error:
            raise mismatch(collection_id, error) from error
        except InternalError as error:
            raise self._broken(error) from error
        ranked = zip(found["ids"][0], found["distances"][0], strict=True)
        return [(identifier, 1.0 - float(distance)) for identifier, distance in ranked]

    def vectors(self, collection_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        collection = self._collection(collection_id)
        result: dict[str, Vectors] = {}
        if collection is None:
            return result
        for batch in batches(dict.fromkeys(ids), BATCH):
            found = collection.get(ids=batch, include=["embeddings"])
            for identifier, embedding in zip(found["ids"], found["embeddings"], strict=True):
                result[identifier] = np.asarray(embedding, dtype=np.float32)
        return result

    def delete(self, collection_id: str, ids: Sequence[str]) -> None:
        with self._lock:
            collection = self._collection(collection_id)
            if collection is None:
                return
            for batch in batches(dict.fromkeys(ids), BATCH):
                collection.delete(ids=batch)

    def count(self, collection_id: str) -> int:
        collection = self._collection(collection_id)
        return 0 if collection is None else collection.count()

    def ids(self, collection_id: str) -> list[str]:
        collection = self._collection(collection_id)
        return [] if collection is None else list(collection.get(include=[])["ids"])

    def drop(self, collection_id: str) -> None:
        with self._lock:
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
            client = self._client.take()
            self._open.clear()
        if client is not None:
            client.close()

    def _sweep(self) -> None:
        """Delete the folders of dropped collections: Chroma forgets them, but leaves the vectors.

        A folder that cannot be deleted now (Windows keeps open files) goes with the next drop.
        """
        database = self._path / "chroma.sqlite3"
        if not database.exists():
            return
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            used = {name for (name,) in connection.execute("SELECT id FROM segments")}
        for folder in self._path.iterdir():
            if folder.is_dir() and UUID.fullmatch(folder.name) and folder.name not in used:
                shutil.rmtree(folder, ignore_errors=True)

    def _opened(self) -> Any:
        from chromadb import PersistentClient
        from chromadb.config import Settings

        self._path.mkdir(parents=True, exist_ok=True)
        # Chroma's own variables would send traces of searches elsewhere.
        quiet = Settings(anonymized_telemetry=False, chroma_otel_collection_endpoint="")
        try:
            return PersistentClient(path=str(self._path), settings=quiet)
        except Exception as error:  # whatever it finds there; it has no type for that
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> Broken:
        return Broken(
            "The vectors in {folder} are damaged: {error}. `rabbithole doctor --repair` builds "
            "them again from the catalog.",
            folder=self._path,
            error=error,
        )

    def _collection(self, collection_id: str, create: bool = False) -> Any:
        """Chroma's collection; None where there is none and none is to be made."""
        from chromadb.errors import NotFoundError

        with self._lock:
            if collection_id in self._open:
                return self._open[collection_id]
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
            self._open[collection_id] = found
            return found


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
