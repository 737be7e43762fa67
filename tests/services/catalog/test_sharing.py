"""Naming, sharing and subscribing: who may, and what it changes."""

import pytest

from services.catalog import Catalog
from services.domain import CollectionInfo, Principal
from services.domain.errors import InvalidInput, NotFound
from tests.support.documents import law, store


def names(catalog: Catalog, principal: Principal) -> list[str]:
    return [info.name for info in catalog.collections.list(principal)]


@pytest.fixture
def shelf(catalog: Catalog, anna: Principal) -> CollectionInfo:
    return catalog.collections.create(anna, "law")


def test_a_collection_gets_another_name_and_description(
    catalog: Catalog, anna: Principal, shelf: CollectionInfo
) -> None:
    renamed = catalog.collections.change(
        anna, "law", new_name=" acts ", description="Gesetze\nalle"
    )
    assert (renamed.name, renamed.description) == ("acts", "Gesetze\nalle")
    assert renamed.collection_id == shelf.collection_id
    assert names(catalog, anna) == ["acts"]
    assert catalog.collections.change(anna, "acts", description="").name == "acts"


def test_a_name_that_the_owner_has_already_is_refused(
    catalog: Catalog, anna: Principal, admin: Principal, shelf: CollectionInfo
) -> None:
    catalog.collections.create(anna, "acts")
    for who in (anna, admin):
        with pytest.raises(InvalidInput, match=r"already.*'acts'.*another name"):
            catalog.collections.change(who, shelf.collection_id, new_name="acts")
    assert names(catalog, anna) == ["acts", "law"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 121, "a\nb"])
def test_bad_names_are_refused(catalog: Catalog, anna: Principal, name: str) -> None:
    catalog.collections.create(anna, "law")
    with pytest.raises(InvalidInput, match="printable"):
        catalog.collections.change(anna, "law", new_name=name)


@pytest.mark.parametrize("text", ["\x1b[2J", "x" * 2001])
def test_descriptions_that_would_disturb_a_terminal_are_refused(
    catalog: Catalog, anna: Principal, shelf: CollectionInfo, text: str
) -> None:
    with pytest.raises(InvalidInput, match="printable"):
        catalog.collections.change(anna, "law", description=text)
    with pytest.raises(InvalidInput, match="printable"):
        catalog.collections.create(anna, "other", description=text)


def test_what_another_may_read_they_may_not_change(
    catalog: Catalog, anna: Principal, ben: Principal, shelf: CollectionInfo
) -> None:
    catalog.collections.change(anna, "law", visibility="public")
    for change in ({"new_name": "mine"}, {"visibility": "private"}, {"description": "x"}):
        with pytest.raises(InvalidInput, match="belongs to anna"):
            catalog.collections.change(ben, "law", **change)
    with pytest.raises(InvalidInput, match="belongs to anna"):
        catalog.collections.changeable(ben, "law")
    assert catalog.collections.one(ben, "law").visibility == "public"


def test_what_another_may_not_read_does_not_exist_for_them(
    catalog: Catalog, ben: Principal, shelf: CollectionInfo
) -> None:
    for guess in ("law", shelf.collection_id):
        for call in (
            catalog.collections.one,
            catalog.collections.changeable,
            catalog.collections.subscribe,
        ):
            with pytest.raises(NotFound, match="none yet"):
                call(ben, guess)


def test_an_admin_changes_what_belongs_to_others(
    catalog: Catalog, anna: Principal, ben: Principal, admin: Principal, shelf: CollectionInfo
) -> None:
    shared = catalog.collections.change(admin, "law", visibility="admin")
    assert (shared.owner, shared.visibility) == ("anna", "admin")
    assert names(catalog, ben) == ["law"]
    for who in (anna, ben):
        with pytest.raises(InvalidInput, match="Only an admin"):
            catalog.collections.change(who, "law", new_name="mine")


def test_only_admins_make_a_collection_admin_owned(
    catalog: Catalog, anna: Principal, shelf: CollectionInfo
) -> None:
    with pytest.raises(InvalidInput, match="Only an admin"):
        catalog.collections.change(anna, "law", visibility="admin")
    assert catalog.collections.get(shelf.collection_id).visibility == "private"


