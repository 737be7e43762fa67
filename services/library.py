"""The facade of the knowledge base: what front ends do with collections and documents."""

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from services.configuration import Configuration
from services.errors import InvalidInput
from services.events import Event
from services.settings import Settings
from services.types import (
    Chunking,
    CollectionInfo,
    DocumentInfo,
    Hit,
    IngestReport,
    Language,
    Principal,
    Scope,
    SearchMode,
    SearchRequest,
    SearchResult,
    SectionSpan,
    Value,
)

if TYPE_CHECKING:
    from services.catalog import Catalog, Visibility
    from services.embeddings import Embedder
    from services.retrieval.cache import SearchCache
    from services.retrieval.lexical import LexicalIndex
    from services.retrieval.retriever import Retriever
    from services.retrieval.vector import VectorIndex


class Parts(Protocol):
    """What the library is made of; each part opens when it is first asked for."""

    @property
    def settings(self) -> Settings: ...
    @property
    def catalog(self) -> "Catalog": ...
    @property
    def embedder(self) -> "Embedder": ...
    @property
    def vectors(self) -> "VectorIndex": ...
    @property
    def lexical(self) -> "LexicalIndex": ...
    @property
    def retriever(self) -> "Retriever": ...
    @property
    def searches(self) -> "SearchCache": ...


class CollectionHealth(Value):
    """How a collection's indexes agree with the catalog, in numbers of chunks.

    ``unfinished`` are file names whose ingestion broke off: ingesting them again finishes it.
    """

    collection: str
    chunks: int
    missing_vectors: int
    stale_vectors: int
    missing_keywords: int
    stale_keywords: int
    unfinished: tuple[str, ...]

    @property
    def healthy(self) -> bool:
        """Whether every chunk can be found and every document is whole.

        Stale entries do no harm: what the catalog does not know is never shown.
        """
        return not (self.missing_vectors or self.missing_keywords or self.unfinished)


class Library:
    """Every method acts for a principal, and reaches only what that principal may read.

    Ingesting, searching and ``health`` need the stores, so they run in the process that owns
    them; the other methods need the catalog alone and run anywhere.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._turn = Lock()

    @property
    def configuration(self) -> Configuration:
        """Parameters of retrieval and synthesis in three tiers; needs the catalog alone."""
        return Configuration(self._parts.catalog.parameters, self._parts.settings.admins)

    def collections(self, principal: Principal) -> list[CollectionInfo]:
        """The collections that the principal may read, by name."""
        return self._parts.catalog.collections.list(principal)

    def create_collection(
        self,
        principal: Principal,
        name: str,
        *,
        description: str = "",
        visibility: "Visibility" = "private",
    ) -> CollectionInfo:
        """A new, empty collection; raises InvalidInput for a bad or taken name."""
        return self._parts.catalog.collections.create(
            principal, name, description=description, visibility=visibility
        )

    def scope(self, principal: Principal, collections: Sequence[str] | None) -> Scope:
        """What a request over these collections (None: all) may read; raises NotFound."""
        return self._parts.catalog.collections.scope(principal, collections)

    def ingest(
        self,
        principal: Principal,
        paths: Sequence[Path],
        collection: str,
        language: Language = "auto",
        on_event: Callable[[Event], None] = lambda event: None,
        chunking: Chunking | None = None,
    ) -> IngestReport:
        """Ingest files and folders into the principal's own collection of that name.

        The collection is created when it is missing. ``on_event`` is called with the progress
        of every file, in the calling thread. ``chunking`` None means the default.

        Raises:
            InvalidInput: no path was given, or the collection's name cannot be used.
            EmbeddingMismatch: another embedding model indexed the collection.
        """
        if not paths:
            raise InvalidInput("Nothing to ingest: name at least one file or folder.")
        from services.ingestion.pipeline import Ingestor

        parts = self._parts
        target = parts.catalog.collections.ensure(principal, collection)
        ingestor = Ingestor(
            parts.catalog,
            parts.embedder,
            parts.vectors,
            parts.lexical,
            parts.settings,
            turn=self._turn,
        )
        return ingestor.ingest(
            paths,
            collection_id=target.collection_id,
            language=language,
            chunking=chunking,
            on_event=on_event,
        )

    def documents(self, principal: Principal, collection: str | None = None) -> list[DocumentInfo]:
        """The documents of a collection, or of all that the principal may read."""
        names = None if collection is None else [collection]
        return self._parts.catalog.documents.list(self.scope(principal, names))

    def search(
        self,
        principal: Principal,
        query: str,
        collections: Sequence[str] | None = None,
        k: int | None = None,
        mode: SearchMode = "hybrid",
    ) -> list[Hit]:
        """The hits of ``find`` for these collections (None: all), without a profile."""
        names = None if collections is None else tuple(collections)
        request = SearchRequest(query=query, collections=names, k=k, mode=mode)
        return list(self.find(principal, request).hits)

    def find(self, principal: Principal, request: SearchRequest) -> SearchResult:
        """What a search finds, with the parameters of its profile; see ``searching.find``."""
        from services.searching import find

        return find(self._parts, principal, request)

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

    def health(self, principal: Principal) -> list[CollectionHealth]:
        """Compare the indexes of every readable collection with the catalog."""
        return [self._health(info) for info in self.collections(principal)]

    def _health(self, info: CollectionInfo) -> CollectionHealth:
        parts, collection_id = self._parts, info.collection_id
        chunks = set(parts.catalog.chunks.ids(collection_id))
        vectors = set(parts.vectors.ids(collection_id))
        keywords = set(parts.lexical.ids(collection_id))
        return CollectionHealth(
            collection=info.name,
            chunks=len(chunks),
            missing_vectors=len(chunks - vectors),
            stale_vectors=len(vectors - chunks),
            missing_keywords=len(chunks - keywords),
            stale_keywords=len(keywords - chunks),
            unfinished=tuple(parts.catalog.documents.unfinished(collection_id)),
        )

    def _require_readable(
        self, principal: Principal, document_id: str, collections: Sequence[str] | None
    ) -> None:
        scope = self.scope(principal, collections)
        self._parts.catalog.documents.info(document_id, scope=scope)
