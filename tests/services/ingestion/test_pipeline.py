"""Files on their way into a collection: what is kept, told, found, shared, refused and removed."""

import hashlib
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest

from services.catalog import Member
from services.domain import FileOutcome, MetadataChanges, RemovedFile
from services.domain.errors import EmbeddingMismatch, NotFound
from services.domain.events import DocumentProgress
from services.ingestion.files import FileCandidate, is_from, is_gone_from
from services.ingestion.indexing import TextIngestor
from services.ingestion.pipeline import Ingestor, is_renamed
from services.retrieval.embedding import BATCH
from services.settings import Settings
from tests.support.ingestion import Bench, CountingEmbedder, Killed

DOSE = "§ 1 Zweck\nSchutz des Menschen.\n\n§ 2 Grenzwert\nSiehe § 1: 20 Millisievert im Jahr.\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "gesetz.txt"
    path.write_text(DOSE)
    return path


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    path = tmp_path / "long.txt"
    sections = (f"§ {n} Titel {n}\nDer Absatz Nummer {n} gilt.\n\n" for n in range(1, 3 * BATCH))
    path.write_text("".join(sections))
    return path


def only(files: tuple[FileOutcome, ...]) -> FileOutcome:
    (outcome,) = files
    return outcome


def test_an_ingested_file_can_be_found(bench: Bench, file: Path) -> None:
    report = bench.ingest(file)
    outcome = only(report.files)
    assert (outcome.status, outcome.document, outcome.chunks) == ("added", "gesetz.txt", 2)
    assert outcome.document_id == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (report.collection, report.chunks) == ("law", 2)
    assert report.seconds >= report.parse_s + report.embed_s + report.index_s > 0
    assert bench.agrees()
    collection = bench.collection()
    best, _ = bench.lexical.search(collection, "Millisievert", 1)[0]
    chunk = bench.catalog.chunks.get([best], scope=bench.scope())[best]
    assert (chunk.section, chunk.document) == ("§ 2", "gesetz.txt")
    assert chunk.text == DOSE[chunk.start : chunk.end]
    info = bench.catalog.documents.info(outcome.document_id)
    assert (info.title, info.sections, info.language, info.status) == ("gesetz", 2, "de", "indexed")
    references = bench.catalog.references.within(outcome.document_id, chunk.start, chunk.end)
    assert "§ 1" in [reference.label for reference in references]
    assert "gesetz" in [alias.alias for alias in bench.catalog.references.aliases(bench.scope())]
    assert bench.catalog.collections.get(collection).content_version == 1
    file.unlink()
    kept = bench.home / "originals" / outcome.document_id
    assert kept.read_text() == DOSE and list(kept.parent.iterdir()) == [kept]


