import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from services.catalog import Catalog, ids
from services.catalog.database import BATCH, Database
from services.catalog.models import Base, ChunkRow, MembershipRow, SectionRow, TextRow
from services.domain import Principal, Scope
from services.domain.errors import NotFound
from tests.support.documents import PARSER, law, reference, split, store


def scope(*collections: str) -> Scope:
    return Scope(user="anna", collections=collections)


def rows(url: str, model: type[Base]) -> int:
    database = Database(url)
    with database.read() as session:
        count = session.scalar(select(func.count()).select_from(model))
    database.close()
    return count or 0


def test_a_document_is_seen_only_when_it_is_indexed(catalog: Catalog, collection: str) -> None:
    parsed = law("Der Grenzwert ist 20 Millisievert.")
    document = store(catalog, collection, parsed, indexed=False)
    chunk_ids = [chunk.chunk_id for chunk in catalog.chunks.of_member(collection, document)]
    everything = scope(collection)
    assert catalog.documents.membership(collection, document) == "pending"
    assert catalog.documents.unfinished(collection) == ["gesetz.txt"]
    assert catalog.documents.list(everything) == []
    assert catalog.chunks.get(chunk_ids, scope=everything) == {}
    assert catalog.chunks.ids(collection) == []
    assert catalog.references.aliases(everything) == []
    catalog.documents.mark_indexed(collection, document)
    assert catalog.documents.membership(collection, document) == "indexed"
    assert catalog.documents.unfinished(collection) == []
    assert [info.document_id for info in catalog.documents.list(everything)] == [document]
    assert list(catalog.chunks.get(chunk_ids, scope=everything)) == chunk_ids
    assert catalog.chunks.ids(collection) == sorted(chunk_ids)
    assert len(catalog.references.aliases(everything)) == 1


def test_info_says_what_a_list_shows(catalog: Catalog, collection: str) -> None:
    parsed = law("Erstens", "Zweitens", title="Strahlenschutzgesetz")
    document = store(catalog, collection, parsed, name="StrlSchG.pdf")
    info = catalog.documents.info(document)
    assert info.document_id == info.sha256 == document
    assert (info.document, info.title, info.language) == (
        "StrlSchG.pdf",
        "Strahlenschutzgesetz",
        "de",
    )
    assert (info.pages, info.sections, info.chunks) == (2, 2, len(split(parsed)))
    assert (info.status, info.parser_version) == ("indexed", PARSER)
    assert info.ingested_at.endswith("+00:00")
    assert catalog.documents.list(scope(collection)) == [info]


def test_a_format_without_pages_has_none(catalog: Catalog, collection: str) -> None:
    parsed = law("Erstens").model_copy(update={"pages": ()})
    document = store(catalog, collection, parsed)
    assert catalog.documents.info(document).pages is None
    assert catalog.documents.page_of(document, 3) is None


def test_adding_again_changes_nothing(catalog: Catalog, collection: str, url: str) -> None:
    def counts() -> list[int]:
        return [rows(url, model) for model in (TextRow, SectionRow, ChunkRow, MembershipRow)]

    parsed = law("Erstens", "Zweitens")
    first, before = store(catalog, collection, parsed), counts()
    assert store(catalog, collection, parsed, indexed=False) == first
    assert counts() == before
    assert catalog.documents.membership(collection, first) == "indexed"


def test_two_collections_share_content_and_text(
    catalog: Catalog, collection: str, other: str, url: str
) -> None:
    parsed = law("Erstens", "Zweitens")
    document = store(catalog, collection, parsed, name="a.txt")
    assert store(catalog, other, parsed, name="b.txt") == document
    assert rows(url, TextRow) == 1
    assert rows(url, ChunkRow) == len(split(parsed))
    assert rows(url, MembershipRow) == 2
    assert [info.document for info in catalog.documents.list(scope(other))] == ["b.txt"]
    assert len(catalog.documents.list(scope(collection, other))) == 1
    assert catalog.documents.collections_of(document) == sorted([collection, other])


