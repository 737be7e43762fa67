"""The bins of collections: what was removed can be put back for a while."""

from collections.abc import Callable

from services.catalog.values import NewMember
from services.domain import Chunking, DocumentInfo, MetadataChanges, Principal
from services.domain.collections import BinnedDocument
from services.domain.events import Event
from services.ingestion.indexing import Indexer
from services.ingestion.job import Job
from services.ingestion.registry import aliases_of
from services.library.collections import choose
from services.library.graph import GraphLibrary


class BinLibrary(GraphLibrary):
    """For whoever may change a collection; all methods raise as those of collections."""

    def bin(self, principal: Principal, collection: str) -> list[BinnedDocument]:
        """What can be put back into a collection, the last removed first."""
        found = self._parts.catalog.collections.changeable(principal, collection)
        return self._parts.catalog.bin.list(found.collection_id)

    def binned(self, principal: Principal, collection: str, document: str) -> BinnedDocument:
        """What is meant by a file name or an id in the bin of a collection."""
        return choose(self.bin(principal, collection), document)

    def put_back(
        self,
        principal: Principal,
        collection: str,
        wanted: BinnedDocument,
        on_event: Callable[[Event], None],
    ) -> DocumentInfo:
        """Put what was `binned` back as it was, its older versions left out.

        May be cut short and done again at any time.

        Raises:
            EmbeddingMismatch: another embedding model indexed the collection.
        """
        parts, catalog = self._parts, self._parts.catalog
        place = catalog.collections.changeable(principal, collection)
        here = place.collection_id
        indexer = Indexer(catalog, parts.embedder, parts.vectors, parts.lexical)
        indexer.require_same_model(place)
        name, id_ = wanted.document, wanted.document_id
        aliases = aliases_of(catalog.documents.parsed(id_), document=name, document_id=id_)
        member = NewMember(id_, name, wanted.source, aliases)
        catalog.documents.attach(here, member, wanted.chunking)
        if wanted.people_set != MetadataChanges():
            catalog.metadata.edit(here, id_, wanted.people_set)
        job = Job(place, "auto", Chunking.of_key(wanted.chunking), on_event)
        indexer.index_everywhere(id_, name, job)
        catalog.bin.take_out(here, id_)
        self.build_graph(principal, here, on_event)
        return self.document(principal, id_, here)

    def empty_bin(self, principal: Principal, collection: str) -> list[BinnedDocument]:
        """Give up what lies in the bin of a collection; its files go with ``clear_deleted``."""
        place = self._parts.catalog.collections.changeable(principal, collection).collection_id
        found = self._parts.catalog.bin.list(place)
        self._parts.catalog.bin.empty(place)
        return found
