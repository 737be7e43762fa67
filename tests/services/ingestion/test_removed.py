"""Files that are gone from a folder that is ingested again."""

from pathlib import Path

import pytest

from services.catalog import Member
from services.domain import MetadataChanges, RemovedFile
from services.ingestion.files import Candidate, is_from, is_gone_from
from services.ingestion.pipeline import is_renamed
from tests.support.ingestion import Bench

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

    file, namesake = str(tmp_path / "closed" / "b.txt"), Candidate(tmp_path / "b.txt")
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
