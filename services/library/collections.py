"""What the library holds: collections, their documents, and who may do what with them."""

from collections.abc import Sequence
from typing import TypeVar

from services.catalog.access import may_change
from services.catalog.metadata import SHORT_ID
from services.components import Components
from services.domain import (
    CollectionInfo,
    DocumentInfo,
    MetadataChanges,
    Principal,
    Scope,
    Shelf,
)
from services.domain.collections import BinnedDocument
from services.domain.errors import InvalidInput, NotFound
from services.ingestion.indexing import clear_leftovers

T = TypeVar("T", DocumentInfo, BinnedDocument)


class CollectionLibrary:
    """Collections and documents by name or id; every method acts for a principal.

    All methods raise NotFound for what the principal may not read, in the same words as for
    what does not exist, and InvalidInput for what they may read but not change.
    ``remove`` and ``clear_deleted`` need the stores, so they run in the process that
    owns them, alone; the other methods need the catalog alone.
    """

    def __init__(self, components: Components) -> None:
        self._components = components

    def collections(self, principal: Principal) -> list[CollectionInfo]:
        """The collections that the principal may read, by name."""
        return self._components.catalog.collections.list(principal)

    def collection(self, principal: Principal, name: str) -> CollectionInfo:
        """One collection; raises InvalidInput for a name that several have."""
        return self._components.catalog.collections.one(principal, name)

    def shelves(self, principal: Principal) -> list[Shelf]:
        """The collections that the principal may read, by name, with what they may do."""
        return self._shelved(principal, self.collections(principal))

    def shelf(self, principal: Principal, name: str) -> Shelf:
        """One of them, or an unlisted one by its id; raises as ``collection``."""
        return self._shelved(principal, [self.collection(principal, name)])[0]

    def _shelved(self, principal: Principal, found: Sequence[CollectionInfo]) -> list[Shelf]:
        subscribed = self._components.catalog.collections.subscriptions(principal)
        return [
            Shelf(
                **info.model_dump(),
                own=info.owner == principal.user,
                subscribed=info.collection_id in subscribed,
                changeable=may_change(principal, info),
            )
            for info in found
        ]

    def delete_collection(self, principal: Principal, name: str) -> CollectionInfo:
        """Delete a collection: nobody reads it any more, and its name is free.

        Its vectors, keywords and files go with the next ``clear_deleted``.

        Returns:
            The collection as it was.
        """
        found = self._own(principal, name)
        self._components.catalog.deletions.begin(found.collection_id)
        return found

    def clear_deleted(self) -> None:
        """Take out of the stores what belongs to deleted collections, and what nobody uses.

        May be cut short and done again at any time: what is left to do stands in the catalog.
        """
        deletions = self._components.catalog.deletions
        pending = deletions.pending()
        for collection_id in pending:
            self._components.vectors.drop(collection_id)
            self._components.lexical.drop(collection_id)
        self._clear_unused()
        for collection_id in pending:
            deletions.finish(collection_id)

    def scope(self, principal: Principal, collections: Sequence[str] | None) -> Scope:
        """What a request over these collections (None: all) may read; raises NotFound."""
        return self._components.catalog.collections.scope(principal, collections)

    def documents(self, principal: Principal, collection: str | None = None) -> list[DocumentInfo]:
        """The documents of a collection, or of all that the principal may read, by file name.

        Those whose ingestion broke off are ``pending`` and shown to whoever may change the
        collection.
        """
        scope = self.scope(principal, None if collection is None else [collection])
        mine = {info.collection_id for info in self._changeable(principal, None)}
        pending_in = sorted(mine.intersection(scope.collections))
        return self._components.catalog.documents.list(scope, pending_in=pending_in)

    def document(
        self, principal: Principal, document: str, collection: str | None = None
    ) -> DocumentInfo:
        """One document by file name, id or the first 8 or more characters of its id.

        Raises:
            NotFound: there is none that the principal may read.
            InvalidInput: several are meant.
        """
        return choose(self.documents(principal, collection), document)

    def versions(
        self, principal: Principal, collection: str | None, document: str
    ) -> list[DocumentInfo]:
        """What bears a file name in a collection (None: in any), older versions too: those in use,
        newest first.

        Older versions are ``retired``: nobody finds them, reports that cite them open them.
        """
        scope = self.scope(principal, [collection] if collection else None)
        return self._components.catalog.documents.versions(scope, document)

    def removable(self, principal: Principal, collection: str, document: str) -> DocumentInfo:
        """The document that is meant in a collection that the principal may change."""
        place = self._own(principal, collection).collection_id
        return self.document(principal, document, place)

    def remove(self, principal: Principal, collection: str, found: DocumentInfo) -> None:
        """Take what was `removable` out of a collection and its indexes, into its bin.

        May be cut short and done again: where it is in the bin already, the rest is done.
        """
        components = self._components
        place = self._own(principal, collection).collection_id
        components.catalog.documents.remove(place, found.document_id, by=principal.user)
        clear_leftovers(place, components.catalog, components.vectors, components.lexical)
        self._clear_unused()

    def edit_document(
        self, principal: Principal, collection: str, document: str, changes: MetadataChanges
    ) -> DocumentInfo:
        """Set tags, category, author or date of a document in a collection.

        Raises:
            InvalidInput: a value cannot be used, or nothing is to be changed.
        """
        if not changes.model_dump(exclude_none=True):
            raise InvalidInput("Nothing to change: name a tag, a category, an author or a date.")
        place = self._own(principal, collection).collection_id
        found = self.document(principal, document, place)
        self._components.catalog.metadata.edit(place, found.document_id, changes)
        return self.document(principal, found.document_id, place)

    def _own(self, principal: Principal, collection: str) -> CollectionInfo:
        """A collection that the principal may change, by name or id."""
        return self._components.catalog.collections.changeable(principal, collection)

    def _changeable(self, principal: Principal, collection: str | None) -> list[CollectionInfo]:
        """The collection of this name, or with None each, that the principal may change."""
        if collection is not None:
            return [self._own(principal, collection)]
        return [info for info in self.collections(principal) if may_change(principal, info)]

    def _clear_unused(self) -> None:
        """Delete the documents that no collection or its bin holds and no report names.

        The files go first: what is left behind by a kill is found again by the catalog.
        """
        self._components.catalog.bin.expire()
        deletions = self._components.catalog.deletions
        unused = deletions.unused()
        for document_id in unused:
            (self._components.settings.home / "originals" / document_id).unlink(missing_ok=True)
        deletions.forget(unused)


def choose(documents: Sequence[T], wanted: str) -> T:
    """The one document that is meant by a file name, an id or the beginning of an id."""
    found = [each for each in documents if wanted in (each.document, each.document_id)]
    if not found and len(wanted) >= SHORT_ID:
        found = [each for each in documents if each.document_id.startswith(wanted)]
    if not found:
        raise NotFound(
            "There is no document {document!r} that you can read there. `rabbithole "
            "documents list` shows the names.",
            document=wanted,
        )
    if len(found) > 1:
        ids = ", ".join(each.document_id[:12] for each in found)
        raise InvalidInput(
            "{count} documents are named {name!r}. Say which by id: {ids}.",
            count=len(found),
            name=wanted,
            ids=ids,
        )
    return found[0]
