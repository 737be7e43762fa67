"""What becomes of documents in the bin of a collection."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update

from services.catalog.models import BinRow
from services.domain import Chunking, MetadataChanges, Principal, SearchRequest
from services.domain.errors import InvalidInput
from services.library.library import Library, ignore_event
from tests.support.library_parts import Fakes

ANNA, BEN = Principal(user="anna"), Principal(user="ben")


def restore(library: Library, parts: Fakes) -> None:
    library.put_back(ANNA, "law", library.binned(ANNA, "law", "dose.txt"), ignore_event)


def empty(library: Library, parts: Fakes) -> None:
    assert [each.document for each in library.empty_bin(ANNA, "law")] == ["dose.txt"]
    library.clear_deleted()


def age(library: Library, parts: Fakes) -> None:
    long_ago = update(BinRow).values(removed_at="2020-01-01T00:00:00.000000+00:00")
    parts.catalog.bin._database.execute(long_ago)
    assert library.bin(ANNA, "law") == []
    library.clear_deleted()


def delete(library: Library, parts: Fakes) -> None:
    library.delete_collection(ANNA, "law")
    library.clear_deleted()


def ingest(library: Library, parts: Fakes) -> None:
    library.ingest(ANNA, [parts.settings.home.parent / "dose.txt"], "law")
    assert library.bin(ANNA, "law") == []


@pytest.mark.parametrize(
    ("then", "kept"), [(restore, 1), (empty, 0), (age, 0), (delete, 0), (ingest, 1)]
)
def test_what_was_removed_can_be_put_back_until_it_is_given_up(
    parts: Fakes, library: Library, then: Callable[[Library, Fakes], None], kept: int
) -> None:
    file = parts.settings.home.parent / "dose.txt"
    file.write_text("§ 1 Zweck\n\nDer Grenzwert beträgt 20 Millisievert.", encoding="utf-8")
    cut = Chunking(strategy="sentence")
    library.ingest(ANNA, [file], "law", chunking=cut)
    parts.catalog.collections.change(ANNA, "law", visibility="public")
    library.edit_document(ANNA, "law", "dose.txt", MetadataChanges(tags=("Dosis",), author=""))
    before = library.removable(ANNA, "law", "dose.txt")
    library.remove(ANNA, "law", before)
    (binned,) = library.bin(ANNA, "law")
    assert (binned.document, binned.removed_by) == ("dose.txt", "anna")
    with pytest.raises(InvalidInput, match="belongs to anna"):
        library.bin(BEN, "law")
    for forbidden in (library.empty_bin, lambda *to: library.binned(*to, "x")):
        with pytest.raises(InvalidInput, match="belongs to anna"):
            forbidden(BEN, "law")
    library.clear_deleted()  # spares what is in the bin
    original: Path = parts.settings.home / "originals" / before.document_id
    then(library, parts)
    assert original.exists() == bool(kept)
    if then is restore:
        assert library.bin(ANNA, "law") == []
        found = library.document(ANNA, "dose.txt", "law")
        changing = {"ingested_at"}
        assert found.model_dump(exclude=changing) == before.model_dump(exclude=changing)
        member = parts.catalog.documents.members(library.collection(ANNA, "law").collection_id)[0]
        assert (member.chunking, member.source) == (cut.key, str(file))
        hits = asyncio.run(library.find(ANNA, SearchRequest(query="Grenzwert"))).hits
        assert {hit.document for hit in hits} == {"dose.txt"}
