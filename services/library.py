"""The facade of the knowledge base: what front ends do with collections and documents."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from services.errors import InvalidInput
from services.events import Event
from services.holdings import Holdings
from services.types import (
    CollectionHealth,
    CollectionInfo,
    Hit,
    IngestReport,
    Language,
    Principal,
    SearchMode,
    SectionSpan,
)

if TYPE_CHECKING:
    from services.doctor import Doctor

QUERY_LENGTH = 4000
MOST_HITS = 100


class Library(Holdings):
    """Every method acts for a principal, and reaches only what that principal may read.

    Ingesting, searching, ``health`` and ``repair`` need the stores, so they run in the process
    that owns them; the methods for texts need the catalog alone and run anywhere.
    """

    def ingest(
        self,
        principal: Principal,
        paths: Sequence[Path],
        collection: str,
        language: Language = "auto",
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> IngestReport:
        """Ingest files and folders into the principal's own collection of that name.

        The collection is created when it is missing. An admin reaches those of others by id.
        ``on_event`` is called with the progress of every file, in the calling thread.

        Raises:
            InvalidInput: no path was given, the collection's name cannot be used, or the
                principal may not change it.
            EmbeddingMismatch: another embedding model indexed the collection.
        """
        if not paths:
            raise InvalidInput("Nothing to ingest: name at least one file or folder.")
        from services.ingestion.pipeline import Ingestor

        parts = self._parts
        target = parts.catalog.sharing.receiving(principal, collection)
        ingestor = Ingestor(
            parts.catalog, parts.embedder, parts.vectors, parts.lexical, parts.settings
        )
        return ingestor.ingest(
            paths, collection_id=target.collection_id, language=language, on_event=on_event
        )

    def search(
        self,
        principal: Principal,
        query: str,
        collections: Sequence[str] | None = None,
        k: int | None = None,
        mode: SearchMode = "hybrid",
    ) -> list[Hit]:
        """The best chunks for a query, best first.

        Args:
            collections: names or ids, None for all that the principal may read.
            k: how many, 1 to 100; None for the configured number.

        Raises:
            InvalidInput: the query is empty or too long, or ``k`` out of range.
            NotFound: a collection is unknown or may not be read.
            EmbeddingMismatch: another embedding model indexed one of the collections.
        """
        wanted = self._parts.settings.k if k is None else k
        if not 1 <= wanted <= MOST_HITS:
            raise InvalidInput(f"The number of hits must be 1 to {MOST_HITS}, not {wanted}.")
        if not query.strip() or len(query) > QUERY_LENGTH:
            raise InvalidInput(f"A query needs 1 to {QUERY_LENGTH} characters.")
        scope = self.scope(principal, collections)
        return self._parts.retriever.search(query, scope=scope, k=wanted, mode=mode)

    def document_text(
        self, principal: Principal, document_id: str, collections: Sequence[str] | None = None
    ) -> str:
        """The whole extracted text of a document that these collections (None: all) hold.

        Raises:
            NotFound: it is in none of them that the principal may read.
        """
        self._require_readable(principal, document_id, collections)
        return self._parts.catalog.documents.text(document_id)

    def sections(
        self, principal: Principal, document_id: str, collections: Sequence[str] | None = None
    ) -> list[SectionSpan]:
        """The sections of a document in the order of its text; raises as ``document_text``."""
        self._require_readable(principal, document_id, collections)
        return self._parts.catalog.documents.sections(document_id)

    def health(self, principal: Principal, collection: str | None = None) -> list[CollectionHealth]:
        """Compare the indexes of the collections that the principal may change with the catalog.

        Args:
            collection: name or id; None for all of them.
        """
        doctor = self._doctor()
        return [doctor.examine(info) for info in self._patients(principal, collection)]

    def repair(
        self,
        principal: Principal,
        collection: str | None = None,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> list[CollectionHealth]:
        """Make these indexes agree with the catalog, and clear what was deleted.

        ``on_event`` is called with the progress of every document, in the calling thread.

        Returns:
            How the collections are afterwards.
        """
        self.clear_deleted()
        doctor = self._doctor()
        return [doctor.repair(info, on_event) for info in self._patients(principal, collection)]

    def _doctor(self) -> "Doctor":
        from services.doctor import Doctor

        parts = self._parts
        return Doctor(parts.catalog, parts.embedder, parts.vectors, parts.lexical)

    def _patients(self, principal: Principal, collection: str | None) -> list[CollectionInfo]:
        if collection is None:
            return self._changeable(principal)
        return [self._parts.catalog.sharing.changeable(principal, collection)]

    def _require_readable(
        self, principal: Principal, document_id: str, collections: Sequence[str] | None
    ) -> None:
        scope = self.scope(principal, collections)
        self._parts.catalog.documents.info(document_id, scope=scope)
