"""Collections: names, numbers and versions; who sees one, changes it and subscribes to it."""

from pathlib import Path
from typing import Any

import pytest

from services.catalog import Catalog
from services.catalog.collections import Collections
from services.domain import CollectionInfo, Principal
from services.domain.errors import InvalidInput, NotFound
from tests.support.documents import law, split, store


@pytest.fixture
def collections(catalog: Catalog) -> Collections:
    return catalog.collections


@pytest.fixture
def shelf(collections: Collections, anna: Principal) -> CollectionInfo:
    return collections.create(anna, "law")


def names(collections: Collections, principal: Principal) -> list[str]:
    return [info.name for info in collections.list(principal)]


def test_a_new_collection_is_empty_private_and_its_owners(
    collections: Collections, anna: Principal
) -> None:
    info = collections.create(anna, "  Strahlenschutz ", description="Gesetze")
    assert (info.name, info.owner, info.visibility) == ("Strahlenschutz", "anna", "private")
    assert (info.documents, info.chunks, info.content_version) == (0, 0, 0)
    assert collections.list(anna) == [info]


def test_a_collection_gets_another_name_and_description(
    collections: Collections, anna: Principal, shelf: CollectionInfo
) -> None:
    renamed = collections.change(anna, "law", new_name=" acts ", description="Gesetze\nalle")
    assert (renamed.name, renamed.description) == ("acts", "Gesetze\nalle")
    assert renamed.collection_id == shelf.collection_id
    assert names(collections, anna) == ["acts"]
    assert collections.change(anna, "acts", description="").name == "acts"


def test_names_are_unique_for_each_owner(
    collections: Collections,
    anna: Principal,
    ben: Principal,
    admin: Principal,
    shelf: CollectionInfo,
) -> None:
    collections.create(ben, "law")
    with pytest.raises(InvalidInput, match="already"):
        collections.create(anna, "law")
    collections.create(anna, "acts")
    for who in (anna, admin):
        with pytest.raises(InvalidInput, match=r"already.*'acts'.*another name"):
            collections.change(who, shelf.collection_id, new_name="acts")
    assert names(collections, anna) == ["acts", "law"]


@pytest.mark.parametrize(
    ("name", "description"),
    [
        *((name, "") for name in ("", "   ", "x" * 121, "a\nb", "a\0b")),
        *(("other", text) for text in ("\x1b[2J", "x" * 2001)),
    ],
)
def test_what_cannot_be_shown_is_refused(
    collections: Collections, anna: Principal, shelf: CollectionInfo, name: str, description: str
) -> None:
    with pytest.raises(InvalidInput, match="printable"):
        collections.create(anna, name, description=description)
    with pytest.raises(InvalidInput, match="printable"):
        collections.change(anna, "law", new_name=name, description=description)
    assert collections.list(anna) == [shelf]


def test_ensure_finds_or_creates_ones_own(
    collections: Collections, anna: Principal, ben: Principal
) -> None:
    theirs = collections.create(ben, "law", visibility="public")
    mine = collections.ensure(anna, "law")
    assert mine.owner == "anna" and mine.collection_id != theirs.collection_id
    assert collections.ensure(anna, "law") == mine


def test_who_sees_which_collection(
    collections: Collections, anna: Principal, ben: Principal, admin: Principal
) -> None:
    for visibility in ("private", "unlisted", "public"):
        collections.create(anna, visibility, visibility=visibility)
    collections.create(admin, "admin", visibility="admin")
    mine = collections.create(ben, "mine")
    assert names(collections, anna) == ["admin", "private", "public", "unlisted"]
    assert names(collections, ben) == ["admin", "mine", "public"]
    assert names(collections, admin) == ["admin", "mine", "private", "public", "unlisted"]
    scope = collections.scope(ben, None)
    assert scope.user == "ben" and mine.collection_id in scope.collections
    assert scope.collections == tuple(info.collection_id for info in collections.list(ben))
    assert collections.scope(anna, []).collections == ()


@pytest.mark.parametrize("name", ["secret", "secre", "secret ", "SECRET", "s%", "s*", "_ecret", ""])
def test_what_may_not_be_read_looks_like_what_does_not_exist(
    collections: Collections, anna: Principal, ben: Principal, name: str
) -> None:
    hidden = collections.create(anna, "secret")
    collections.create(ben, "open")
    for guess in (name, hidden.collection_id):
        for call in (
            lambda who, guess: collections.scope(who, [guess]),
            collections.one,
            collections.changeable,
            collections.subscribe,
        ):
            with pytest.raises(NotFound, match="You can read: open") as raised:
                call(ben, guess)
            assert repr(guess) in str(raised.value)
            assert "anna" not in str(raised.value)


def test_a_name_means_ones_own_collection_before_others_and_an_id_before_names(
    collections: Collections, anna: Principal, ben: Principal, admin: Principal
) -> None:
    shelf = collections.create(anna, "law", visibility="public")
    mine = collections.create(ben, "law")
    collections.create(ben, shelf.collection_id, visibility="public")
    for who, name, meant in (
        (ben, "law", mine),
        (ben, shelf.collection_id, shelf),
        (anna, shelf.collection_id, shelf),
    ):
        assert collections.scope(who, [name]).collections == (meant.collection_id,)
        assert collections.one(who, name) == meant
    with pytest.raises(InvalidInput, match="by its id") as raised:
        collections.change(admin, "law", new_name="acts")
    assert all(each.collection_id in str(raised.value) for each in (shelf, mine))


