"""Others may change the stores while files are read and embedded, not while they are written."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from services.domain import Chunking, ParsedDocument
from services.ingestion.job import SMALL
from services.retrieval.embedders import Progress, Vectors
from services.retrieval.indexes import LexicalDocument
from tests.support.catalogs import new_catalog
from tests.support.fakes_retrieval import DictVectorIndex, WordIndex
from tests.support.ingestion import Bench, CountingEmbedder, HeadingParser

SHORT = "§ 1 Zweck\n\nLärm schadet.\n"
LONG = "\n\n".join(f"§ {n} Abschnitt\n\nLärm der Sorte {n} schadet." for n in range(1, 2 * SMALL))


class Turn:
    """The right to change the stores, and the folder ``originals``."""

    def __init__(self, originals: Path) -> None:
        self.held = False
        self.times = 0
        self._originals = originals
        self._files: list[Path] = []

    @contextmanager
    def __call__(self) -> Iterator[None]:
        assert not self.held, "nobody waits for itself"
        assert list(self._originals.glob("*")) == self._files
        self.held, self.times = True, self.times + 1
        try:
            yield
        finally:
            self.held, self._files = False, list(self._originals.glob("*"))


@pytest.fixture
def turn(tmp_path: Path) -> Turn:
    return Turn(tmp_path / "home" / "originals")


@pytest.fixture
def bench(tmp_path: Path, turn: Turn) -> Iterator[Bench]:
    class Parser(HeadingParser):
        def __call__(self, path: Path, **options: Any) -> ParsedDocument:
            assert not turn.held
            return super().__call__(path, **options)

    class Embedder(CountingEmbedder):
        def embed_passages(
            self, texts: Sequence[str], on_progress: Progress | None = None
        ) -> Vectors:
            assert not turn.held
            return super().embed_passages(texts, on_progress)

    class VectorsAlone(DictVectorIndex):
        def upsert(self, collection_id: str, ids: Sequence[str], vectors: Vectors) -> None:
            assert turn.held
            super().upsert(collection_id, ids, vectors)

        def delete(self, collection_id: str, ids: Sequence[str]) -> None:
            assert turn.held
            super().delete(collection_id, ids)

    class WordsAlone(WordIndex):
        def upsert(self, collection_id: str, docs: Sequence[LexicalDocument]) -> None:
            assert turn.held
            super().upsert(collection_id, docs)

    with new_catalog(tmp_path / "home" / "catalog.sqlite3") as catalog:
        yield Bench(
            catalog,
            tmp_path / "home",
            embedder=Embedder(),
            parser=Parser(),
            vectors=VectorsAlone(),
            lexical=WordsAlone(),
            alone=turn,
        )


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_only_writing_needs_the_stores_alone(bench: Bench, tmp_path: Path, turn: Turn) -> None:
    folder = tmp_path / "files"
    short, long = write(folder, "kurz.txt", SHORT), write(folder, "lang.txt", LONG)
    assert bench.statuses(folder) == ["added", "added"]
    again = Chunking(size=200, overlap=0)
    assert bench.statuses(folder, chunking=again) == ["updated", "updated"]
    write(folder, "lang.txt", LONG + "Mehr Lärm.")
    assert bench.statuses(folder, chunking=again) == ["unchanged", "updated"]
    short.unlink()
    assert [each.pruned for each in bench.ingest(folder, prune=True).removed_from_disk] == [True]
    assert turn.times and long.exists()


@pytest.mark.parametrize("text", [SHORT, LONG])
def test_a_file_that_another_process_read_meanwhile_is_stored_once(
    bench: Bench, tmp_path: Path, text: str
) -> None:
    file, parse, others = write(tmp_path / "files", "a.txt", text), bench.parser, iter([True])

    class Meanwhile(HeadingParser):
        def __call__(self, path: Path, **options: Any) -> ParsedDocument:
            read = super().__call__(path, **options)
            if next(others, False):
                bench.parser = parse
                assert bench.statuses(file, collection="other") == ["added"]
            return read

    bench.parser = Meanwhile()
    assert bench.statuses(file) == ["added"]
    scopes = (bench.scope(each) for each in ("law", "other"))
    ((mine,), (theirs,)) = map(bench.catalog.documents.list, scopes)
    assert mine.document_id == theirs.document_id
    assert bench.vectors.ids(bench.collection()) == bench.vectors.ids(bench.collection("other"))
    assert (bench.home / "originals" / mine.document_id).exists()
