"""Documents, their texts and chunks: stored once, seen when indexed, left to who holds them."""

import os
import sqlite3
from pathlib import Path

import pytest

from services.catalog import Catalog, ids
from services.catalog.database import BATCH, Database
from services.catalog.models import ChunkRow, MembershipRow, SectionRow, TextRow
from services.catalog.texts import TextCache
from services.catalog.values import NewDocument, NewMember
from services.domain import ChunkSpan, ParsedDocument, Scope
from services.domain.errors import NotFound
from services.domain.notices import Notice
from tests.services.catalog.conftest import ANNA, BEN, Count
from tests.support.documents import PARSER, law, reference, split, store

LONG = "Der Grenzwert der effektiven Dosis beträgt 20 Millisievert im Kalenderjahr. " * 3


def status_of(catalog: Catalog, collection: str, document: str) -> str | None:
    member = catalog.documents.member(collection, document)
    return member and member.status


def scope(*collections: str) -> Scope:
    return Scope(user="anna", collections=collections)


def test_a_document_is_seen_only_when_it_is_indexed(catalog: Catalog, collection: str) -> None:
    document = store(catalog, collection, law("Der Grenzwert ist 20 Millisievert."), indexed=False)
    chunk_ids = [chunk.chunk_id for chunk in catalog.chunks.of_member(collection, document)]
    everything, indexed = scope(collection), False
    for _ in range(2):
        status, unfinished = ("indexed", []) if indexed else ("pending", ["gesetz.txt"])
        assert status_of(catalog, collection, document) == status
        assert catalog.documents.unfinished(collection) == unfinished
        listed = [info.document_id for info in catalog.documents.list(everything)]
        assert listed == [document] * indexed
        assert list(catalog.chunks.get(chunk_ids, scope=everything)) == chunk_ids * indexed
        assert catalog.chunks.ids(collection) == sorted(chunk_ids * indexed)
        assert len(catalog.references.aliases(everything)) == int(indexed)
        catalog.documents.mark_indexed(collection, document)
        indexed = True


def test_info_says_what_a_list_shows(catalog: Catalog, collection: str) -> None:
    parsed = law("Erstens", "Zweitens", title="Strahlenschutzgesetz")
    document = store(catalog, collection, parsed, name="StrlSchG.pdf")
    info = catalog.documents.info(document)
    assert catalog.documents.list(scope(collection)) == [info]
    assert info.ingested_at.endswith("+00:00")
    assert info.model_dump(exclude={"ingested_at", "tags", "category", "author", "date"}) == {
        "document_id": document,
        "sha256": document,
        "document": "StrlSchG.pdf",
        "title": "Strahlenschutzgesetz",
        "language": "de",
        "pages": 2,
        "sections": 2,
        "chunks": len(split(parsed)),
        "status": "indexed",
        "parser_version": PARSER,
    }
    plain = law("Drittens").model_copy(update={"pages": ()})
    unpaged = store(catalog, collection, plain)
    assert catalog.documents.info(unpaged).pages is None
    assert catalog.documents.parsed(unpaged).page_at(3) is None


def test_content_and_text_are_stored_once(
    catalog: Catalog, collection: str, other: str, rows: Count
) -> None:
    def counts() -> list[int]:
        return [rows(model) for model in (TextRow, SectionRow, ChunkRow, MembershipRow)]

    parsed = law("Erstens", "Zweitens")
    document, before = store(catalog, collection, parsed, name="a.txt"), counts()
    assert store(catalog, collection, parsed, name="a.txt", indexed=False) == document
    assert counts() == before
    assert status_of(catalog, collection, document) == "indexed"
    assert store(catalog, other, parsed, name="b.txt") == document
    assert counts() == [*before[:3], 2]
    assert [info.document for info in catalog.documents.list(scope(other))] == ["b.txt"]
    assert len(catalog.documents.list(scope(collection, other))) == 1
    assert catalog.documents.collections_of(document) == sorted([collection, other])


def test_files_of_the_same_words_have_their_own_pages_and_titles(
    catalog: Catalog, collection: str, rows: Count
) -> None:
    """Three files at once, of which the last has all in common with the first."""
    first = law("Erstens", "Zweitens")
    wider = first.model_copy(update={"pages": (0,), "title": "Anderes Gesetz"})
    texts = {"a" * 64: first, "b" * 64: wider, "c" * 64: first}
    new = [
        NewDocument(NewMember(key, f"{key[0]}.pdf", None, []), 9, parsed, cut_on_pages(parsed), ())
        for key, parsed in texts.items()
    ]
    catalog.documents.add(collection, *new)
    catalog.documents.mark_indexed(collection, *texts)
    assert rows(TextRow) == 2
    for key, parsed in texts.items():
        assert catalog.documents.parsed(key) == parsed
        assert catalog.documents.info(key).title == parsed.title
        last = catalog.chunks.of_member(collection, key)[-1]
        assert (last.page, last.title) == (len(parsed.pages), parsed.title)


