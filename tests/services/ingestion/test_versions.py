"""A file again with other settings, or with other content: what is found, what stays citable."""

import hashlib
import shutil
import uuid
from pathlib import Path
from typing import Any

import pytest

from services.domain import Chunking, ParsedDocument, Principal
from services.library.library import Library
from tests.support.ingestion import Bench, HeadingParser, sections
from tests.support.library_parts import text_of

LONG = "".join(f"§ {n} Titel\n" + f"Satz {n} steht hier. " * 40 + "\n\n" for n in range(1, 6))
OLD = "§ 1 Zweck\nDer Grenzwert ist 20 Millisievert.\n"
NEW = "§ 1 Zweck\nDer Grenzwert ist 6 Millisievert.\n"
FIXED = Chunking(strategy="fixed", size=300, overlap=50)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "files" / "gesetz.txt"
    path.parent.mkdir()
    path.write_text(LONG)
    return path


def ingest(bench: Bench, path: Path, chunking: Chunking | None = None, to: str = "law") -> str:
    (status,) = bench.statuses(path, chunking=chunking, collection=to)
    return status


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "other", [Chunking(strategy="sentence", size=200, overlap=0), FIXED, Chunking(overlap=100)]
)
def test_other_settings_cut_and_index_anew_without_reading(
    bench: Bench, file: Path, other: Chunking
) -> None:
    assert ingest(bench, file) == "added"
    before, version = bench.chunk_ids(), bench.catalog.collections.get(bench.collection())
    bench.events.clear()
    assert ingest(bench, file, other) == "updated"
    assert list(dict.fromkeys(bench.stages("gesetz.txt"))) == ["chunk", "embed", "index", "done"]
    assert len(bench.parser.read) == 1
    assert bench.chunk_ids() and not bench.chunk_ids() & before
    assert bench.agrees()
    info = bench.catalog.collections.get(bench.collection())
    assert (info.documents, info.chunks) == (1, len(bench.chunk_ids()))
    assert info.content_version > version.content_version
    assert ingest(bench, file, other) == "unchanged"
    assert bench.catalog.documents.count_chunks(sha256(LONG), other.key)
    assert ingest(bench, file) == "updated" and bench.chunk_ids() == before
    assert not bench.catalog.documents.count_chunks(sha256(LONG), other.key), (
        "nobody uses these chunks"
    )
    assert bench.catalog.documents.count_chunks(sha256(LONG), Chunking().key) == len(before)


def test_a_newer_parser_reads_anew_and_keeps_the_chunking_of_every_collection(
    bench: Bench, file: Path
) -> None:
    ingest(bench, file)
    ingest(bench, file, FIXED, to="other")
    old = bench.chunk_ids() | bench.chunk_ids("other")
    bench.parser = HeadingParser(version="2")
    assert ingest(bench, file) == "updated"
    assert bench.agrees() and bench.agrees("other")
    document = bench.catalog.documents.member(bench.collection("other"), sha256(LONG))
    assert document is not None
    assert (document.status, document.chunking) == ("indexed", FIXED.key)
    new = bench.chunk_ids(), bench.chunk_ids("other")
    assert all(new) and not new[0] & new[1] and not old & (new[0] | new[1])
    assert ingest(bench, file, FIXED, to="other") == "unchanged"


def test_a_changed_file_is_a_new_version_and_may_change_back(bench: Bench, file: Path) -> None:
    old: set[str] = set()
    for content, status in ((OLD, "added"), (NEW, "updated"), (OLD, "updated"), (OLD, "unchanged")):
        file.write_text(content)
        assert ingest(bench, file) == status
        assert bench.agrees() and bench.names() == ["gesetz.txt"]
        (listed,) = bench.catalog.documents.list(bench.scope())
        aliases = bench.catalog.references.aliases(bench.scope())
        assert {alias.document_id for alias in aliases} == {listed.document_id} == {sha256(content)}
        if status == "updated":
            assert not old & bench.chunk_ids()
            assert bench.catalog.chunks.get(sorted(old), scope=bench.scope()) == {}
        assert bench.catalog.collections.get(bench.collection()).documents == 1
        old = bench.chunk_ids()