def test_a_subscribed_collection_shows_up_until_it_is_private(
    collections: Collections, anna: Principal, ben: Principal, shelf: CollectionInfo
) -> None:
    shelf_id = shelf.collection_id
    collections.change(anna, "law", visibility="unlisted")
    assert names(collections, ben) == []
    assert collections.scope(ben, [shelf_id]).collections == (shelf_id,)
    for call in (collections.subscribe, lambda who, name: collections.scope(who, [name])):
        with pytest.raises(NotFound):
            call(ben, "law")
    for _ in range(2):
        assert collections.subscribe(ben, shelf_id).name == "law"
    assert names(collections, ben) == ["law"]
    assert collections.scope(ben, None).collections == (shelf_id,)
    assert collections.scope(ben, ["law"]).collections == (shelf_id,)
    collections.change(anna, "law", visibility="private")
    assert names(collections, ben) == []
    collections.change(anna, "law", visibility="unlisted")
    assert names(collections, ben) == []
    collections.subscribe(ben, shelf_id)
    for _ in range(2):
        collections.unsubscribe(ben, shelf_id)
    assert names(collections, ben) == []


def test_what_another_may_read_they_may_not_change(
    collections: Collections, anna: Principal, ben: Principal, shelf: CollectionInfo
) -> None:
    collections.change(anna, "law", visibility="public")
    changes: list[dict[str, Any]] = [
        {"new_name": "mine"},
        {"visibility": "private"},
        {"description": "x"},
    ]
    for change in changes:
        with pytest.raises(InvalidInput, match="belongs to anna"):
            collections.change(ben, "law", **change)
    with pytest.raises(InvalidInput, match="belongs to anna"):
        collections.changeable(ben, "law")
    assert collections.one(ben, "law").visibility == "public"


def test_only_admins_make_and_change_what_is_admin_owned(
    collections: Collections,
    anna: Principal,
    ben: Principal,
    admin: Principal,
    shelf: CollectionInfo,
) -> None:
    with pytest.raises(InvalidInput, match="Only an admin can create"):
        collections.create(anna, "other", visibility="admin")
    with pytest.raises(InvalidInput, match="Only an admin can make"):
        collections.change(anna, "law", visibility="admin")
    assert collections.get(shelf.collection_id).visibility == "private"
    shared = collections.change(admin, "law", visibility="admin")
    assert (shared.owner, shared.visibility) == ("anna", "admin")
    assert names(collections, ben) == ["law"]
    for who in (anna, ben):
        with pytest.raises(InvalidInput, match="Only an admin may change"):
            collections.change(who, "law", new_name="mine")
    with pytest.raises(InvalidInput, match="Only an admin may change"):
        collections.receiving(anna, "law")


def test_documents_go_to_ones_own_collection_or_to_the_one_with_that_id(
    collections: Collections, anna: Principal, ben: Principal, admin: Principal
) -> None:
    shared = collections.create(anna, "law", visibility="public")
    for who, name in ((anna, "law"), (anna, shared.collection_id), (admin, shared.collection_id)):
        assert collections.receiving(who, name) == shared
    assert collections.receiving(ben, "law").owner == "ben"
    with pytest.raises(InvalidInput, match="belongs to anna"):
        collections.receiving(ben, shared.collection_id)


def test_numbers_count_what_is_indexed_and_pending_is_listed_for_who_fills_it(
    catalog: Catalog, anna: Principal, shelf: CollectionInfo
) -> None:
    parsed = law("Erstens", "Zweitens")
    store(catalog, shelf.collection_id, parsed, name="a.txt")
    store(catalog, shelf.collection_id, law("Anderes"), name="b.txt", indexed=False)
    info = catalog.collections.get(shelf.collection_id)
    assert (info.documents, info.chunks) == (1, len(split(parsed)))
    scope = catalog.collections.scope(anna, None)
    assert [info.document for info in catalog.documents.list(scope)] == ["a.txt"]
    listed = catalog.documents.list(scope, pending_in=scope.collections)
    assert [(info.document, info.status) for info in listed] == [
        ("a.txt", "indexed"),
        ("b.txt", "pending"),
    ]


def test_the_content_version_grows_with_every_change(
    catalog: Catalog, shelf: CollectionInfo
) -> None:
    place = shelf.collection_id
    document = store(catalog, place, law("Erstens"), indexed=False)
    versions = [shelf.content_version]
    for change in (
        lambda: catalog.documents.mark_indexed(place, document),
        lambda: catalog.documents.remove(place, document),
        lambda: catalog.collections.bump(place),
    ):
        change()
        versions.append(catalog.collections.get(place).content_version)
    assert versions == sorted(set(versions))


def test_an_unknown_id_is_not_found(collections: Collections) -> None:
    with pytest.raises(NotFound):
        collections.get("nowhere")


def test_another_process_changes_the_model_that_is_known_here(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.sqlite3'}"
    with Catalog.open(url) as here, Catalog.open(url) as there:
        made = here.collections.ensure(Principal(), "law").collection_id
        assert here.collections.fingerprint(made) is None
        for model in ("model-2", "model-3"):
            there.collections.set_fingerprint(made, model)
            assert here.collections.fingerprint(made) == model
