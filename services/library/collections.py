"""The collections and documents of the library, with the access of a principal."""

from collections.abc import Sequence
from typing import TypeVar

from services.catalog.access import may_change
from services.catalog.deletions import VECTORS
from services.catalog.metadata import SHORT_ID
from services.components import Components
from services.domain import CollectionInfo, DocumentInfo, MetadataChanges, Principal, Scope, Shelf
from services.domain.collections import BinnedDocument
from services.domain.errors import InvalidInput, NotFound

T = TypeVar("T", DocumentInfo, BinnedDocument)


class CollectionLibrary:
    """Collections and documents by name or id; every method acts for a principal.

    All methods raise NotFound for what the principal may not read, in the same words as for what
    does not exist, and InvalidInput for what they may read but not change. ``remove`` and
    ``clear_deleted`` run in the process that owns the stores, one at a time.
    """

    def __init__(self, components: Components) -> None:
        self._components = components

    def collections(self, principal: Principal) -> list[CollectionInfo]:
        """Return the collections that the principal may read, by name."""
        return self._components.catalog.collections.list(principal)

    def collection(self, principal: Principal, name: str) -> CollectionInfo:
        """Return one collection; raise InvalidInput for a name that several have."""
        return self._components.catalog.collections.one(principal, name)

    def shelves(self, principal: Principal) -> list[Shelf]:
        """Return the collections that the principal may read, with what they may do."""
        return self._shelved(principal, self.collections(principal))

    def shelf(self, principal: Principal, name: str) -> Shelf:
        """Return one of the `shelves`, or an unlisted collection by its id."""
        return self._shelved(principal, [self.collection(principal, name)])[0]

    def _shelved(self, principal: Principal, infos: Sequence[CollectionInfo]) -> list[Shelf]:
        subscribed = self._components.catalog.collections.subscriptions(principal)
        return [
            Shelf(
                **info.model_dump(),
                own=info.owner == principal.user,
                subscribed=info.collection_id in subscribed,
                changeable=may_change(principal, info),
            )
            for info in infos
        ]

    def delete_collection(self, principal: Principal, name: str) -> CollectionInfo:
        """Delete a collection, whose data ``clear_deleted`` will delete, and free its name."""
        info = self._changeable(principal, name)
        self._components.catalog.deletions.begin(info.collection_id)
        return info

    def clear_deleted(self, *, traces: bool = False) -> None:
        """Delete the data of deleted collections and unused documents from the stores.

        May be interrupted and repeated at any time: the catalog records what is left to do. With
        ``traces``, indexes whose files have traces of deleted documents are rewritten too, which
        takes as long as to fill them from the cache of vectors.
        """
        deletions = self._components.catalog.deletions
        pending = deletions.pending()
        for collection_id in pending:
            self._components.vectors.drop(collection_id)
            self._components.lexical.drop(collection_id)
        self._clear_unused()
        for collection_id in pending:
            deletions.finish(collection_id)
        for collection_id in deletions.traces() if traces else ():
            if collection_id == VECTORS:
                self._components.indexer.clear_cache()
            else:
                self._components.indexer.rewrite(collection_id)
            deletions.finish(collection_id)
        self._components.catalog.clear_log()

    def scope(self, principal: Principal, collections: Sequence[str] | None) -> Scope:
        """Return what a request over these collections (None: all) may read; raise NotFound."""
        return self._components.catalog.collections.scope(principal, collections)

    def documents(self, principal: Principal, collection: str | None = None) -> list[DocumentInfo]:
        """Return the documents of a collection, or of all readable ones, by file name.

        Those whose ingestion broke off are ``pending``, and listed for those who may change the
        collection.
        """
        scope = self.scope(principal, None if collection is None else [collection])
        changeable = {info.collection_id for info in self._all_changeable(principal, None)}
        pending_in = sorted(changeable.intersection(scope.collections))
        return self._components.catalog.documents.list(scope, pending_in=pending_in)

    def document(
        self, principal: Principal, document: str, collection: str | None = None
    ) -> DocumentInfo:
        """Return the document of a file name, an id, or 8 or more characters that begin its id."""
        return choose(self.documents(principal, collection), document)

    def versions(
        self, principal: Principal, collection: str | None, document: str
    ) -> list[DocumentInfo]:
        """Return all versions of a file name in a collection (None: in any), current ones first."""
        scope = self.scope(principal, [collection] if collection else None)
        return self._components.catalog.documents.versions(scope, document)

    def removable(self, principal: Principal, collection: str, document: str) -> DocumentInfo:
        """Return a document of a collection that the principal may change."""
        collection_id = self._changeable(principal, collection).collection_id
        return self.document(principal, document, collection_id)

    def remove(self, principal: Principal, collection: str, document: DocumentInfo) -> None:
        """Move a `removable` document from a collection and its indexes to the bin."""
        components = self._components
        collection_id = self._changeable(principal, collection).collection_id
        components.catalog.documents.remove(collection_id, document.document_id, by=principal.user)
        components.indexer.clear(collection_id)
        self._clear_unused()

    def edit_document(
        self, principal: Principal, collection: str, document: str, changes: MetadataChanges
    ) -> DocumentInfo:
        """Set tags, category, author or date of a document in a collection; raise InvalidInput."""
        if not changes.model_dump(exclude_none=True):
            raise InvalidInput("Nothing to change: give a tag, a category, an author or a date.")
        collection_id = self._changeable(principal, collection).collection_id
        info = self.document(principal, document, collection_id)
        self._components.catalog.metadata.edit(collection_id, info.document_id, changes)
        return self.document(principal, info.document_id, collection_id)

    def _changeable(self, principal: Principal, collection: str) -> CollectionInfo:
        return self._components.catalog.collections.changeable(principal, collection)

    def _all_changeable(self, principal: Principal, collection: str | None) -> list[CollectionInfo]:
        """Return the given collection, or with None all that the principal may change."""
        if collection is not None:
            return [self._changeable(principal, collection)]
        return [info for info in self.collections(principal) if may_change(principal, info)]

    def _clear_unused(self) -> None:
        """Delete documents in no collection, bin or report, their files before their rows."""
        self._components.catalog.bin.expire()
        deletions = self._components.catalog.deletions
        unused = deletions.unused()
        for document_id in unused:
            (self._components.settings.home / "originals" / document_id).unlink(missing_ok=True)
        deletions.forget(unused)


def choose(documents: Sequence[T], name: str) -> T:
    """Return the one document with a file name, an id or the beginning of an id."""
    matches = [
        document for document in documents if name in (document.document, document.document_id)
    ]
    if not matches and len(name) >= SHORT_ID:
        matches = [match for match in documents if match.document_id.startswith(name)]
    if not matches:
        raise NotFound(
            "There is no document {document!r} in this collection that you can read. "
            "`rabbithole documents list` shows the names.",
            document=name,
        )
    if len(matches) > 1:
        raise InvalidInput(
            "{count} documents are named {name!r}. Choose one by its id: {ids}.",
            count=len(matches),
            name=name,
            ids=", ".join(match.document_id[:12] for match in matches),
        )
    return matches[0]
