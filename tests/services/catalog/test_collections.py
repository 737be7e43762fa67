"""Collections: names, numbers and versions; who sees one, changes it and subscribes to it."""

from pathlib import Path
from typing import Any

import pytest

from services.catalog import Catalog
from services.catalog.collections import Collections
from services.domain import CollectionInfo, Principal
from services.domain.errors import InvalidInput, NotFound
from tests.services.catalog.conftest import ADMIN, ANNA, BEN
from tests.support.documents import law, split, store


@pytest.fixture
def collections(catalog: Catalog) -> Collections:
    return catalog.collections


@pytest.fixture
def shelf(collections: Collections) -> CollectionInfo:
    return collections.create(ANNA, "law")


def names(collections: Collections, principal: Principal) -> list[str]:
    return [info.name for info in collections.list(principal)]


def test_a_new_collection_is_private_and_may_be_renamed(collections: Collections) -> None:
    info = collections.create(ANNA, "  Strahlenschutz ", description="Gesetze")
    assert (info.name, info.owner, info.visibility) == ("Strahlenschutz", "anna", "private")
    assert (info.documents, info.chunks, info.content_version) == (0, 0, 0)
    renamed = collections.change(ANNA, info.name, new_name=" acts ", description="Gesetze\nalle")
    assert (renamed.name, renamed.description) == ("acts", "Gesetze\nalle")
    assert renamed.collection_id == info.collection_id
    assert collections.list(ANNA) == [renamed]
    assert collections.change(ANNA, "acts", description="").name == "acts"
    with pytest.raises(NotFound):
        collections.get("nowhere")


def test_names_are_unique_for_each_owner(collections: Collections, shelf: CollectionInfo) -> None:
    theirs = collections.create(BEN, "law", visibility="public")
    assert collections.ensure(ANNA, "law") == shelf != theirs
    with pytest.raises(InvalidInput, match="already"):
        collections.create(ANNA, "law")
    assert collections.ensure(ANNA, "acts") == collections.ensure(ANNA, "acts")
    for who in (ANNA, ADMIN):
        with pytest.raises(InvalidInput, match=r"already.*'acts'.*another name"):
            collections.change(who, shelf.collection_id, new_name="acts")
    assert names(collections, ANNA) == ["acts", "law", "law"]


@pytest.mark.parametrize(
    ("name", "description"),
    [
        *((name, "") for name in ("", "   ", "x" * 121, "a\nb", "a\0b")),
        *(("other", text) for text in ("\x1b[2J", "x" * 2001)),
    ],
)
def test_what_cannot_be_shown_is_refused(
    collections: Collections, shelf: CollectionInfo, name: str, description: str
) -> None:
    with pytest.raises(InvalidInput, match="printable"):
        collections.create(ANNA, name, description=description)
    with pytest.raises(InvalidInput, match="printable"):
        collections.change(ANNA, "law", new_name=name, description=description)
    assert collections.list(ANNA) == [shelf]


@pytest.mark.parametrize("name", ["secret", "secre", "secret ", "SECRET", "s%", "s*", "_ecret", ""])
def test_what_may_not_be_read_looks_like_what_does_not_exist(
    collections: Collections, name: str
) -> None:
    hidden = collections.create(ANNA, "secret")
    collections.create(BEN, "open")
    for guess in (name, hidden.collection_id):
        for call in (
            lambda who, guess: collections.scope(who, [guess]),
            collections.one,
            collections.changeable,
            collections.subscribe,
        ):
            with pytest.raises(NotFound, match="You can read: open") as raised:
                call(BEN, guess)
            assert repr(guess) in str(raised.value)
            assert "anna" not in str(raised.value)


def test_a_name_means_ones_own_collection_before_others_and_an_id_before_names(
    collections: Collections,
) -> None:
    shelf = collections.create(ANNA, "law", visibility="public")
    mine = collections.create(BEN, "law")
    collections.create(BEN, shelf.collection_id, visibility="public")
    for who, name, meant in (
        (BEN, "law", mine),
        (BEN, shelf.collection_id, shelf),
        (ANNA, shelf.collection_id, shelf),
    ):
        assert collections.scope(who, [name]).collections == (meant.collection_id,)
        assert collections.one(who, name) == meant
    assert collections.scope(ANNA, []).collections == ()
    with pytest.raises(InvalidInput, match="by its id") as raised:
        collections.change(ADMIN, "law", new_name="acts")
    assert all(each.collection_id in str(raised.value) for each in (shelf, mine))


