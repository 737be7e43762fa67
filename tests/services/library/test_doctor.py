"""Examining and repairing indexes: from the catalog and the embedding cache alone."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from services.domain import Chunking, CollectionHealth, Principal
from services.domain.errors import Broken
from services.domain.events import DocumentProgress, Event
from services.ingestion.files import identify
from services.library import originals
from services.library.library import Library
from services.retrieval.embedders import Vectors
from services.retrieval.indexes import LexicalDocument
from tests.support.documents import law, store
from tests.support.fakes_retrieval import DictVectorIndex, WordIndex
from tests.support.ingestion import CountingEmbedder, Killed
from tests.support.library_parts import Fakes, search, text_of

ANNA = Principal(user="anna")
NAMES = ("law", "fine")
TEXT = "".join(
    f"§ {n} Titel\n{' '.join(f'Der Absatz nennt den Wert {n}.' for _ in range(60))}\n\n"
    for n in range(1, 10)
)


@pytest.fixture
def library(parts: Fakes, tmp_path: Path) -> Library:
    """A library whose file is gone from where it was ingested."""
    file = tmp_path / "werte.txt"
    file.write_text(TEXT)
    library = Library(parts)
    library.ingest(ANNA, [file], "law")
    file.unlink()
    return library


@pytest.fixture
def place(library: Library) -> str:
    return library.collection(ANNA, "law").collection_id


def repaired(library: Library) -> CollectionHealth:
    (state,) = library.repair(ANNA)
    return state


def test_a_healthy_collection_stays_as_it_is_and_one_without_indexes_gets_them(
    parts: Fakes, library: Library, place: str, tmp_path: Path
) -> None:
    before, hits = library.documents(ANNA), search(library, ANNA, "Wert 7")
    (state,) = library.health(ANNA)
    assert state.healthy and state.chunks == len(parts.catalog.chunks.ids(place)) > 0
    assert repaired(library) == state
    assert library.documents(ANNA) == before
    (tmp_path / "werte.txt").write_text(TEXT)
    fine = Chunking(strategy="sentence", size=300)
    library.ingest(ANNA, [tmp_path / "werte.txt"], "fine", chunking=fine)
    chunks = [parts.catalog.chunks.ids(library.collection(ANNA, n).collection_id) for n in NAMES]
    parts.vectors, parts.lexical = DictVectorIndex(), WordIndex()
    assert not library.health(ANNA, "law")[0].healthy
    assert all(state.healthy for state in library.repair(ANNA))
    assert search(library, ANNA, "Wert 7", collections=["law"]) == hits
    for name, ids in zip(NAMES, chunks, strict=True):
        assert parts.lexical.ids(library.collection(ANNA, name).collection_id) == ids
    assert len(chunks[1]) > len(chunks[0])


def test_what_is_missing_is_indexed_without_embedding_and_what_is_stale_forgotten(
    parts: Fakes, library: Library, place: str
) -> None:
    ids = parts.catalog.chunks.ids(place)
    embedded = len(parts.embedder.embedded)
    parts.vectors.upsert(place, ["ghost"], parts.embedder.embed_query("Geist")[None])
    ghost = LexicalDocument(chunk_id="ghost", language="de", title="", heading="", text="Geist")
    parts.lexical.upsert(place, [ghost])
    (stale,) = library.health(ANNA)
    assert (stale.stale_vectors, stale.stale_keywords, stale.healthy) == (1, 1, True)
    parts.vectors.delete(place, ids[:3])
    parts.lexical.delete(place, ids[2:7])
    (bad,) = library.health(ANNA, "law")
    assert (bad.missing_vectors, bad.missing_keywords, bad.healthy) == (3, 5, False)
    version = library.collection(ANNA, "law").content_version
    events: list[Event] = []
    (good,) = library.repair(ANNA, "law", events.append)
    assert good.healthy
    assert sorted(parts.vectors.ids(place)) == parts.lexical.ids(place) == ids
    assert len(parts.embedder.embedded) == embedded
    assert library.collection(ANNA, "law").content_version > version
    assert [e.stage for e in events if isinstance(e, DocumentProgress)][-1] == "done"


def test_what_the_cache_lost_is_embedded_again_by_the_same_model(
    parts: Fakes, library: Library, place: str
) -> None:
    parts.embedder = CountingEmbedder(dimension=64)
    state = repaired(library)
    assert not state.healthy and "RABBITHOLE_EMBEDDING" in str(state.problem)
    assert parts.embedder.embedded == []
    chunks = parts.catalog.chunks.ids(place)
    stored = parts.vectors.vectors(place, chunks)
    parts.embedder = CountingEmbedder()
    parts.vectors.drop(place)
    with closing(sqlite3.connect(parts.settings.home / "catalog.sqlite3")) as connection:
        connection.execute("DELETE FROM embeddings")
        connection.commit()
    assert repaired(library).healthy
    assert len(parts.embedder.embedded) == len(chunks)
    again = parts.vectors.vectors(place, chunks)
    assert all(np.array_equal(again[key], stored[key]) for key in chunks)


def test_an_update_that_broke_off_replaces_the_older_version(
    parts: Fakes, library: Library, place: str, tmp_path: Path
) -> None:
    file = tmp_path / "werte.txt"
    file.write_text(TEXT.replace("Wert 7", "Wert 70"))
    lexical, parts.lexical = parts.lexical, MortalIndex(0)
    with pytest.raises(Killed):
        library.ingest(ANNA, [file], "law")
    file.unlink()
    parts.lexical = lexical
    assert repaired(library).healthy
    (shown,) = library.documents(ANNA)
    assert "Wert 70" in text_of(library, ANNA, shown.document_id)
    assert sorted(parts.vectors.ids(place)) == parts.catalog.chunks.ids(place)


class LosingIndex(DictVectorIndex):
    """An index whose graph has lost its way: entries are there, searches do not reach them."""

    def __init__(self) -> None:
        super().__init__()
        self.lost = False

    def search(self, collection_id: str, vector: Vectors, k: int) -> list[tuple[str, float]]:
        return [] if self.lost else super().search(collection_id, vector, k)

    def drop(self, collection_id: str) -> None:
        self.lost = False
        super().drop(collection_id)


def test_vectors_that_do_not_find_themselves_are_built_again(
    parts: Fakes, library: Library, place: str
) -> None:
    parts.vectors = LosingIndex()
    assert repaired(library).healthy
    parts.vectors.lost = True
    (bad,) = library.health(ANNA)
    assert bad.lost > 0 and not bad.healthy and not bad.missing_vectors
    assert repaired(library).healthy


class DamagedIndex(DictVectorIndex):
    """An index that answers, with files that are not as they were written."""

    damaged = False

    def verify(self, collection_id: str) -> None:
        if self.damaged:
            raise Broken("damaged")

    def set_aside(self) -> None:
        self._stored.clear()
        self.damaged = False


def test_vectors_whose_files_are_damaged_are_set_aside_and_built_again(
    parts: Fakes, library: Library, place: str
) -> None:
    parts.vectors = DamagedIndex()
    before = repaired(library)
    parts.vectors.damaged = True
    with pytest.raises(Broken):
        library.health(ANNA)
    assert repaired(library) == before and before.healthy


class MortalIndex(WordIndex):
    """Dies at its nth write."""

    def __init__(self, writes: int) -> None:
        super().__init__()
        self.left = writes

    def upsert(self, collection_id: str, docs: object) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed
        super().upsert(collection_id, docs)  # type: ignore[arg-type]


@pytest.mark.parametrize("writes", range(4))
def test_a_repair_that_was_killed_is_done_again(
    parts: Fakes, library: Library, place: str, writes: int
) -> None:
    for n in range(4):
        half = store(parts.catalog, place, law(f"Halb {n}"), name=f"{n}.txt", indexed=False)
        (parts.settings.home / "originals" / half).write_text(law(f"Halb {n}").text)
    parts.lexical = MortalIndex(writes)
    with pytest.raises(Killed):
        library.repair(ANNA)
    parts.lexical.left = 1000
    assert set(library.health(ANNA)[0].unfinished) & {f"{n}.txt" for n in range(4)}
    assert repaired(library).healthy
    assert search(library, ANNA, "Halb 3")[0].document.endswith(".txt")


def test_a_repair_clears_what_was_deleted(parts: Fakes, library: Library, place: str) -> None:
    library.delete_collection(ANNA, "law")
    assert library.repair(ANNA) == []
    assert parts.vectors.count(place) == parts.lexical.count(place) == 0
    assert list((parts.settings.home / "originals").iterdir()) == []


@pytest.mark.parametrize("damage", [None, "Other bytes"])
def test_a_lost_original_is_named_and_taken_from_its_source(
    parts: Fakes, library: Library, tmp_path: Path, damage: str | None
) -> None:
    (document,) = (info.document_id for info in library.documents(ANNA))
    kept, source = parts.settings.home / "originals" / document, tmp_path / "werte.txt"
    kept.unlink() if damage is None else kept.write_text(damage)
    (bad,) = library.health(ANNA)
    assert bad.lost_originals == ("werte.txt",) and not bad.healthy
    assert repaired(library).lost_originals == ("werte.txt",) and not kept.exists()
    source.write_text("Something else")
    assert not repaired(library).healthy and not kept.exists()
    source.write_text(TEXT)
    assert repaired(library).healthy and kept.read_text() == TEXT
    kept.unlink()
    (outcome,) = library.ingest(ANNA, [tmp_path / "werte.txt"], "law").files
    assert outcome.status == "unchanged" and kept.read_text() == TEXT
    assert library.health(ANNA)[0].healthy


def test_an_original_that_cannot_be_read_is_named_and_left_until_its_source_replaces_it(
    parts: Fakes, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (document,) = (info.document_id for info in library.documents(ANNA))
    kept = parts.settings.home / "originals" / document
    closed = kept.stat().st_ino

    def read(path: Path) -> tuple[str, int]:
        if path == kept and path.stat().st_ino == closed:
            raise PermissionError
        return identify(path)

    monkeypatch.setattr(originals, "identify", read)
    assert repaired(library).lost_originals == ("werte.txt",) and kept.read_text() == TEXT
    (tmp_path / "werte.txt").write_text(TEXT)
    assert repaired(library).healthy


def test_damaged_bytes_stay_until_the_copy_is_whole(
    parts: Fakes, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (document,) = (info.document_id for info in library.documents(ANNA))
    kept = parts.settings.home / "originals" / document
    kept.write_text("Other bytes")
    (tmp_path / "werte.txt").write_text(TEXT)

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(Path, "replace", die)
        library.repair(ANNA)
    assert kept.read_text() == "Other bytes"
    assert repaired(library).healthy and kept.read_text() == TEXT
