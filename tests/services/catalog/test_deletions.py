"""Deleting in steps: what the catalog forgets at once, what it keeps, what is left to do."""

import sqlite3
from pathlib import Path

import pytest

from services.catalog import Catalog
from services.catalog.database import Database
from services.catalog.ids import text_id as text_id_of
from services.catalog.models import (
    AliasRow,
    Base,
    ChunkingRow,
    ChunkRow,
    ContentRow,
    MembershipRow,
    ReadingRow,
    ReferenceRow,
    SectionRow,
    SubscriptionRow,
    TextRow,
)
from services.domain.answers import Citation
from services.domain.errors import NotFound
from services.domain.grids import CellReading, Column, Finding, GridRow
from tests.services.catalog.conftest import ANNA, BEN, Count
from tests.support.catalogs import new_catalog
from tests.support.documents import law, reference, split, store

PARTS: tuple[type[Base], ...] = (
    TextRow,
    SectionRow,
    ChunkingRow,
    ChunkRow,
    ReferenceRow,
    ContentRow,
)


@pytest.fixture
def collection(catalog: Catalog) -> str:
    return catalog.collections.create(ANNA, "law", visibility="unlisted").collection_id


def test_a_deletion_is_seen_at_once_and_noted_until_it_is_finished(
    catalog: Catalog, collection: str, rows: Count
) -> None:
    document = store(catalog, collection, law("Erstens"))
    catalog.collections.subscribe(BEN, collection)
    catalog.deletions.begin(collection)
    assert catalog.collections.list(ANNA) == catalog.collections.list(BEN) == []
    assert [rows(each) for each in (MembershipRow, AliasRow, SubscriptionRow)] == [0, 0, 0]
    assert catalog.documents.collections_of(document) == []
    assert catalog.deletions.pending() == [collection]
    assert catalog.collections.create(ANNA, "law").collection_id != collection, "a free name"
    catalog.deletions.begin(collection)
    catalog.deletions.finish(collection)
    assert catalog.deletions.pending() == []


def test_documents_are_unused_when_no_collection_and_no_report_has_them(
    catalog: Catalog, collection: str
) -> None:
    other = catalog.collections.create(ANNA, "other").collection_id
    kept = store(catalog, collection, law("Geteilt"))
    store(catalog, other, law("Geteilt"))
    cited = store(catalog, collection, law("Zitiert"), name="b.txt")
    loose = store(catalog, collection, law("Niemandes"), name="c.txt")
    catalog.runs.create("t", ANNA, "Was gilt?", ["law"], {})
    report = {"question": f"Was steht in {loose}?", "sources": [{"document_id": cited}]}
    catalog.runs.update("t", report=report)
    assert catalog.deletions.unused() == []
    catalog.deletions.begin(collection)
    assert catalog.deletions.unused() == [loose]
    catalog.deletions.forget([loose])
    assert catalog.documents.text(kept) and catalog.documents.text(cited)
    assert catalog.documents.read_by(loose) is None


def test_a_forgotten_document_leaves_nothing_in_the_catalog(
    catalog: Catalog, collection: str, rows: Count
) -> None:
    parsed = law("Siehe § 2", "Zweitens")
    document = store(catalog, collection, parsed, references=(reference("§ 2", 6, "§ 2"),))
    newer = law("Siehe § 2", "Zweitens", "Drittens", version="test-2")
    store(catalog, collection, newer, data=parsed.text.encode())
    catalog.deletions.begin(collection)
    catalog.deletions.forget(catalog.deletions.unused())
    assert document and [rows(each) for each in PARTS] == [0] * len(PARTS)