def test_what_another_may_read_they_may_not_change(
    collections: Collections, shelf: CollectionInfo
) -> None:
    collections.change(ANNA, "law", visibility="public")
    changes: list[dict[str, Any]] = [
        {"new_name": "mine"},
        {"visibility": "private"},
        {"description": "x"},
    ]
    for change in changes:
        with pytest.raises(InvalidInput, match="belongs to anna"):
            collections.change(BEN, "law", **change)
    with pytest.raises(InvalidInput, match="belongs to anna"):
        collections.changeable(BEN, "law")
    assert collections.one(BEN, "law").visibility == "public"


def test_only_admins_make_and_change_what_is_admin_owned(
    collections: Collections, shelf: CollectionInfo
) -> None:
    with pytest.raises(InvalidInput, match="Only an administrator can create"):
        collections.create(ANNA, "other", visibility="admin")
    with pytest.raises(InvalidInput, match="Only an administrator can have"):
        collections.change(ANNA, "law", visibility="admin")
    assert collections.get(shelf.collection_id).visibility == "private"
    shared = collections.change(ADMIN, "law", visibility="admin")
    assert (shared.owner, shared.visibility) == ("anna", "admin")
    assert names(collections, BEN) == ["law"]
    for who in (ANNA, BEN):
        with pytest.raises(InvalidInput, match="Only an administrator can change"):
            collections.change(who, "law", new_name="mine")
    with pytest.raises(InvalidInput, match="Only an administrator can change"):
        collections.receiving(ANNA, "law")


def test_documents_go_to_ones_own_collection_or_to_the_one_with_that_id(
    collections: Collections,
) -> None:
    shared = collections.create(ANNA, "law", visibility="public")
    for who, name in ((ANNA, "law"), (ANNA, shared.collection_id), (ADMIN, shared.collection_id)):
        assert collections.receiving(who, name) == shared
    assert collections.receiving(BEN, "law").owner == "ben"
    with pytest.raises(InvalidInput, match="belongs to anna"):
        collections.receiving(BEN, shared.collection_id)


def test_numbers_count_what_is_indexed_and_the_version_grows_with_every_change(
    catalog: Catalog, shelf: CollectionInfo
) -> None:
    place, parsed = shelf.collection_id, law("Erstens", "Zweitens")
    document = store(catalog, place, parsed, name="a.txt", indexed=False)
    versions = [shelf.content_version]
    for change, documents in (
        (lambda: catalog.documents.mark_indexed(place, document), 1),
        (lambda: store(catalog, place, law("Anderes"), name="b.txt", indexed=False), 1),
        (lambda: catalog.collections.bump(place), 1),
        (lambda: catalog.documents.remove(place, document), 0),
    ):
        change()
        info = catalog.collections.get(place)
        assert (info.documents, info.chunks) == (documents, documents * len(split(parsed)))
        versions.append(info.content_version)
    assert versions[1] == versions[2] and len(set(versions)) == 4 and versions == sorted(versions)
    scope = catalog.collections.scope(ANNA, None)
    assert catalog.documents.list(scope) == []
    listed = catalog.documents.list(scope, pending_in=scope.collections)
    assert [(info.document, info.status) for info in listed] == [("b.txt", "pending")]
    newer = catalog.collections.ensure(ANNA, "newer").collection_id
    scope = catalog.collections.scope(ANNA, ["newer", "law"])
    assert scope.collections == (newer, place)
    assert catalog.collections.versions(scope) == (0, versions[-1])


def test_another_process_changes_the_model_that_is_known_here(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.sqlite3'}"
    with Catalog.open(url) as here, Catalog.open(url) as there:
        made = here.collections.ensure(Principal(), "law").collection_id
        assert here.collections.fingerprint(made) is None
        for model in ("model-2", "model-3"):
            there.collections.set_fingerprint(made, model)
            assert here.collections.fingerprint(made) == model