def test_documents_that_old_reports_cite_can_still_be_opened(bench: Bench, file: Path) -> None:
    file.write_text(OLD)
    ingest(bench, file)
    file.write_text(NEW)
    ingest(bench, file)
    documents, old = bench.catalog.documents, sha256(OLD)
    assert documents.text(old) == OLD
    start = OLD.index("20")
    assert documents.text(old)[start : start + 2] == "20"
    assert documents.parsed(old).sections[0].label == "§ 1"
    assert documents.info(old, scope=bench.scope()).status == "retired"
    assert (bench.home / "originals" / old).read_text() == OLD

    class Parts:
        catalog = bench.catalog

    library = Library(Parts())  # type: ignore[arg-type]
    assert text_of(library, Principal(), old) == OLD
    assert [info.document_id for info in library.documents(Principal())] == [sha256(NEW)]


def test_a_version_with_the_same_text_keeps_its_chunks(bench: Bench, file: Path) -> None:
    class TextOnly(HeadingParser):
        """Passes over what follows the text, as metadata of a file does."""

        def __call__(self, path: Path, **options: Any) -> ParsedDocument:
            parsed = super().__call__(path, **options)
            text = parsed.text.partition("%%")[0]
            return parsed.model_copy(update={"text": text, "sections": tuple(sections(text))})

    bench.parser = TextOnly()
    file.write_text(OLD)
    ingest(bench, file)
    chunks, embedded = bench.chunk_ids(), len(bench.embedder.embedded)
    file.write_text(f"{OLD}%%saved again")
    assert ingest(bench, file) == "updated"
    assert bench.chunk_ids() == chunks and bench.agrees()
    assert len(bench.embedder.embedded) == embedded
    (listed,) = bench.catalog.documents.list(bench.scope())
    assert listed.document_id == sha256(f"{OLD}%%saved again")


def test_files_of_one_name_in_two_folders_are_no_versions_of_each_other(
    bench: Bench, file: Path
) -> None:
    twin = file.parent / "deep" / file.name
    twin.parent.mkdir()
    file.write_text(OLD)
    twin.write_text(LONG)
    report = bench.ingest(file.parent)
    assert [outcome.status for outcome in report.files] == ["added", "added"]
    file.write_text(NEW)
    report = bench.ingest(file.parent)
    assert sorted(outcome.status for outcome in report.files) == ["unchanged", "updated"]
    assert {info.document_id for info in bench.catalog.documents.list(bench.scope())} == {
        sha256(NEW),
        sha256(LONG),
    }
    assert bench.agrees()


def test_uploads_are_versions_of_the_same_path_alone(bench: Bench, tmp_path: Path) -> None:
    contents = {"Nord/a.txt": OLD, "Sued/a.txt": NEW, "West/a.txt": LONG}
    for path, text in [*contents.items(), ("Nord/a.txt", LONG + OLD)]:
        upload = tmp_path / "uploads" / uuid.uuid4().hex
        file = upload / "0" / path
        file.parent.mkdir(parents=True)
        file.write_text(text)
        ingest(bench, file)
        shutil.rmtree(upload)
    listed = {info.document_id for info in bench.catalog.documents.list(bench.scope())}
    assert listed == set(map(sha256, (NEW, LONG, LONG + OLD)))


def test_a_renamed_file_gets_its_new_name_and_versions_under_it(bench: Bench, file: Path) -> None:
    file.write_text(OLD)
    ingest(bench, file)
    renamed = file.rename(file.with_name("neu.txt"))
    assert ingest(bench, renamed) == "unchanged"
    assert bench.names() == ["neu.txt"]
    renamed.write_text(NEW)
    assert ingest(bench, renamed) == "updated"
    assert bench.names() == ["neu.txt"]


def test_a_copy_outlives_the_change_of_its_twin(bench: Bench, file: Path) -> None:
    copy = file.with_name("aaa.txt")
    file.write_text(OLD)
    ingest(bench, file)
    copy.write_text(OLD)
    file.write_text(NEW)
    bench.ingest(file.parent)
    assert bench.names() == ["aaa.txt", "gesetz.txt"]
    assert bench.agrees()


def test_a_stated_language_counts_for_a_text_that_is_there(bench: Bench, file: Path) -> None:
    def languages(collection: str) -> list[str]:
        return [info.language for info in bench.catalog.documents.list(bench.scope(collection))]

    assert bench.statuses(file) == ["added"] and languages("law") == ["de"]
    assert bench.statuses(file, language="en") == ["updated"] and languages("law") == ["en"]
    assert bench.statuses(file) == bench.statuses(file, language="en") == ["unchanged"]
    assert bench.statuses(file, language="es", collection="other") == ["added"]
    assert languages("law") == languages("other") == ["es"]
    assert bench.agrees("law") and bench.agrees("other")