def test_the_same_bytes_are_one_document_and_are_read_once(
    bench: Bench, file: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "kopie.txt"
    copy.write_bytes(file.read_bytes())
    assert bench.statuses(file, copy) == ["added", "unchanged"]
    assert bench.names() == ["gesetz.txt"]
    embedded = len(bench.embedder.embedded)
    assert bench.statuses(file, collection="other") == ["added"]
    assert (len(bench.parser.read), len(bench.embedder.embedded)) == (1, embedded)
    for name in ("law", "other"):
        assert bench.agrees(name) and bench.names(name) == ["gesetz.txt"]


def test_folders_are_walked_for_supported_files(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    (folder / "deep" / ".git").mkdir(parents=True)
    for name in ("b.md", "a.txt", "deep/c.TXT", "deep/.git/d.txt", ".hidden.txt", "image.png"):
        (folder / name).write_text(f"§ 1 {name}\nText von {name}.")
    for name in ("~$b.md", ".~lock.a.txt#"):
        (folder / name).write_text("Anna has it open.")
    report = bench.ingest(folder, folder / "a.txt")
    assert report.other_formats == {".png": 1, ".~lock.": 1, "~$": 1}
    found = [(outcome.document, outcome.status) for outcome in report.files]
    assert found == [("a.txt", "added"), ("b.md", "added"), ("c.TXT", "added")]


def test_a_name_is_the_same_however_its_accents_are_written(bench: Bench, tmp_path: Path) -> None:
    for number, form in enumerate(("NFC", "NFD")):
        file = tmp_path / str(number) / unicodedata.normalize(form, "Büro.txt")
        file.parent.mkdir()
        file.write_text(f"Version {number}.")
        bench.ingest(file)
        file.unlink()
    assert bench.names() == ["Büro.txt"]


@pytest.mark.parametrize("name", ["Rechnung Nr.\xa05.txt", "1\u202f000.txt"])
def test_a_name_may_have_no_break_spaces(bench: Bench, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Satz.")
    (file,) = bench.ingest(tmp_path / name).files
    assert (file.status, file.document) == ("added", name) and file.path.endswith(name)


def test_a_bad_file_is_named_and_the_others_go_in(bench: Bench, file: Path, tmp_path: Path) -> None:
    bad, empty, undecodable = (tmp_path / name for name in ("bad.txt", "empty.txt", "latin.txt"))
    bad.write_text("%broken")
    empty.write_text("")
    undecodable.write_bytes(b"\xff\xfe\xfd")
    (tmp_path / "nothing").mkdir()
    paths = [bad, empty, undecodable, tmp_path / "missing.txt", tmp_path / "nothing", file]
    assert bench.statuses(bad) == ["failed"]
    assert bench.catalog.collections.fingerprint(bench.collection()) is None, "bound to no model"
    report = bench.ingest(*paths)
    assert [outcome.status for outcome in report.files] == ["failed"] * 5 + ["added"]
    for path, outcome in zip(paths[:5], report.files, strict=False):
        assert outcome.document == path.name and outcome.document_id is None and outcome.error
        assert bench.stages(path.name)[-1] == "failed"
    assert "contains no text" in str(report.files[1].error)
    assert ".docx" in str(report.files[4].error)
    assert bench.agrees()


def test_progress_is_reported_at_every_stage_and_batch(bench: Bench, long_file: Path) -> None:
    bench.ingest(long_file)
    stages = bench.stages("long.txt")
    assert list(dict.fromkeys(stages)) == ["parse", "chunk", "embed", "index", "done"]
    told = [event for event in bench.events if isinstance(event, DocumentProgress)]
    embed = [event for event in told if event.stage == "embed"]
    done = [event.done for event in embed]
    assert len(embed) >= 3 and done == sorted(done)
    assert done[0] == 0 and done[-1] == embed[-1].total
    assert max(b - a for a, b in pairwise(done)) <= BATCH


def test_a_killed_ingestion_is_finished_without_embedding_twice(
    bench: Bench, long_file: Path
) -> None:
    bench.embedder = CountingEmbedder(dies_after=BATCH)
    with pytest.raises(Killed):
        bench.ingest(long_file)
    embedded = set(bench.embedder.embedded)
    assert len(embedded) == BATCH and bench.names() == []
    assert bench.catalog.documents.unfinished(bench.collection()) == ["long.txt"]
    bench.embedder = CountingEmbedder()
    outcome = only(bench.ingest(long_file).files)
    assert outcome.status == "added" and len(bench.parser.read) == 1
    assert not embedded & set(bench.embedder.embedded)
    assert len(embedded) + len(bench.embedder.embedded) == outcome.chunks
    assert bench.agrees()


def test_leftovers_of_a_killed_removal_are_deleted_before_anything_is_added(
    bench: Bench, file: Path
) -> None:
    document, law = only(bench.ingest(file).files).document_id, bench.collection()
    assert document is not None and len(bench.vectors.ids(law)) == 2
    bench.catalog.documents.remove(law, document)
    bench.ingest(file, collection="other")
    assert bench.vectors.ids(law) == bench.lexical.ids(law) == []
    assert bench.agrees("other")


def test_another_embedding_model_is_refused_with_advice(bench: Bench, file: Path) -> None:
    bench.ingest(file)
    bench.embedder = CountingEmbedder(dimension=64)
    with pytest.raises(EmbeddingMismatch, match=r"'law'.*ingest.*new collection"):
        bench.ingest(file)
    assert bench.statuses(file, collection="other") == ["added"]


def test_an_unknown_collection_is_not_found(bench: Bench, file: Path) -> None:
    parts = (bench.catalog, bench.embedder, bench.vectors, bench.lexical)
    ingestor = Ingestor(*parts, Settings(home=bench.home))
    with pytest.raises(NotFound):
        ingestor.ingest([file], collection_id="nowhere", on_event=bench.events.append)
    with pytest.raises(NotFound):
        TextIngestor(*parts).ingest([], collection_id="nowhere")


def test_a_document_without_a_title_goes_by_the_name_that_it_has_in_a_collection(
    bench: Bench, file: Path
) -> None:
    bench.ingest(file)
    bench.ingest(file.rename(file.with_name("Dosis.txt")), collection="other")
    for collection, name, unknown in (("law", "gesetz", "Dosis"), ("other", "Dosis", "gesetz")):
        (info,) = bench.catalog.documents.list(bench.scope(collection))
        assert info.title == name
        place = bench.collection(collection)
        assert bench.lexical.search(place, name, 1) and not bench.lexical.search(place, unknown, 1)


LAW = "§ 1 Zweck\nDer Grenzwert von {} ist 20 Millisievert.\n"


@pytest.fixture
def folder(tmp_path: Path, bench: Bench) -> Path:
    """``a.txt`` and ``deep/b.txt``, taken in, and ``c.txt`` of another folder."""
    folder = tmp_path / "files"
    (folder / "deep").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    paths = [folder / "a.txt", folder / "deep" / "b.txt", tmp_path / "elsewhere" / "c.txt"]
    for path in paths:
        path.write_text(LAW.format(path.name))
    bench.ingest(folder, paths[2])
    return folder


def gone(bench: Bench, *paths: Path, prune: bool = False) -> list[tuple[str, bool]]:
    found = bench.ingest(*paths, prune=prune).removed_from_disk
    return [(each.document, each.pruned) for each in found]


def test_removed_files_are_listed_and_their_documents_stay(
    bench: Bench, folder: Path, tmp_path: Path
) -> None:
    path = folder / "deep" / "b.txt"
    path.unlink()
    (tmp_path / "elsewhere" / "c.txt").unlink()
    (removed,) = bench.ingest(folder).removed_from_disk
    (member,) = (
        m for m in bench.catalog.documents.members(bench.collection()) if m.source == str(path)
    )
    assert removed == RemovedFile(
        path=str(path), document="b.txt", document_id=member.document_id, pruned=False
    )
    assert bench.names() == ["a.txt", "b.txt", "c.txt"]
    assert gone(bench, folder) == [("b.txt", False)], "they are named until they are taken out"
    assert gone(bench, folder / "a.txt") == [], "a file says nothing about its folder"


def test_pruned_documents_are_not_found_but_can_be_opened(bench: Bench, folder: Path) -> None:
    document = bench.catalog.filters.narrowed(bench.scope(), ["b.txt"]).documents[0]
    (folder / "deep" / "b.txt").unlink()
    assert gone(bench, folder, prune=True) == [("b.txt", True)]
    assert bench.names() == ["a.txt", "c.txt"] and bench.agrees()
    scope = bench.scope()
    assert bench.catalog.documents.info(document, scope=scope).status == "retired"
    assert bench.catalog.documents.text(document) == LAW.format("b.txt")
    assert bench.catalog.deletions.unused() == []
    assert gone(bench, folder, prune=True) == []


def test_a_file_that_comes_back_is_a_member_again(bench: Bench, folder: Path) -> None:
    document = bench.catalog.filters.narrowed(bench.scope(), ["b.txt"]).documents[0]
    changes = MetadataChanges(tags=("mein",))
    bench.catalog.metadata.edit(bench.collection(), document, changes)
    path = folder / "deep" / "b.txt"
    path.unlink()
    bench.ingest(folder, prune=True)
    path.write_text(LAW.format("b.txt"))
    assert gone(bench, folder, prune=True) == []
    assert bench.names() == ["a.txt", "b.txt", "c.txt"] and bench.agrees()
    listed = bench.catalog.documents.list(bench.scope())
    assert [each.tags for each in listed if each.document_id == document] == [("mein",)]


def test_moved_renamed_and_changed_files_are_not_gone(bench: Bench, folder: Path) -> None:
    (folder / "a.txt").rename(folder / "deep" / "a.txt")
    (folder / "deep" / "b.txt").rename(folder / "umbenannt.txt")
    assert gone(bench, folder, prune=True) == []
    (folder / "umbenannt.txt").unlink()
    (folder / "deep" / "umbenannt.txt").write_text(LAW.format("etwas anderem"))
    assert gone(bench, folder, prune=True) == []
    assert bench.names() == ["a.txt", "c.txt", "umbenannt.txt"]


def test_an_inaccessible_file_is_not_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Python 3.14 has it, where ``exists`` says no of what is closed to us."""

    def closed(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    file, namesake = str(tmp_path / "closed" / "b.txt"), FileCandidate(tmp_path / "b.txt")
    place = {"document_id": "b", "document": "b.txt", "chunking": "", "status": "indexed"} | {
        "size": 1,
        "text_id": "t",
    }
    member = Member.model_validate(place | {"source": file})
    assert is_gone_from([tmp_path], file) and is_from(namesake, file)
    assert is_renamed(namesake, member)
    for looking in ("stat", "open"):
        monkeypatch.setattr(Path, looking, closed)
    monkeypatch.setattr(Path, "exists", lambda path: False)
    assert not is_gone_from([tmp_path], file) and not is_from(namesake, file)
    assert not is_renamed(namesake, member)


def test_a_folder_with_nothing_to_read_is_not_pruned(bench: Bench, folder: Path) -> None:
    """A drive that is not there looks like this."""
    (folder / "a.txt").unlink()
    (folder / "deep" / "b.txt").unlink()
    assert gone(bench, folder, prune=True) == [("a.txt", False), ("b.txt", False)]
    (folder / "deep").rmdir()
    folder.rmdir()
    assert gone(bench, folder, prune=True) == []
    assert bench.names() == ["a.txt", "b.txt", "c.txt"]