def cut_on_pages(parsed: ParsedDocument) -> list[ChunkSpan]:
    page = parsed.page_at
    return [each.model_copy(update={"page": page(each.start)}) for each in split(parsed)]


def test_a_broken_off_add_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "broken.sqlite3"
    with Catalog.open(f"sqlite:///{path}") as broken:
        home = broken.collections.create(ANNA, "law").collection_id
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
        assert broken.documents.read_by(document) is None
        store(broken, home, parsed, references=(reference("§ 1", 0, "§ 1"),))
        assert broken.chunks.of_member(home, document) == whole
        assert len(broken.references.within(document, 0, 10)) == 1


def test_documents_go_in_all_or_none(catalog: Catalog, collection: str, rows: Count) -> None:
    with pytest.raises(NotFound):
        store(catalog, "nowhere", law("Erstens"))
    assert [rows(model) for model in (TextRow, SectionRow, ChunkRow)] == [0, 0, 0]


def test_a_document_of_many_rows_goes_in_whole(catalog: Catalog, collection: str) -> None:
    parsed = law(*(f"Absatz {n}" for n in range(BATCH + 20)))
    document = store(catalog, collection, parsed)
    assert len(catalog.documents.parsed(document).sections) == BATCH + 20
    found = catalog.chunks.get(catalog.chunks.ids(collection), scope=scope(collection))
    assert len(found) == len(split(parsed))


def test_a_newer_parser_makes_the_text_anew_and_keeps_the_old(
    catalog: Catalog, collection: str, other: str
) -> None:
    old, new = law("Alter Text", version="1"), law("Neuer Text", "Mehr", version="2")
    document = store(catalog, collection, old, data=b"file")
    store(catalog, other, old, data=b"file")
    old_chunks = set(catalog.chunks.ids(collection))
    store(catalog, collection, new, data=b"file", indexed=False)
    assert catalog.documents.text(document) == new.text
    assert catalog.documents.parsed(document, parser_version="1") == old
    assert catalog.documents.read_by(document) == "2"
    for each in (collection, other):
        assert status_of(catalog, each, document) == "pending"
        assert set(catalog.chunks.leftovers(each)) == old_chunks
    catalog.documents.mark_indexed(collection, document)
    assert not set(catalog.chunks.ids(collection)) & old_chunks
    catalog.chunks.forget_leftovers(other, sorted(old_chunks))
    assert catalog.chunks.leftovers(other) == []
    assert catalog.documents.parsed(document, parser_version="1") == old


def test_removing_takes_what_nobody_else_holds(
    catalog: Catalog, collection: str, other: str
) -> None:
    parsed = law("Erstens", "Zweitens")
    document = store(catalog, collection, parsed, name="a.txt")
    same_text = store(catalog, collection, parsed, name="b.txt", data=b"b")
    store(catalog, other, parsed)
    chunk_ids = catalog.chunks.ids(collection)
    catalog.documents.remove(collection, document)
    assert catalog.chunks.leftovers(collection) == []
    found = catalog.chunks.get(chunk_ids, scope=scope(collection))
    assert {chunk.document for chunk in found.values()} == {"b.txt"}
    catalog.documents.remove(collection, same_text)
    assert catalog.chunks.leftovers(collection) == catalog.chunks.ids(other) == chunk_ids
    assert status_of(catalog, collection, document) is None
    assert catalog.documents.list(scope(collection)) == []
    assert catalog.references.aliases(scope(collection)) == []
    assert len(catalog.documents.list(scope(other))) == 1


def test_removing_a_document_removes_its_retired_versions(
    catalog: Catalog, collection: str
) -> None:
    older = store(catalog, collection, law("Alt"), name="a.txt", data=b"1")
    newer = store(catalog, collection, law("Neu"), name="a.txt", data=b"2")
    catalog.documents.mark_indexed(collection, newer, retire=[older])
    namesake = store(catalog, collection, law("Anderer Ordner"), name="a.txt", data=b"3")
    for removed, status in ((namesake, "retired"), (newer, None)):
        catalog.documents.remove(collection, removed)
        assert status_of(catalog, collection, older) == status


