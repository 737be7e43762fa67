"""Ingesting texts from memory: in batches, repeatable, as findable as files."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from services.domain import IngestReport, ParsedDocument
from services.domain.errors import EmbeddingMismatch, NotFound
from services.domain.events import DocumentProgress
from services.ingestion.pipeline import Ingestor, ReadyDocument
from services.retrieval.lexical import LexicalDocument
from services.settings import Settings
from tests.support.catalogs import new_catalog
from tests.support.fakes_retrieval import WordIndex
from tests.support.ingestion import Bench, CountingEmbedder, Killed

BATCH = 50


class CountingIndex(WordIndex):
    """Counts writes, each of which costs a real index a commit."""

    writes = 0

    def upsert(self, collection_id: str, docs: Sequence[LexicalDocument]) -> None:
        self.writes += 1
        super().upsert(collection_id, docs)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with new_catalog(tmp_path / "home" / "catalog.sqlite3") as catalog:
        yield Bench(catalog, tmp_path / "home", lexical=CountingIndex())


def document(name: str, text: str, title: str = "") -> ReadyDocument:
    parsed = ParsedDocument(
        title=title, text=text, pages=(), sections=(), language="de", parser_version="1"
    )
    return ReadyDocument(name, parsed)


def ingest(
    bench: Bench, documents: Iterable[ReadyDocument], collection_id: str | None = None
) -> IngestReport:
    parts = (bench.catalog, bench.embedder, bench.vectors, bench.lexical)
    return Ingestor(*parts, Settings(home=bench.home)).ingest_texts(
        documents,
        batch=BATCH,
        collection_id=collection_id or bench.collection(),
        on_event=bench.events.append,
    )


def test_texts_go_in_and_can_be_found(bench: Bench) -> None:
    report = ingest(bench, [document("a", "Der Lärm ist laut.", "Akustik"), document("b", "Ruhe.")])
    assert [(file.document, file.status, file.chunks) for file in report.files] == [
        ("a", "added", 1),
        ("b", "added", 1),
    ]
    assert report.chunks == 2 and bench.agrees()
    assert report.seconds >= report.parse_s + report.embed_s + report.index_s > 0
    ((best, _),) = bench.lexical.search(bench.collection(), "Akustik", 1)
    chunk = bench.catalog.chunks.get([best], scope=bench.scope())[best]
    assert (chunk.document, chunk.title, chunk.text) == ("a", "Akustik", "Der Lärm ist laut.")
    assert "Akustik\nDer Lärm ist laut." in bench.embedder.embedded


def test_a_batch_is_one_write_to_an_index(bench: Bench) -> None:
    report = ingest(bench, (document(f"d{n}", f"Text {n}.") for n in range(BATCH + 1)))
    assert report.chunks == BATCH + 1 and bench.agrees()
    assert isinstance(bench.lexical, CountingIndex) and bench.lexical.writes == 2
    done = [
        event.document
        for event in bench.events
        if isinstance(event, DocumentProgress) and event.stage == "done"
    ]
    assert done == [f"documents 1 to {BATCH}", f"documents {BATCH + 1} to {BATCH + 1}"]


def test_doing_it_again_adds_nothing(bench: Bench) -> None:
    documents = [document("a", "Der Lärm ist laut."), document("b", "Ruhe.")]
    ingest(bench, documents)
    embedded = list(bench.embedder.embedded)
    ingest(bench, documents)
    assert bench.embedder.embedded == embedded
    assert len(bench.catalog.documents.list(bench.scope("law"))) == 2 and bench.agrees()


def test_one_text_under_two_names_is_one_document(bench: Bench) -> None:
    ingest(bench, [document("a", "Ruhe."), document("b", "Ruhe.")])
    assert len(bench.catalog.documents.list(bench.scope("law"))) == 1 and bench.agrees()


def test_a_text_without_words_is_reported_and_others_go_in(bench: Bench) -> None:
    report = ingest(bench, [document("blank", " \n"), document("b", "Ruhe.")])
    assert [file.status for file in report.files] == ["failed", "added"]
    assert "blank holds no text" in str(report.files[0].error)
    assert bench.agrees()
    assert ingest(bench, [document("blank", "")]).chunks == 0


def test_a_broken_off_batch_is_finished_by_doing_it_again(bench: Bench) -> None:
    documents = [document(f"d{n}", f"Text {n}.") for n in range(40)]
    whole, bench.embedder = bench.embedder, CountingEmbedder(dies_after=32)
    with pytest.raises(Killed):
        ingest(bench, documents)
    assert bench.catalog.documents.list(bench.scope("law")) == []
    bench.embedder = whole
    assert ingest(bench, documents).chunks == 40 and bench.agrees()
    assert len(whole.embedded) == 8


def test_another_model_is_refused(bench: Bench) -> None:
    ingest(bench, [document("a", "Ruhe.")])
    bench.embedder = CountingEmbedder(dimension=64)
    with pytest.raises(EmbeddingMismatch):
        ingest(bench, [document("b", "Lärm.")])


def test_an_unknown_collection_is_refused(bench: Bench) -> None:
    with pytest.raises(NotFound):
        ingest(bench, [document("a", "Ruhe.")], collection_id="none")