def test_a_broken_off_add_is_begun_anew(
    catalog: Catalog, collection: str, tmp_path: Path, anna: Principal
) -> None:
    path = tmp_path / "broken.sqlite3"
    with Catalog.open(f"sqlite:///{path}") as broken:
        home = broken.collections.create(anna, "law").collection_id
        parsed = law("Erstens", "Zweitens", "Drittens")
        document = store(broken, home, parsed, references=(reference("§ 1", 0, "§ 1"),))
        whole = broken.chunks.of_member(home, document)
        with sqlite3.connect(path) as connection:  # as a kill between two transactions leaves it
            connection.executescript(
                "DELETE FROM aliases; DELETE FROM memberships; DELETE FROM extractions;"
                'DELETE FROM contents; DELETE FROM "references"; DELETE FROM chunks WHERE n > 1;'
                "UPDATE chunks SET section = 'wrong'; UPDATE texts SET complete = 0;"
                "UPDATE chunkings SET complete = 0;"
            )
        assert not broken.documents.holds(document, PARSER)
        store(broken, home, parsed, references=(reference("§ 1", 0, "§ 1"),))
        assert broken.chunks.of_member(home, document) == whole
        assert len(broken.references.within(document, 0, 10)) == 1


def test_rows_go_in_by_transactions_of_at_most_500(catalog: Catalog, collection: str) -> None:
    parsed = law(*(f"Absatz {n}" for n in range(BATCH + 20)))
    document = store(catalog, collection, parsed)
    assert len(catalog.documents.sections(document)) == BATCH + 20
    assert len(catalog.chunks.get(catalog.chunks.ids(collection), scope=scope(collection))) == len(
        split(parsed)
    )


def test_a_newer_parser_makes_the_text_anew_and_keeps_the_old(
    catalog: Catalog, collection: str, other: str
) -> None:
    old, new = law("Alter Text", version="1"), law("Neuer Text", "Mehr", version="2")
    document = store(catalog, collection, old, data=b"file")
    store(catalog, other, old, data=b"file")
    old_chunks = set(catalog.chunks.ids(collection))
    store(catalog, collection, new, data=b"file", indexed=False)
    assert catalog.documents.text(document) == new.text
    assert catalog.documents.text(document, parser_version="1") == old.text
    assert catalog.documents.text_slice(document, 0, 3, parser_version="1") == old.text[:3]
    assert not catalog.documents.holds(document, "1")
    for each in (collection, other):
        assert catalog.documents.membership(each, document) == "pending"
        assert set(catalog.chunks.leftovers(each)) == old_chunks
    catalog.documents.mark_indexed(collection, document)
    assert not set(catalog.chunks.ids(collection)) & old_chunks
    catalog.chunks.forget_leftovers(other, sorted(old_chunks))
    assert catalog.chunks.leftovers(other) == []
    assert catalog.documents.text(document, parser_version="1") == old.text


def test_removing_from_one_collection_leaves_the_other(
    catalog: Catalog, collection: str, other: str
) -> None:
    parsed = law("Erstens", "Zweitens")
    document = store(catalog, collection, parsed)
    store(catalog, other, parsed)
    catalog.documents.remove(collection, document)
    assert catalog.chunks.leftovers(collection) == catalog.chunks.ids(other)
    assert catalog.documents.membership(collection, document) is None
    assert catalog.documents.list(scope(collection)) == []
    assert catalog.references.aliases(scope(collection)) == []
    assert len(catalog.documents.list(scope(other))) == 1


def test_removing_one_of_two_files_with_the_same_text_keeps_its_chunks(
    catalog: Catalog, collection: str
) -> None:
    parsed = law("Derselbe Text")
    first = store(catalog, collection, parsed, name="a.txt", data=b"a")
    store(catalog, collection, parsed, name="b.txt", data=b"b")
    chunk_ids = catalog.chunks.ids(collection)
    catalog.documents.remove(collection, first)
    assert catalog.chunks.leftovers(collection) == []
    found = catalog.chunks.get(chunk_ids, scope=scope(collection))
    assert {chunk.document for chunk in found.values()} == {"b.txt"}


