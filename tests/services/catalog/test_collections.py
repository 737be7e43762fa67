from pathlib import Path

import pytest

from services.catalog import Catalog
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from tests.support.documents import law, split, store


def names(catalog: Catalog, principal: Principal) -> list[str]:
    return [info.name for info in catalog.collections.list(principal)]


def test_a_new_collection_is_empty_private_and_its_owners(
    catalog: Catalog, anna: Principal
) -> None:
    info = catalog.collections.create(anna, "  Strahlenschutz ", description="Gesetze")
    assert (info.name, info.owner, info.visibility) == ("Strahlenschutz", "anna", "private")
    assert (info.documents, info.chunks, info.content_version) == (0, 0, 0)
    assert catalog.collections.list(anna) == [info]


def test_names_are_unique_for_each_owner(catalog: Catalog, anna: Principal, ben: Principal) -> None:
    catalog.collections.create(anna, "law")
    catalog.collections.create(ben, "law")
    with pytest.raises(InvalidInput, match="already"):
        catalog.collections.create(anna, "law")


@pytest.mark.parametrize("name", ["", "   ", "x" * 121, "a\nb", "a\0b"])
def test_a_name_that_cannot_be_shown_is_refused(
    catalog: Catalog, anna: Principal, name: str
) -> None:
    with pytest.raises(InvalidInput, match="printable"):
        catalog.collections.create(anna, name)


def test_ensure_finds_or_creates_ones_own(
    catalog: Catalog, anna: Principal, ben: Principal
) -> None:
    theirs = catalog.collections.create(ben, "law", visibility="public")
    mine = catalog.collections.ensure(anna, "law")
    assert mine.owner == "anna" and mine.collection_id != theirs.collection_id
    assert catalog.collections.ensure(anna, "law") == mine


def test_who_sees_which_collection(
    catalog: Catalog, anna: Principal, ben: Principal, admin: Principal
) -> None:
    for visibility in ("private", "unlisted", "public"):
        catalog.collections.create(anna, visibility, visibility=visibility)
    catalog.collections.create(admin, "admin", visibility="admin")
    assert names(catalog, anna) == ["admin", "private", "public", "unlisted"]
    assert names(catalog, ben) == ["admin", "public"]
    assert names(catalog, admin) == ["admin", "private", "public", "unlisted"]


def test_only_admins_create_admin_owned_collections(catalog: Catalog, anna: Principal) -> None:
    with pytest.raises(InvalidInput, match="admin"):
        catalog.collections.create(anna, "law", visibility="admin")


def test_a_scope_without_names_is_everything_readable(
    catalog: Catalog, anna: Principal, ben: Principal
) -> None:
    mine = catalog.collections.create(ben, "mine")
    shared = catalog.collections.create(anna, "shared", visibility="public")
    catalog.collections.create(anna, "secret")
    catalog.collections.create(anna, "link only", visibility="unlisted")
    scope = catalog.collections.scope(ben, None)
    assert scope.user == "ben"
    assert set(scope.collections) == {mine.collection_id, shared.collection_id}


def test_an_empty_list_of_names_is_an_empty_scope(catalog: Catalog, anna: Principal) -> None:
    catalog.collections.create(anna, "law")
    assert catalog.collections.scope(anna, []).collections == ()


def test_a_name_means_ones_own_collection_first(
    catalog: Catalog, anna: Principal, ben: Principal
) -> None:
    catalog.collections.create(anna, "law", visibility="public")
    mine = catalog.collections.create(ben, "law")
    assert catalog.collections.scope(ben, ["law"]).collections == (mine.collection_id,)


@pytest.mark.parametrize("name", ["secret", "secre", "secret ", "SECRET", "s%", "s*", "_ecret", ""])
def test_what_may_not_be_read_looks_like_what_does_not_exist(
    catalog: Catalog, anna: Principal, ben: Principal, name: str
) -> None:
    hidden = catalog.collections.create(anna, "secret")
    catalog.collections.create(ben, "open")
    for guess in (name, hidden.collection_id):
        with pytest.raises(NotFound, match="You can read: open") as raised:
            catalog.collections.scope(ben, [guess])
        assert repr(guess) in str(raised.value)
        assert "anna" not in str(raised.value)


def test_an_unlisted_collection_is_reached_by_its_id_alone(
    catalog: Catalog, anna: Principal, ben: Principal
) -> None:
    hidden = catalog.collections.create(anna, "hidden", visibility="unlisted")
    assert catalog.collections.scope(ben, [hidden.collection_id]).collections == (
        hidden.collection_id,
    )
    with pytest.raises(NotFound):
        catalog.collections.scope(ben, ["hidden"])


def test_numbers_count_indexed_documents_and_their_chunks(
    catalog: Catalog, anna: Principal
) -> None:
    collection = catalog.collections.create(anna, "law").collection_id
    parsed = law("Erstens", "Zweitens")
    store(catalog, collection, parsed)
    store(catalog, collection, law("Anderes"), name="b.txt", indexed=False)
    info = catalog.collections.get(collection)
    assert (info.documents, info.chunks) == (1, len(split(parsed)))


def test_the_content_version_grows_with_every_change(catalog: Catalog, anna: Principal) -> None:
    collection = catalog.collections.create(anna, "law").collection_id
    versions = [catalog.collections.get(collection).content_version]
    document = store(catalog, collection, law("Erstens"), indexed=False)
    catalog.documents.mark_indexed(collection, document)
    versions.append(catalog.collections.get(collection).content_version)
    catalog.documents.remove(collection, document)
    versions.append(catalog.collections.get(collection).content_version)
    catalog.collections.bump(collection)
    versions.append(catalog.collections.get(collection).content_version)
    assert versions == sorted(set(versions))


def test_the_fingerprint_is_none_until_it_is_set(catalog: Catalog, anna: Principal) -> None:
    collection = catalog.collections.create(anna, "law").collection_id
    assert catalog.collections.fingerprint(collection) is None
    catalog.collections.set_fingerprint(collection, "e5/384")
    assert catalog.collections.fingerprint(collection) == "e5/384"


def test_an_unknown_id_is_not_found(catalog: Catalog) -> None:
    with pytest.raises(NotFound):
        catalog.collections.get("nowhere")


def test_another_process_changes_the_model_that_is_known_here(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.sqlite3'}"
    with Catalog.open(url) as here, Catalog.open(url) as there:
        made = here.collections.ensure(Principal(), "law").collection_id
        assert here.collections.fingerprint(made) is None
        there.collections.set_fingerprint(made, "model-2")
        assert here.collections.fingerprint(made) == "model-2"