def test_a_document_joins_a_collection_without_being_read_again(
    catalog: Catalog, collection: str, other: str
) -> None:
    document = store(catalog, collection, law("Erstens"))
    catalog.documents.attach(other, NewMember(document, "copy.txt", None, []))
    assert status_of(catalog, other, document) == "pending"
    catalog.documents.mark_indexed(other, document)
    assert [info.document for info in catalog.documents.list(scope(other))] == ["copy.txt"]


def test_two_files_with_one_text_have_warnings_of_their_own(
    catalog: Catalog, collection: str
) -> None:
    plain = law("Erstens")
    struck = plain.model_copy(update={"warnings": (Notice.of("struck-out passages", count=2),)})
    for name, parsed in (("a.docx", struck), ("b.docx", plain)):
        document = store(catalog, collection, parsed, name=name, data=name.encode())
        (text_id,) = catalog.archiving.texts_of(document)
        assert catalog.documents.parsed(document) == parsed
        assert catalog.archiving.text(document, text_id)[0] == parsed


def test_a_text_is_read_whole_by_span_and_by_section(catalog: Catalog, collection: str) -> None:
    parsed = law("Erstens 😀 über", LONG)
    document = store(catalog, collection, parsed)
    documents, (_, second) = catalog.documents, parsed.sections
    assert documents.text(document) == parsed.text
    assert documents.parsed(document) == parsed
    assert documents.parsed(document) is documents.parsed(document), "read once"
    assert [parsed.page_at(second.start + n) for n in (-1, 0)] == [1, 2]
    for chunk in catalog.chunks.of_member(collection, document):
        section = documents.section_around(chunk.text_id, chunk.start)
        assert documents.section_of(document, chunk.start) == section
        assert parsed.sections[parsed.section_at(chunk.start)].heading_path == chunk.heading_path
        assert section in [(each.start, each.end) for each in parsed.sections]
        assert chunk.text == documents.text_of(chunk.text_id)[chunk.start : chunk.end]


def test_chunks_are_read_by_id_section_and_neighbourhood(catalog: Catalog, collection: str) -> None:
    parsed = law(LONG, LONG, title="Strahlenschutzgesetz")
    document = store(catalog, collection, parsed, name="StrlSchG.pdf")
    chunks, inside = catalog.chunks, scope(collection)
    wanted = chunks.ids(collection)[::-1]
    found = chunks.get([*wanted, "unknown"], scope=inside)
    assert list(found) == wanted, "in the order asked for"
    for chunk in found.values():
        assert (chunk.document, chunk.title) == ("StrlSchG.pdf", "Strahlenschutzgesetz")
        assert chunk.section == f"§ {chunk.page}"
        assert chunk.heading_path == (f"§ {chunk.page} Überschrift",)
    section = chunks.of_section(document, "§ 2", scope=inside)
    span = parsed.sections[1]
    assert "".join(chunk.text for chunk in section) == parsed.text[span.start : span.end]
    assert chunks.of_section(document, "§ 22", scope=inside) == []
    in_memory = chunks.of_documents([document, "unknown"], scope=inside)
    assert list(in_memory) == [document]
    assert in_memory[document].of_section("§ 2") == section
    assert in_memory[document].between(section[1].start, section[2].start) == [
        chunk
        for chunk in section
        if chunk.end > section[1].start and chunk.start < section[2].start
    ]
    assert len(in_memory[document].between(0, len(parsed.text))) == len(wanted)
    beside = [
        (section[2], [section[1], section[3]]),
        (section[0], [section[1]]),
        (section[-1], [section[-2]]),
    ]
    for chunk, expected in beside:
        assert chunks.neighbours(chunk.chunk_id, scope=inside) == expected
    assert chunks.neighbours("unknown", scope=inside) == []


def test_nothing_outside_the_scope_is_found(catalog: Catalog, collection: str) -> None:
    parsed = law(LONG, title="Atomgesetz")
    document = store(catalog, collection, parsed, name="AtG.docx")
    foreign = catalog.collections.create(BEN, "law").collection_id
    outside = Scope(user="ben", collections=(foreign,))
    chunk_ids = catalog.chunks.ids(collection)
    for nothing in (outside, Scope(user="ben", collections=())):
        assert catalog.chunks.get(chunk_ids, scope=nothing) == {}
        assert catalog.chunks.of_section(document, "§ 1", scope=nothing) == []
        assert catalog.chunks.of_documents([document], scope=nothing) == {}
        assert catalog.chunks.neighbours(chunk_ids[0], scope=nothing) == []
        assert catalog.references.aliases(nothing) == []
    store(catalog, foreign, parsed, name="mine.txt")
    found = catalog.chunks.get(chunk_ids, scope=outside)
    assert {chunk.document for chunk in found.values()} == {"mine.txt"}
    aliases = catalog.references.aliases(scope(collection, foreign))
    assert {(alias.document_id, alias.document, alias.alias) for alias in aliases} == {
        (document, "AtG.docx", "Atomgesetz"),
        (document, "mine.txt", "Atomgesetz"),
    }


