"""What is deleted for good leaves no trace in any file of the home."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update
from tantivy import Index

from services.catalog.models import BinRow
from services.domain import Principal
from services.ingestion.indexing import passage
from services.library.library import Library
from services.retrieval.embedding import encode
from services.retrieval.lexical import TantivyIndex
from services.retrieval.vector import ChromaIndex
from tests.support.fakes_retrieval import WordIndex
from tests.support.ingestion import Killed
from tests.support.library_parts import Fakes, search

ANNA = Principal(user="anna")
RARE = "Quastenflosser"
SECRET = f"§ 1 Geheimnis\n\nDas Losungswort lautet {RARE}.\n"
OTHER = "§ 1 Lärm\n\nDer Grenzwert des Lärms beträgt 85 Dezibel.\n"


@pytest.fixture
def stores(parts: Fakes) -> Iterator[Fakes]:
    """The parts, with indexes that have files."""
    home = parts.settings.home
    parts.vectors = ChromaIndex(home / "vectors")  # type: ignore[assignment]
    parts.lexical = TantivyIndex(home / "keywords")  # type: ignore[assignment]
    yield parts
    parts.vectors.close()


def empty(library: Library, parts: Fakes) -> None:
    library.empty_bin(ANNA, "law")


def age(library: Library, parts: Fakes) -> None:
    long_ago = update(BinRow).values(removed_at="2020-01-01T00:00:00.000000+00:00")
    parts.catalog.bin._database.execute(long_ago)


def delete(library: Library, parts: Fakes) -> None:
    library.delete_collection(ANNA, "law")


def traces(home: Path, vectors: list[bytes]) -> set[str]:
    """Return the files with the rare word or with one of the vectors."""
    terms = [RARE.encode(), RARE.lower().encode(), RARE.encode("utf-16-le"), *vectors]
    files = {file: file.read_bytes() for file in home.rglob("*") if file.is_file()}
    found = {file.name for file, content in files.items() if any(t in content for t in terms)}
    for folder in (home / "keywords").iterdir():
        searcher = Index.open(str(folder)).searcher()
        if list(searcher.terms_with_prefix("text_de", RARE[:8].lower())):
            found.add("keywords")
    return found


@pytest.mark.parametrize("give_up", [empty, age, delete])
def test_what_is_deleted_for_good_leaves_no_trace(
    stores: Fakes, library: Library, tmp_path: Path, give_up: Callable[[Library, Fakes], None]
) -> None:
    files = [tmp_path / "geheim.txt", tmp_path / "laerm.txt"]
    for file, text in zip(files, (SECRET, OTHER), strict=True):
        file.write_text(text, encoding="utf-8")
    library.ingest(ANNA, files, "law")
    library.ingest(ANNA, files[1:], "more")
    home, collection = stores.settings.home, library.collection(ANNA, "law").collection_id
    document = library.removable(ANNA, "law", "geheim.txt")
    chunks = stores.catalog.chunks.of_member(collection, document.document_id)
    vectors = [*map(encode, stores.embedder.embed_passages([passage(c) for c in chunks]))]
    library.remove(ANNA, "law", document)
    assert {"keywords", "chroma.sqlite3", document.document_id} < traces(home, vectors)
    give_up(library, stores)
    library.clear_deleted()
    files_of_vectors = {"chroma.sqlite3", "data_level0.bin"}  # which Chroma writes when it likes
    assert traces(home, vectors) <= {"keywords", "catalog.sqlite3", *files_of_vectors}
    library.clear_deleted(traces=True)
    assert traces(home, vectors) == set()
    assert stores.catalog.deletions.traces() == []
    assert {hit.document for hit in search(library, ANNA, "Grenzwert des Lärms")} == {"laerm.txt"}
    stores.embedder.embedded.clear()  # type: ignore[attr-defined]
    library.ingest(ANNA, files[1:], "new")
    assert not stores.embedder.embedded, "the cached vectors of others stay"  # type: ignore


class MortalWords(WordIndex):
    def rewrite(self, collection_id: str, docs: object = None) -> None:
        raise Killed


def test_a_rewriting_that_was_killed_is_done_the_next_time(
    parts: Fakes, library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "geheim.txt"
    file.write_text(SECRET, encoding="utf-8")
    library.ingest(ANNA, [file], "law")
    library.remove(ANNA, "law", library.removable(ANNA, "law", file.name))
    empty(library, parts)
    collection = library.collection(ANNA, "law").collection_id
    with pytest.raises(Killed):
        Library(replace(parts, lexical=MortalWords())).clear_deleted(traces=True)
    assert collection in parts.catalog.deletions.traces()
    library.clear_deleted(traces=True)
    assert parts.catalog.deletions.traces() == []
