"""Ingesting texts from memory: in batches, repeatable, as findable as files."""

from collections.abc import Callable, Iterable
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import Engine, event

from services.domain import IngestReport, ParsedDocument
from services.domain.errors import EmbeddingMismatch
from services.domain.events import DocumentProgress
from services.domain.notices import Notice
from services.ingestion import indexing
from services.ingestion.indexing import ReadyDocument, TextIngestor
from tests.support.ingestion import Bench, CountingEmbedder, Killed

BATCH = 50
PARSED = partial(ParsedDocument, pages=(), sections=(), language="de", parser_version="1")


def document(name: str, text: str, title: str = "") -> ReadyDocument:
    return ReadyDocument(name, PARSED(title=title, text=text))


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "TEXTS", BATCH)


def ingest(bench: Bench, documents: Iterable[ReadyDocument]) -> IngestReport:
    parts = (bench.catalog, bench.embedder, bench.vectors, bench.lexical)
    return TextIngestor(*parts).ingest(
        documents, collection_id=bench.collection(), on_event=bench.events.append
    )


def test_ingested_texts_can_be_found(bench: Bench) -> None:
    report = ingest(bench, [document("a", "Der Lärm ist laut.", "Akustik"), document("b", "Ruhe.")])
    found = [(file.path, file.document, file.status, file.chunks) for file in report.files]
    assert found == [("a", "a", "added", 1), ("b", "b", "added", 1)]
    assert report.chunks == 2 and bench.agrees()
    assert report.seconds >= report.parse_s + report.embed_s + report.index_s > 0
    ((best, _),) = bench.lexical.search(bench.collection(), "Akustik", 1)
    chunk = bench.catalog.chunks.get([best], scope=bench.scope())[best]
    assert (chunk.document, chunk.title, chunk.text) == ("a", "Akustik", "Der Lärm ist laut.")
    assert "Akustik\nDer Lärm ist laut." in bench.embedder.embedded
    bench.embedder = CountingEmbedder(dimension=64)
    with pytest.raises(EmbeddingMismatch):
        ingest(bench, [document("b", "Lärm.")])


def test_a_batch_is_one_write_to_an_index(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    upsert, writes = bench.lexical.upsert, list[int]()
    monkeypatch.setattr(
        bench.lexical, "upsert", lambda to, docs: (writes.append(len(docs)), upsert(to, docs))
    )
    report = ingest(bench, (document(f"d{n}", f"Text {n}.") for n in range(BATCH + 1)))
    assert report.chunks == BATCH + 1 and bench.agrees()
    assert writes == [BATCH, 1]
    told = [each for each in bench.events if isinstance(each, DocumentProgress)]
    done = [each.document for each in told if each.stage == "done"]
    assert done == [f"d{n}" for n in range(BATCH + 1)]


def test_more_texts_are_no_more_statements(bench: Bench) -> None:
    """However many documents a batch has, the catalog is asked and told as often."""

    def statements(*names: str) -> int:
        asked: list[str] = []

        def listen(_: object, __: object, statement: str, *___: object) -> None:
            asked.append(statement)

        event.listen(Engine, "before_cursor_execute", listen)
        ingest(bench, [document(name, f"Text {name}.") for name in names])
        event.remove(Engine, "before_cursor_execute", listen)
        return len(asked)

    statements("first")  # notes the embedding model
    assert statements("a", "b") == statements(*(f"d{n}" for n in range(30)))


def test_both_indexes_are_written_at_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Barrier(2, timeout=60)
    for index in (bench.vectors, bench.lexical):
        upsert = index.upsert

        def met(*args: Any, upsert: Callable[..., None] = upsert) -> None:
            both.wait()
            upsert(*args)

        monkeypatch.setattr(index, "upsert", met)
    assert ingest(bench, [document("a", "Ruhe.")]).chunks == 1 and bench.agrees()


def test_a_text_without_words_is_reported_and_others_go_in(bench: Bench) -> None:
    report = ingest(bench, [document("blank", " \n"), document("b", "Ruhe.")])
    assert [(file.status, file.error) for file in report.files] == [
        ("failed", Notice.of("{document} contains no text.", document="blank")),
        ("added", None),
    ]
    assert bench.agrees()
    assert ingest(bench, [document("blank", "")]).chunks == 0


def test_a_broken_off_batch_is_finished_by_doing_it_again(bench: Bench) -> None:
    documents = [document(f"d{n}", f"Text {n}.") for n in range(40)]
    whole, bench.embedder = bench.embedder, CountingEmbedder(dies_after=32)
    with pytest.raises(Killed):
        ingest(bench, documents)
    assert bench.names() == []
    bench.embedder = whole
    assert ingest(bench, documents).chunks == 40 and bench.agrees()
    assert len(whole.embedded) == 8
