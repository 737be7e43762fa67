"""What files state and what people set: who wins, and what becomes of it."""

from datetime import date
from typing import Any

import pytest

from services.catalog import Catalog
from services.catalog.values import NewMember
from services.domain import DocumentMetadata, MetadataChanges, ParsedDocument, Scope
from services.domain.errors import InvalidInput, NotFound
from tests.services.catalog.conftest import ANNA, BEN
from tests.support.documents import law, store

STATED = DocumentMetadata(
    tags=("Lärm", "Arbeit"), category="Recht", author="Ada", date=date(2020, 1, 2)
)
FIELDS = set(DocumentMetadata.model_fields)


def parsed(text: str = "Eins", stated: DocumentMetadata = STATED, **more: Any) -> ParsedDocument:
    return law(text, **more).model_copy(update={"metadata": stated})


@pytest.fixture
def place(catalog: Catalog) -> str:
    return catalog.collections.ensure(ANNA, "laws").collection_id


def edit(catalog: Catalog, place: str, document_id: str, **fields: Any) -> DocumentMetadata:
    return catalog.metadata.edit(place, document_id, MetadataChanges.model_validate(fields))


def metadata(catalog: Catalog, place: str, document_id: str) -> DocumentMetadata:
    """What is listed of a document in a collection."""
    listed = catalog.documents.list(Scope(user="", collections=(place,)), pending_in=[place])
    (found,) = (each for each in listed if each.document_id == document_id)
    return DocumentMetadata.model_validate(found.model_dump(include=FIELDS))


def test_a_document_has_what_its_file_states_until_a_person_sets_or_empties_it(
    catalog: Catalog, place: str
) -> None:
    document_id = store(catalog, place, parsed())
    scope, version = catalog.collections.scope(ANNA, None), _version(catalog, place)

    def is_shown(metadata: DocumentMetadata) -> None:
        (listed,) = catalog.documents.list(scope)
        assert catalog.documents.info(document_id) == listed
        assert listed.model_dump(include=FIELDS) == metadata.model_dump()

    is_shown(STATED)
    edited = edit(catalog, place, document_id, tags=["  Neu ", "neu", ""], author="", date="")
    assert edited == DocumentMetadata(tags=("Neu",), category="Recht")
    is_shown(edited)
    assert _version(catalog, place) == version + 1


def _version(catalog: Catalog, place: str) -> int:
    return catalog.collections.get(place).content_version


def test_what_people_set_belongs_to_the_membership(catalog: Catalog, place: str) -> None:
    other = catalog.collections.ensure(BEN, "laws").collection_id
    document_id = store(catalog, place, parsed())
    edit(catalog, place, document_id, category="Meins")
    with pytest.raises(NotFound):
        edit(catalog, other, document_id, category="x")
    catalog.documents.attach(other, NewMember(document_id, "x.txt", None, []))
    assert metadata(catalog, other, document_id) == STATED
    assert metadata(catalog, place, document_id).category == "Meins"
    catalog.documents.remove(place, document_id)
    store(catalog, place, parsed())
    assert metadata(catalog, place, document_id) == STATED


def test_what_a_person_set_outlives_a_newer_parser_and_a_newer_version(
    catalog: Catalog, place: str
) -> None:
    document = store(catalog, place, parsed())
    mine: dict[str, Any] = {"category": "Meins", "date": None}
    edit(catalog, place, document, category="Meins", date="")
    read_anew = STATED.model_copy(update={"author": "Bea", "date": date(2021, 1, 1)})
    store(catalog, place, parsed(stated=read_anew, version="2"))
    assert metadata(catalog, place, document) == read_anew.model_copy(update=mine)
    for text in ("Zwei", "Drei"):
        newer = store(catalog, place, parsed(text), indexed=False)
        catalog.documents.mark_indexed(place, newer, retire=[document])
        assert metadata(catalog, place, newer) == STATED.model_copy(update=mine)
        document = newer


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"date": "2024-02-30"}, r"'2024-02-30' is not a date.*YYYY-MM-DD"),
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
    assert metadata(catalog, place, document_id) == STATED
