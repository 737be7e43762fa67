"""A collection written to a file and put back, with the real stores."""

import hashlib
import stat
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from services.catalog import ids
from services.catalog.values import NewDocument, NewMember
from services.domain import (
    MetadataChanges,
    ParsedDocument,
    Principal,
    SearchMode,
)
from services.domain.errors import InvalidInput, NotFound
from services.library.archive.checked import LOCK, new_archive
from services.library.archive.export import UNFINISHED
from services.library.library import Library
from services.retrieval.embedders import Progress, Vectors
from tests.support.archives import ADMIN, ANNA, BEN, FIRST, SECOND, opened, with_two_versions
from tests.support.ingestion import CountingEmbedder, Killed
from tests.support.library_parts import Fakes, search


def found(
    library: Library, who: Principal, name: str, mode: SearchMode
) -> list[tuple[object, ...]]:
    hits = search(library, who, "Wie hoch ist der Grenzwert?", collections=[name], mode=mode)
    return [
        (h.chunk_id, h.document_id, h.document, h.start, h.end, h.section, h.text) for h in hits
    ]


def is_sound(parts: Fakes, library: Library, who: Principal, name: str) -> bool:
    (state,) = library.health(who, name)
    return state.healthy and not (state.stale_vectors or state.stale_keywords)


def test_restoring_elsewhere_gives_the_same_collection(
    parts: Fakes, library: Library, archive: Path, tmp_path: Path
) -> None:
    old = hashlib.sha256(FIRST.encode()).hexdigest()
    with opened(tmp_path / "other") as other:
        there = Library(other)
        report = there.restore_collection(ADMIN, archive)
        assert (report.documents, report.embedded) == (2, 0) and other.embedder.embedded == []
        assert report.collection.name == "law" and report.collection.owner == "local"
        for mode in ("hybrid", "vector", "keyword"):
            assert found(there, ADMIN, "law", mode) == found(library, ANNA, "law", mode) != []
        assert is_sound(other, there, ADMIN, "law")
        scopes = there.scope(ADMIN, ["law"]), library.scope(ANNA, ["law"])
        graph = other.catalog.graph.status(scopes[0])
        assert graph.built == graph.documents > 0
        assert graph == parts.catalog.graph.status(scopes[1])
        names = [
            p.catalog.references.aliases(s) for p, s in zip((other, parts), scopes, strict=True)
        ]
        assert names[0] == names[1] != []
        for document in (hashlib.sha256(SECOND.encode()).hexdigest(), old):
            opened_in = there.open_document(ADMIN, document).parsed
            assert opened_in == library.open_document(ANNA, document).parsed
            kept = other.settings.home / "originals" / document
            assert hashlib.sha256(kept.read_bytes()).hexdigest() == document
            refs = other.catalog.references.within(document, 0, 1000)
            assert refs == parts.catalog.references.within(document, 0, 1000) != []
        assert old not in {info.document_id for info in there.documents(ADMIN)}
        places = [
            (p, Library(p).collection(who, "law").collection_id)
            for p, who in ((other, ADMIN), (parts, ANNA))
        ]
        stored = [p.vectors.vectors(place, p.catalog.chunks.ids(place)) for p, place in places]
        assert stored[0].keys() == stored[1].keys()
        assert all(np.allclose(stored[0][key], stored[1][key], atol=1e-6) for key in stored[0])


PEOPLE = MetadataChanges(tags=("Arbeitsschutz", "wichtig"), category="", date="2024-05-06")
"""What a person sets; the category that the file states is emptied."""


def test_metadata_survives_and_filters_find_it(library: Library, tmp_path: Path) -> None:
    """Stated by a file, set by a person on an older version, and neither."""
    folder, archive = tmp_path / "filed", tmp_path / "filed.zip"
    folder.mkdir()
    head = "---\ndate: 2001-02-03\ncategory: Recht\nauthor: Erika Beispiel\ntags: [Alt]\n---\n"
    for name, first in (("stated.md", head), ("edited.md", head), ("plain.md", "")):
        (folder / name).write_text(f"{first}# Grenzwert {name}\n\nDer Grenzwert steht fest.\n")
    library.ingest(ANNA, [folder], "filed")
    library.edit_document(ANNA, "filed", "edited.md", PEOPLE)
    (folder / "edited.md").write_text(f"{head}# Grenzwert\n\nDer neue Grenzwert steht fest.\n")
    library.ingest(ANNA, [folder], "filed")
    library.export_collection(ANNA, "filed", archive)
    with opened(tmp_path / "other") as other:
        there = Library(other)
        there.restore_collection(ADMIN, archive)
        for each, who in ((there, ADMIN), (library, ANNA)):
            for fields, documents in (
                ({"tags": ("WICHTIG",)}, ["edited.md"]),
                ({"categories": ("recht",)}, ["stated.md"]),
                ({"authors": ("erika",)}, ["edited.md", "stated.md"]),
                ({"until": date(2001, 2, 3)}, ["stated.md"]),
            ):
                hits = search(each, who, "Grenzwert", collections=["filed"], only=fields)
                assert sorted({hit.document for hit in hits}) == documents
        # A person's word still outweighs the file's, and the file's is still known.
        edited = there.document(ADMIN, "edited.md", "filed").document_id
        place = there.collection(ADMIN, "filed").collection_id
        assert other.catalog.metadata.people_set(place, edited) == PEOPLE
        stated = other.catalog.metadata.stated(edited)
        assert stated is not None and (stated.category, stated.tags) == ("Recht", ("Alt",))