def test_a_document_joins_a_collection_without_being_read_again(
    catalog: Catalog, collection: str, other: str
) -> None:
    document = store(catalog, collection, law("Erstens"))
    catalog.documents.attach(other, document, document="copy.txt", source=None, aliases=[])
    assert catalog.documents.membership(other, document) == "pending"
    catalog.documents.mark_indexed(other, document)
    assert [info.document for info in catalog.documents.list(scope(other))] == ["copy.txt"]


def test_text_pages_and_sections(catalog: Catalog, collection: str) -> None:
    parsed = law("Erstens 😀 über", "Zweitens")
    document = store(catalog, collection, parsed)
    documents = catalog.documents
    second = parsed.sections[1]
    assert documents.text(document) == parsed.text
    assert documents.parsed(document) == parsed
    assert documents.parsed(document) is documents.parsed(document), "read once"
    assert documents.sections(document) == list(parsed.sections)
    assert documents.text_slice(document, second.start, second.end).startswith("§ 2")
    assert documents.text_slice(document, second.start, 10**9) == parsed.text[second.start :]
    assert documents.text_slice(document, -5, 3) == parsed.text[:3]
    assert documents.page_of(document, second.start - 1) == 1
    assert documents.page_of(document, second.start) == 2


def test_what_does_not_exist_is_not_found(catalog: Catalog, collection: str, other: str) -> None:
    documents, document = catalog.documents, store(catalog, collection, law("Erstens"))
    named: dict[str, Any] = {"document": "a", "source": None, "aliases": []}
    for call in (
        lambda: documents.attach("nowhere", document, **named),
        lambda: documents.attach(collection, "f" * 64, **named),
        lambda: documents.text("f" * 64),
        lambda: documents.text_of("0" * 64),
        lambda: documents.text(document, parser_version="never"),
        lambda: documents.info(document, scope=scope(other)),
    ):
        with pytest.raises(NotFound):
            call()
    assert documents.info(document, scope=scope(collection)).document_id == document


def test_identities_are_those_of_the_content() -> None:
    text_id = ids.text_id("Text", "1")
    assert len({text_id, ids.text_id("Text", "2"), ids.text_id("Texte", "1")}) == 3
    assert len(text_id) == 64
    cuts = [("fixed:9:0", 0, 5), ("fixed:9:0", 0, 6), ("fixed:9:1", 0, 5), ("fixed:9:0", 1, 5)]
    made = {ids.chunk_id(text_id, *cut) for cut in cuts}
    assert len(made) == len(cuts) and {len(each) for each in made} == {32}


def test_removing_a_document_removes_its_retired_versions(
    catalog: Catalog, collection: str
) -> None:
    older = store(catalog, collection, law("Alt"), name="a.txt", data=b"1")
    newer = store(catalog, collection, law("Neu"), name="a.txt", data=b"2")
    catalog.documents.mark_indexed(collection, newer, retire=[older])
    namesake = store(catalog, collection, law("Anderer Ordner"), name="a.txt", data=b"3")
    catalog.documents.remove(collection, namesake)
    assert catalog.documents.membership(collection, older) == "retired"
    catalog.documents.remove(collection, newer)
    assert catalog.documents.membership(collection, older) is None


def test_a_passage_knows_its_text_and_section(catalog: Catalog, collection: str) -> None:
    parsed = law("Der Grenzwert ist 20 Millisievert.", "Er gilt im Jahr.")
    document = store(catalog, collection, parsed)
    for chunk in catalog.chunks.of_member(collection, document):
        start, end = catalog.documents.section_around(chunk.text_id, chunk.start)
        assert catalog.documents.section_of(chunk.document_id, chunk.start) == (start, end)
        assert catalog.documents.headings_of(chunk.document_id, chunk.start) == chunk.heading_path
        assert (start, end) in [(each.start, each.end) for each in parsed.sections]
        assert start <= chunk.start < chunk.end <= end
        assert catalog.documents.text_of(chunk.text_id) == parsed.text
