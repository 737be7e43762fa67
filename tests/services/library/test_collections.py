"""Deleting collections and removing documents, whatever kills the process in between."""

from pathlib import Path

import pytest

from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.library.library import Library
from tests.support.documents import law, store
from tests.support.fakes_retrieval import DictVectorIndex, WordIndex
from tests.support.ingestion import Killed
from tests.support.library_parts import Fakes, search, text_of

ANNA, BEN = Principal(user="anna"), Principal(user="ben")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "dose.txt", tmp_path / "laerm.txt"]
    paths[0].write_text("§ 1 Dosis\nDer Grenzwert der Dosis beträgt 20 Millisievert.\n")
    paths[1].write_text("§ 1 Lärm\nDer Grenzwert des Lärms beträgt 85 Dezibel.\n")
    return paths


def originals(parts: Fakes) -> set[str]:
    return {path.name for path in (parts.settings.home / "originals").iterdir()}


def stored(parts: Fakes, collection_id: str) -> int:
    return parts.vectors.count(collection_id) + parts.lexical.count(collection_id)


def test_a_deleted_collection_leaves_nothing_that_is_not_used_elsewhere(
    parts: Fakes, library: Library, files: list[Path]
) -> None:
    library.ingest(ANNA, files, "law")
    library.ingest(BEN, files[:1], "mine")
    shared = library.document(BEN, "dose.txt").document_id
    deleted = library.delete_collection(ANNA, "law")
    assert (deleted.name, deleted.documents) == ("law", 2)
    assert library.collections(ANNA) == [] and search(library, ANNA, "Grenzwert") == []
    assert stored(parts, deleted.collection_id) > 0
    library.clear_deleted()
    assert stored(parts, deleted.collection_id) == 0
    assert originals(parts) == {shared}
    assert parts.catalog.deletions.pending() == parts.catalog.deletions.unused() == []
    assert [hit.document for hit in search(library, BEN, "Grenzwert Dosis")] == ["dose.txt"]
    assert text_of(library, BEN, shared).startswith("§ 1 Dosis")


class MortalVectors(DictVectorIndex):
    def drop(self, collection_id: str) -> None:
        raise Killed


class MortalWords(WordIndex):
    def drop(self, collection_id: str) -> None:
        raise Killed


@pytest.mark.parametrize("step", ["vectors", "lexical", "originals"])
def test_a_deletion_that_was_killed_is_finished_the_next_time(
    parts: Fakes, library: Library, files: list[Path], step: str
) -> None:
    library.ingest(ANNA, files, "law")
    deleted = library.delete_collection(ANNA, "law").collection_id
    folder = parts.settings.home / "originals"
    if step == "originals":
        blocked = folder / parts.catalog.deletions.unused()[0]
        content = blocked.read_bytes()
        blocked.unlink()
        blocked.mkdir()
        with pytest.raises(OSError):
            library.clear_deleted()
        blocked.rmdir()
        blocked.write_bytes(content)
    else:
        mortal = {"vectors": MortalVectors, "lexical": MortalWords}[step]()
        broken = Fakes(parts.settings, parts.catalog, vectors=parts.vectors, lexical=parts.lexical)
        setattr(broken, step, mortal)
        with pytest.raises(Killed):
            Library(broken).clear_deleted()
    assert parts.catalog.deletions.pending() == [deleted]
    library.clear_deleted()
    assert stored(parts, deleted) == 0 and originals(parts) == set()
    assert parts.catalog.deletions.pending() == []


def test_a_removed_document_is_found_no_more(
    parts: Fakes, library: Library, files: list[Path]
) -> None:
    library.ingest(ANNA, files, "law")
    place = library.collection(ANNA, "law").collection_id
    before = stored(parts, place)
    removed = library.removable(ANNA, "law", "dose.txt")
    library.remove(ANNA, "law", removed)
    assert removed.document == "dose.txt"
    assert [info.document for info in library.documents(ANNA, "law")] == ["laerm.txt"]
    assert stored(parts, place) == before // 2
    assert removed.document_id in originals(parts), "in the bin"
    assert {hit.document for hit in search(library, ANNA, "Grenzwert")} == {"laerm.txt"}
    with pytest.raises(NotFound, match="documents list"):
        library.removable(ANNA, "law", "dose.txt")


def test_readers_do_not_see_what_is_pending_and_remove_nothing(
    parts: Fakes, library: Library, files: list[Path]
) -> None:
    library.ingest(ANNA, files, "law")
    parts.catalog.collections.change(ANNA, "law", visibility="public")
    place = library.collection(ANNA, "law").collection_id
    store(parts.catalog, place, law("Halb"), name="halb.txt", indexed=False)
    assert [info.document for info in library.documents(BEN, "law")] == ["dose.txt", "laerm.txt"]
    assert library.health(BEN) == []
    for forbidden in (
        lambda: library.removable(BEN, "law", "dose.txt"),
        lambda: library.delete_collection(BEN, "law"),
        lambda: library.health(BEN, "law"),
        lambda: library.repair(BEN, "law"),
        lambda: library.ingest(BEN, files, place),
    ):
        with pytest.raises(InvalidInput, match="belongs to anna"):
            forbidden()
    assert [info.status for info in library.documents(ANNA, "law")].count("pending") == 1
    half = library.removable(ANNA, "law", "halb.txt")
    assert half.status == "pending"
    library.remove(ANNA, "law", half)
    assert len(library.documents(ANNA, "law")) == 2


def test_a_document_is_named_by_file_id_or_the_beginning_of_its_id(
    parts: Fakes, library: Library
) -> None:
    place = parts.catalog.collections.create(ANNA, "law").collection_id
    first = store(parts.catalog, place, law("Erstens"), name="a%.txt", data=b"1")
    second = store(parts.catalog, place, law("Zweitens"), name="gleich.txt", data=b"2")
    store(parts.catalog, place, law("Drittens"), name="gleich.txt", data=b"3")
    for wanted in ("a%.txt", first, first[:8]):
        assert library.document(ANNA, wanted).document_id == first
    assert library.document(ANNA, second, "law").document_id == second
    for wanted in ("a_.txt", "a%", "%", "", first[:7], "A%.txt"):
        with pytest.raises(NotFound):
            library.document(ANNA, wanted)
    with pytest.raises(InvalidInput, match=second[:12]):
        library.document(ANNA, "gleich.txt")