def test_restoring_at_home_under_another_name(
    parts: Fakes, library: Library, archive: Path
) -> None:
    before = len(parts.embedder.embedded)
    data = archive.read_bytes()
    for file, fault in (
        (archive, "already exists"),
        (archive / "below", "Choose another location"),
    ):
        with pytest.raises(InvalidInput, match=fault):
            library.export_collection(ANNA, "law", file)
    assert archive.read_bytes() == data
    report = library.restore_collection(ANNA, archive, "copy")
    with pytest.raises(InvalidInput, match=r"named 'copy'.*--name"):
        library.restore_collection(ANNA, archive, "copy")
    assert report.embedded == 0 and len(parts.embedder.embedded) == before
    assert found(library, ANNA, "copy", "hybrid") == found(library, ANNA, "law", "hybrid")
    library.delete_collection(ANNA, "law")
    library.clear_deleted()
    assert is_sound(parts, library, ANNA, "copy")
    assert library.restore_collection(ANNA, archive).collection.name == "law"


def test_a_folder_of_a_person_beside_an_archive_stays_and_what_a_kill_left_goes(
    library: Library, tmp_path: Path
) -> None:
    own, left = tmp_path / "own.zip.partial", tmp_path / "left.zip.partial"
    for folder, name in ((own, "lock"), (own, "photo.jpg"), (left, LOCK), (left, "archive")):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    with pytest.raises(InvalidInput, match=r"own\.zip\.partial already exists"):
        library.export_collection(ANNA, "law", tmp_path / "own.zip")
    assert sorted(each.name for each in own.iterdir()) == ["lock", "photo.jpg"]
    library.export_collection(ANNA, "law", tmp_path / "left.zip")
    assert not left.exists() and (tmp_path / "left.zip").exists()


def test_what_an_archive_is_written_in_is_closed_to_others(tmp_path: Path) -> None:
    (tmp_path / "all.zip.partial").mkdir(mode=0o777)
    with new_archive(tmp_path / "all.zip") as writer:
        assert stat.S_IMODE(writer.folder.stat().st_mode) == 0o700


def test_a_name_may_be_as_long_as_names_may_be(library: Library, tmp_path: Path) -> None:
    name, archive = "g" * 120, tmp_path / "long.zip"
    library.export_collection(ANNA, "law", archive)
    assert library.restore_collection(ANNA, archive, name).collection.name == name
    for nameless in ("g" * 121, " ", "a\0b"):
        with pytest.raises(InvalidInput, match="printable characters"):
            library.restore_collection(ANNA, archive, nameless)
    assert sorted(each.name for each in library.collections(ANNA)) == [name, "law"]


def test_an_empty_secret_is_none(parts: Fakes, library: Library, tmp_path: Path) -> None:
    """What a kill can leave: anybody could seal with it."""
    key = parts.settings.home / "archive.key"
    key.write_bytes(b"")
    library.export_collection(ANNA, "law", tmp_path / "law.zip")
    assert len(key.read_bytes()) == 32 and key.stat().st_mode & 0o77 == 0
    assert library.restore_collection(ANNA, tmp_path / "law.zip", "copy").documents == 2


def named_by_words(parsed: ParsedDocument) -> str:
    return ids.words_id(parsed.text, parsed.parser_version, parsed.recognised)


