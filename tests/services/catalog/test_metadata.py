"""What files state and what people set: who wins, and what becomes of it."""

from datetime import date
from typing import Any

import pytest

from services.catalog import Catalog
from services.domain import (
    DocumentInfo,
    DocumentMetadata,
    MetadataChanges,
    ParsedDocument,
    Principal,
)
from services.domain.errors import InvalidInput, NotFound
from tests.support.documents import law, store

STATED = DocumentMetadata(
    tags=("Lärm", "Arbeit"), category="Recht", author="Ada", date=date(2020, 1, 2)
)


def parsed(text: str = "Eins", stated: DocumentMetadata = STATED, **more: Any) -> ParsedDocument:
    return law(text, **more).model_copy(update={"metadata": stated})


def metadata_of(info: DocumentInfo) -> DocumentMetadata:
    return DocumentMetadata(**info.model_dump(include=set(DocumentMetadata.model_fields)))


@pytest.fixture
def place(catalog: Catalog, anna: Principal) -> str:
    return catalog.collections.ensure(anna, "laws").collection_id


def edit(catalog: Catalog, place: str, document_id: str, **fields: Any) -> DocumentMetadata:
    return catalog.metadata.edit(place, document_id, MetadataChanges.model_validate(fields))


def test_a_document_has_what_its_file_states(catalog: Catalog, place: str, anna: Principal) -> None:
    document_id = store(catalog, place, parsed())
    assert catalog.metadata.of(place, document_id) == STATED
    (listed,) = catalog.documents.list(catalog.collections.scope(anna, None))
    assert metadata_of(listed) == metadata_of(catalog.documents.info(document_id)) == STATED


def test_a_person_sets_some_fields_and_empties_others(catalog: Catalog, place: str) -> None:
    document_id = store(catalog, place, parsed())
    version = catalog.collections.get(place).content_version
    edited = edit(catalog, place, document_id, tags=["  Neu ", "neu", ""], author="", date="")
    assert edited == DocumentMetadata(tags=("Neu",), category="Recht")
    assert catalog.metadata.of(place, document_id) == edited
    assert catalog.collections.get(place).content_version == version + 1


def test_each_collection_files_a_document_in_its_own_way(
    catalog: Catalog, place: str, ben: Principal
) -> None:
    other = catalog.collections.ensure(ben, "laws").collection_id
    document_id = store(catalog, place, parsed())
    edit(catalog, place, document_id, category="Meins")
    catalog.documents.attach(other, document_id, document="x.txt", source=None, aliases=[])
    assert catalog.metadata.of(other, document_id) == STATED
    assert catalog.metadata.of(place, document_id).category == "Meins"


def test_what_a_person_set_outlives_a_newer_parser_and_a_newer_version(
    catalog: Catalog, place: str
) -> None:
    old = store(catalog, place, parsed())
    edit(catalog, place, old, category="Meins", date="")
    read_anew = STATED.model_copy(update={"author": "Bea", "date": date(2021, 1, 1)})
    store(catalog, place, parsed(stated=read_anew, version="2"))
    mine = read_anew.model_copy(update={"category": "Meins", "date": None})
    assert catalog.metadata.of(place, old) == mine
    new = store(catalog, place, parsed("Zwei"), indexed=False)
    catalog.documents.mark_indexed(place, new, retire=[old])
    expected = STATED.model_copy(update={"category": "Meins", "date": None})
    assert catalog.metadata.of(place, new) == expected
    newest = store(catalog, place, parsed("Drei"), indexed=False)
    catalog.documents.mark_indexed(place, newest, retire=[new])
    assert catalog.metadata.of(place, newest) == expected


def test_a_document_taken_in_again_is_filed_by_its_file(catalog: Catalog, place: str) -> None:
    document_id = store(catalog, place, parsed())
    edit(catalog, place, document_id, category="Meins")
    catalog.documents.remove(place, document_id)
    store(catalog, place, parsed())
    assert catalog.metadata.of(place, document_id) == STATED


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"date": "2024-02-30"}, r"'2024-02-30' is no date.*YYYY-MM-DD"),
    ({"date": "gestern"}, "YYYY-MM-DD"),
    ({"tags": ["x" * 201]}, "tag can have up to 200"),
    ({"author": "x" * 201}, "author can have up to 200"),
    ({"category": "x" * 201}, "category can have up to 200"),
    ({"tags": [str(n) for n in range(51)]}, "up to 50 tags"),
]


def test_what_cannot_be_used_is_said_and_nothing_changes(catalog: Catalog, place: str) -> None:
    document_id = store(catalog, place, parsed())
    for fields, reason in REFUSED:
        with pytest.raises(InvalidInput, match=reason):
            edit(catalog, place, document_id, **fields)
    assert catalog.metadata.of(place, document_id) == STATED


def test_only_members_have_metadata(catalog: Catalog, place: str, ben: Principal) -> None:
    document_id = store(catalog, place, parsed())
    other = catalog.collections.ensure(ben, "laws").collection_id
    with pytest.raises(NotFound):
        edit(catalog, other, document_id, category="x")
    with pytest.raises(NotFound):
        catalog.metadata.of(other, document_id)