def test_references_are_found_by_span(catalog: Catalog, collection: str) -> None:
    found = (reference("§ 3", 20, "§ 3"), reference("§ 4", 50, "§ 4"), reference("§ 4", 50, "§ 5"))
    document = store(catalog, collection, law(LONG), references=found)
    text_id = next(iter(catalog.chunks.of_member(collection, document))).text_id
    for span, expected in (((0, 100), found), ((20, 50), found[:1]), ((21, 51), found[1:])):
        assert catalog.references.within(document, *span) == list(expected)
        assert catalog.references.of_spans([(text_id, *span)]) == [(text_id, e) for e in expected]
    assert catalog.references.of_spans([]) == []
    assert catalog.references.within("f" * 64, 0, 100) == []


def test_what_does_not_exist_is_not_found(catalog: Catalog, collection: str, other: str) -> None:
    documents, document = catalog.documents, store(catalog, collection, law("Erstens"))
    for call in (
        lambda: documents.attach("nowhere", NewMember(document, "a", None, [])),
        lambda: documents.attach(collection, NewMember("f" * 64, "a", None, [])),
        lambda: documents.text("f" * 64),
        lambda: documents.text_of("0" * 64),
        lambda: documents.parsed(document, parser_version="never"),
        lambda: documents.info(document, scope=scope(other)),
    ):
        with pytest.raises(NotFound):
            call()
    assert documents.info(document, scope=scope(collection)).document_id == document


def test_identities_are_those_of_the_content() -> None:
    text_id = ids.words_id("Text", "1")
    assert len({text_id, ids.words_id("Text", "2"), ids.words_id("Texte", "1")}) == 3
    cuts = [("fixed:9:0", 0, 5), ("fixed:9:0", 0, 6), ("fixed:9:1", 0, 5), ("fixed:9:0", 1, 5)]
    made = {ids.chunk_id(text_id, *cut) for cut in cuts}
    assert len(made) == len(cuts) and {len(each) for each in made} == {32}


def test_texts_stay_in_memory_while_there_is_room(
    catalog: Catalog, collection: str, database: Database
) -> None:
    bodies = ("A" * 50, "B" * 50, "C" * 50, "D" * 500)
    a, b, c, large = (
        catalog.chunks.of_member(collection, store(catalog, collection, law(body)))[0].text_id
        for body in bodies
    )
    cache = TextCache(capacity=2 * len(law(bodies[0]).text))

    def text(text_id: str) -> str:
        with database.read() as session:
            return cache.get(session, [text_id, ids.words_id("never stored", "1")])[text_id].text

    first, second = text(a), text(b)
    assert (text(b), text(a)) == (second, first) and text(a) is first
    text(c)
    assert text(a) is first and text(b) is not second, "the least lately used goes first"
    assert text(large) is not text(large) and text(a) is first, "it has no room"


def test_what_is_attached_to_a_mail_goes_with_it_and_nothing_else(
    catalog: Catalog, collection: str
) -> None:
    sources = {
        "a_b.eml": "/mails/a_b.eml",
        "a_b.eml / x.txt": f"/mails/a_b.eml{os.sep}x.txt",
        "a_b.eml / in.eml / y.txt": f"/mails/a_b.eml{os.sep}in.eml{os.sep}y.txt",
        "a_b.eml / of another.txt": f"/others/a_b.eml{os.sep}of another.txt",
        "A_B.eml / of the other case.txt": f"/mails/A_B.eml{os.sep}of the other case.txt",
        "acb.eml / z.txt": f"/mails/acb.eml{os.sep}z.txt",
    }
    stored = {}
    for name, source in sources.items():
        stored[name] = store(catalog, collection, law(f"Text von {name}."), name=name)
        catalog.documents.attach(collection, NewMember(stored[name], name, source, []))
    catalog.documents.retire(collection, stored["a_b.eml / x.txt"])
    catalog.documents.remove(collection, stored["a_b.eml"], by="anna")
    left = {info.document for info in catalog.documents.list(scope(collection))}
    assert left == {
        "A_B.eml / of the other case.txt", "a_b.eml / of another.txt", "acb.eml / z.txt",
    }  # fmt: skip
    assert catalog.documents.member(collection, stored["a_b.eml / x.txt"]) is None
    binned = [each.document for each in catalog.bin.list(collection)]
    assert sorted(binned) == ["a_b.eml", "a_b.eml / in.eml / y.txt"]