def test_an_archive_of_before_is_restored_without_embedding(
    parts: Fakes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its texts are named by their words alone, as are those of a home that is as old."""
    old = tmp_path / "old.zip"
    with monkeypatch.context() as before:
        before.setattr(ids, "text_id", named_by_words)
        library = with_two_versions(parts, tmp_path / "files")
        library.export_collection(ANNA, "law", old)
    with opened(tmp_path / "other") as other:
        report = Library(other).restore_collection(ADMIN, old)
        assert (report.documents, report.embedded) == (2, 0) and other.embedder.embedded == []
        assert is_sound(other, Library(other), ADMIN, "law")
    chunks = set(parts.catalog.chunks.ids(library.collection(ANNA, "law").collection_id))
    copy = library.restore_collection(ANNA, old, "copy").collection.collection_id
    assert set(parts.catalog.chunks.ids(copy)) == chunks


def test_another_model_embeds_anew_and_only_an_admin_restores_what_another_home_made(
    archive: Path, tmp_path: Path
) -> None:
    with opened(tmp_path / "other", dimension=64) as other:
        with pytest.raises(InvalidInput, match="Only an administrator"):
            Library(other).restore_collection(ANNA, archive)
        assert Library(other).collections(ADMIN) == []
        report = Library(other).restore_collection(ADMIN, archive)
        assert report.embedded == report.chunks == len(other.embedder.embedded) > 0
        assert report.archived_fingerprint != report.collection.fingerprint
        assert is_sound(other, Library(other), ADMIN, "law")


def test_who_may_read_may_export_and_owns_what_they_restore(
    parts: Fakes, library: Library, archive: Path, tmp_path: Path
) -> None:
    with pytest.raises(NotFound):
        library.export_collection(BEN, "law", tmp_path / "ben.zip")
    assert not (tmp_path / "ben.zip").exists()
    parts.catalog.collections.change(ANNA, "law", visibility="public")
    library.export_collection(BEN, "law", tmp_path / "ben.zip")
    mine = library.restore_collection(BEN, tmp_path / "ben.zip").collection
    assert (mine.owner, mine.visibility) == ("ben", "private")
    assert mine.collection_id not in {info.collection_id for info in library.collections(ANNA)}


@pytest.mark.parametrize("unreadable", [False, True])
def test_a_lost_original_is_told_and_its_text_kept(
    parts: Fakes, library: Library, tmp_path: Path, unreadable: bool
) -> None:
    originals = sorted((parts.settings.home / "originals").iterdir())
    originals[0].unlink()
    if unreadable:
        originals[0].mkdir()  # what cannot be read as a file, whoever tries
    originals[1].write_text("changed")
    report = library.export_collection(ANNA, "law", tmp_path / "part.zip")
    assert (report.counts.lost_originals, report.counts.originals) == (2, 1)
    counts, info = report.counts, library.collection(ANNA, "law")
    assert (counts.documents, counts.texts) == (3, 3)
    assert counts.chunks == counts.vectors == info.chunks
    assert library.restore_collection(ANNA, tmp_path / "part.zip", "copy").documents == 2


def test_what_is_there_already_stays(library: Library, archive: Path, tmp_path: Path) -> None:
    """A newer parser has read the file anew in the home to which it is restored."""
    with opened(tmp_path / "other") as other:
        there, place = Library(other), tmp_path / "folder"
        there.restore_collection(ADMIN, archive)
        document = there.document(ADMIN, "andere.txt", "law").document_id
        archiving = other.catalog.archiving
        text, references = archiving.text(document, archiving.texts_of(document)[0])
        newer = text.model_copy(update={"parser_version": "newer", "text": text.text.upper()})
        info = there.collection(ADMIN, "law")
        member = NewMember(document, "andere.txt", None, [])
        new = NewDocument(member, 1, newer, [], references)
        other.catalog.documents.add(info.collection_id, new)
        there.restore_collection(ADMIN, archive, "copy")
        assert other.catalog.documents.text(document) == newer.text
        assert is_sound(other, there, ADMIN, "copy")
        assert place.exists()


class MortalEmbedder(CountingEmbedder):
    """Dies when it is asked to embed."""

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        raise Killed


def test_a_restoration_that_failed_leaves_nothing(archive: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "other") as other:
        there, whole = Library(other), other.embedder
        other.embedder = MortalEmbedder(dimension=64)
        with pytest.raises(Killed):
            there.restore_collection(ADMIN, archive)
        assert there.collections(ADMIN) == [] and other.catalog.deletions.pending() == []
        assert list((tmp_path / "other" / "originals").iterdir()) == []
        other.embedder = whole
        other.catalog.collections.create(ADMIN, f"law{UNFINISHED}")  # as a kill leaves it
        assert there.restore_collection(ADMIN, archive).documents == 2
        assert [info.name for info in there.collections(ADMIN)] == ["law"]