def test_a_subscribed_collection_shows_up_until_it_is_private(
    catalog: Catalog, anna: Principal, ben: Principal, shelf: CollectionInfo
) -> None:
    shelf_id = shelf.collection_id
    catalog.collections.change(anna, "law", visibility="unlisted")
    assert names(catalog, ben) == []
    with pytest.raises(NotFound):
        catalog.collections.subscribe(ben, "law")
    for _ in range(2):
        assert catalog.collections.subscribe(ben, shelf_id).name == "law"
    assert names(catalog, ben) == ["law"]
    assert catalog.collections.scope(ben, None).collections == (shelf_id,)
    assert catalog.collections.scope(ben, ["law"]).collections == (shelf_id,)
    catalog.collections.change(anna, "law", visibility="private")
    assert names(catalog, ben) == []
    catalog.collections.change(anna, "law", visibility="unlisted")
    assert names(catalog, ben) == []


def test_a_subscription_can_be_taken_back(
    catalog: Catalog, anna: Principal, ben: Principal
) -> None:
    shelf = catalog.collections.create(anna, "law", visibility="unlisted").collection_id
    catalog.collections.subscribe(ben, shelf)
    for _ in range(2):
        catalog.collections.unsubscribe(ben, shelf)
    assert names(catalog, ben) == []


def test_a_name_that_several_have_is_asked_for_by_id(
    catalog: Catalog, anna: Principal, ben: Principal, admin: Principal, shelf: CollectionInfo
) -> None:
    theirs = catalog.collections.create(ben, "law")
    with pytest.raises(InvalidInput, match="by its id") as raised:
        catalog.collections.change(admin, "law", new_name="acts")
    assert shelf.collection_id in str(raised.value) and theirs.collection_id in str(raised.value)
    assert catalog.collections.one(ben, "law") == theirs


def test_nobody_takes_a_collection_over_by_naming_theirs_like_its_id(
    catalog: Catalog, anna: Principal, ben: Principal, shelf: CollectionInfo
) -> None:
    catalog.collections.create(ben, shelf.collection_id, visibility="public")
    assert catalog.collections.scope(anna, [shelf.collection_id]).collections == (
        shelf.collection_id,
    )
    assert catalog.collections.one(anna, shelf.collection_id) == shelf


def test_documents_go_to_ones_own_collection_or_to_the_one_with_that_id(
    catalog: Catalog, anna: Principal, ben: Principal, admin: Principal
) -> None:
    shared = catalog.collections.create(anna, "law", visibility="public")
    assert catalog.collections.receiving(anna, "law") == shared
    assert catalog.collections.receiving(anna, shared.collection_id) == shared
    assert catalog.collections.receiving(admin, shared.collection_id) == shared
    assert catalog.collections.receiving(ben, "law").owner == "ben"
    with pytest.raises(InvalidInput, match="belongs to anna"):
        catalog.collections.receiving(ben, shared.collection_id)


def test_a_former_admin_no_longer_fills_an_admin_owned_collection(
    catalog: Catalog, admin: Principal
) -> None:
    catalog.collections.create(admin, "law", visibility="admin")
    with pytest.raises(InvalidInput, match="Only an admin"):
        catalog.collections.receiving(Principal(user=admin.user), "law")


def test_pending_documents_are_listed_for_those_who_fill_the_collection(
    catalog: Catalog, anna: Principal, shelf: CollectionInfo
) -> None:
    store(catalog, shelf.collection_id, law("Erstens"), name="a.txt")
    store(catalog, shelf.collection_id, law("Zweitens"), name="b.txt", indexed=False)
    scope = catalog.collections.scope(anna, None)
    assert [info.document for info in catalog.documents.list(scope)] == ["a.txt"]
    listed = catalog.documents.list(scope, pending_in=scope.collections)
    assert [(info.document, info.status) for info in listed] == [
        ("a.txt", "indexed"),
        ("b.txt", "pending"),
    ]