def test_what_a_grid_read_stays_with_the_documents_that_it_quotes(
    catalog: Catalog, collection: str, rows: Count
) -> None:
    quoted = law("Zitiert")
    citation = Citation(
        document_id=store(catalog, collection, quoted),
        document="a.txt",
        section="",
        page=None,
        start=0,
        end=7,
        quote="Zitiert",
        verified=True,
    )
    finding = Finding(value="Ja", normal="yes", claim="Ja.", citations=(citation,))
    silent = law("Schweigt")
    texts = {
        citation.document_id: (quoted, CellReading(state="verified", findings=(finding,))),
        store(catalog, collection, silent, name="b.txt"): (
            silent,
            CellReading(state="absent", sections=1),
        ),
    }
    catalog.runs.create("grid", ANNA, "Was gilt?", ["law"], {}, "grid")
    grid = [GridRow(id=id, name=id, document_id=id, start=0, end=1) for id in texts]
    keys = [[(1, row.id)] for row in grid]
    catalog.grids.set_rows("grid", grid, [Column(id=1, question="?")], keys)
    catalog.grids.put([(id, text_id_of(text), reading) for id, (text, reading) in texts.items()])
    catalog.deletions.begin(collection)
    catalog.deletions.forget(catalog.deletions.unused())
    assert [cell.state for cell in catalog.grids.cells("grid")] == ["verified", "absent"]
    assert catalog.documents.text(citation.document_id) and rows(TextRow) == 1
    catalog.runs.delete("grid")
    catalog.deletions.forget(catalog.deletions.unused())
    assert rows(TextRow) == rows(ReadingRow) == 0


def test_a_text_of_two_documents_stays_with_the_other(catalog: Catalog, collection: str) -> None:
    other = catalog.collections.create(ANNA, "other").collection_id
    first = store(catalog, collection, law("Derselbe"), data=b"a")
    second = store(catalog, other, law("Derselbe"), data=b"b")
    catalog.deletions.begin(collection)
    catalog.deletions.forget([first])
    assert catalog.documents.text(second) == law("Derselbe").text
    assert catalog.chunks.of_member(other, second)


def test_what_was_forgotten_half_is_ingested_whole(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite3"
    parsed = law("Erstens", "Zweitens")
    with new_catalog(path) as catalog:
        collection = catalog.collections.create(ANNA, "law").collection_id
        document = store(catalog, collection, parsed)
        whole = catalog.chunks.of_member(collection, document)
        catalog.documents.remove(collection, document)
        with sqlite3.connect(path) as connection:  # as a kill in the middle of ``forget``
            connection.executescript(
                "DELETE FROM extractions; DELETE FROM contents; UPDATE texts SET complete = 0;"
                'DELETE FROM "references"; DELETE FROM chunks;'
            )
        assert store(catalog, collection, parsed) == document
        assert catalog.chunks.of_member(collection, document) == whole


def test_a_kill_between_document_and_text_is_made_good_the_next_time(
    catalog: Catalog, collection: str, rows: Count, database: Database
) -> None:
    document = store(catalog, collection, law("Erstens"))
    catalog.deletions.begin(collection)
    with database.connection() as connection:
        connection.exec_driver_sql("DELETE FROM extractions")
        connection.exec_driver_sql("DELETE FROM contents")
    assert rows(TextRow) == 1 and document not in catalog.deletions.unused()
    catalog.deletions.forget([])
    assert rows(TextRow) == 0


def test_a_cut_that_no_member_uses_any_more_is_forgotten(
    catalog: Catalog, collection: str, rows: Count
) -> None:
    parsed = law("Erstens", "Zweitens")
    other = catalog.collections.create(ANNA, "other").collection_id
    document = store(catalog, collection, parsed)
    store(catalog, other, parsed)
    kept = catalog.chunks.ids(other)
    catalog.documents.add_chunks(document, "sentence:300", split(parsed, 10))
    catalog.documents.mark_indexed(collection, document, chunking="sentence:300")
    assert rows(ChunkingRow) == 2
    catalog.deletions.begin(collection)
    catalog.deletions.forget([])
    assert rows(ChunkingRow) == 1
    assert rows(ChunkRow) == len(kept) and catalog.chunks.ids(other) == kept


def test_of_a_text_that_is_being_deleted_no_sections_are_remembered(
    catalog: Catalog, collection: str, database: Database
) -> None:
    parsed = law("Erstens", "Zweitens")
    store(catalog, collection, parsed)
    text_id, first = text_id_of(parsed), parsed.sections[0]
    with database.connection() as connection:  # as in the middle of ``forget``
        connection.exec_driver_sql("UPDATE texts SET complete = false")
        connection.exec_driver_sql("DELETE FROM sections")
    with pytest.raises(NotFound):
        catalog.documents.section_around(text_id, 0)
    store(catalog, collection, parsed)
    assert catalog.documents.section_around(text_id, 0) == (first.start, first.end)
