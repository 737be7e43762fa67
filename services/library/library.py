"""The facade of the knowledge base: what front ends do with collections and documents."""

from collections.abc import Callable, Sequence
from pathlib import Path

from services.domain import (
    Chunking,
    CollectionHealth,
    CollectionInfo,
    Hit,
    IngestReport,
    Language,
    OpenDocument,
    PageImage,
    Principal,
    SearchMode,
    SearchRequest,
    SearchResult,
    SectionSpan,
)
from services.domain.errors import InvalidInput
from services.domain.events import Event
from services.ingestion.pipeline import Ingestor
from services.library.archive.export import Exporter
from services.library.archive.restore import Restorer
from services.library.archive.values import ExportReport, RestoreReport
from services.library.configuration import Configuration
from services.library.doctor import Doctor
from services.library.graph import GraphLibrary
from services.library.pages.request import last_page, render_request
from services.library.search import Search

FULL_ID = 64
"""Characters of a document's whole id."""


class Library(GraphLibrary):
    """Every method acts for a principal, and reaches only what that principal may read.

    Ingesting, searching, ``health`` and ``repair`` need the stores, so they run in the process
    that owns them; the methods for texts need the catalog alone and run anywhere.
    """

    @property
    def configuration(self) -> Configuration:
        """Parameters of retrieval and synthesis in three tiers; needs the catalog alone."""
        return Configuration(self._parts.catalog.parameters, self._parts.settings.admins)

    def ingest(
        self,
        principal: Principal,
        paths: Sequence[Path],
        collection: str,
        language: Language = "auto",
        on_event: Callable[[Event], None] = lambda event: None,
        chunking: Chunking | None = None,
        prune: bool = False,
    ) -> IngestReport:
        """Ingest files and folders into the principal's own collection of that name.

        The collection is created when it is missing. An admin reaches those of others by id.
        What the texts say is put into the knowledge graph at the end. ``on_event`` is called with
        the progress of every file and of the whole, in the calling thread. ``chunking`` None
        means the default. With ``prune``, documents whose files are gone from the folders named
        are taken out of the collection; else they are only named.

        Raises:
            InvalidInput: no path was given, the collection's name cannot be used, or the
                principal may not change it.
            EmbeddingMismatch: another embedding model indexed the collection.
        """
        if not paths:
            raise InvalidInput("Nothing to ingest: name at least one file or folder.")
        parts = self._parts
        target = parts.catalog.collections.receiving(principal, collection)
        ingestor = Ingestor(
            parts.catalog,
            parts.embedder,
            parts.vectors,
            parts.lexical,
            parts.settings,
        )
        report = ingestor.ingest(
            paths,
            collection_id=target.collection_id,
            language=language,
            chunking=chunking,
            prune=prune,
            user=principal.user,
            on_event=on_event,
        )
        built = self.build_graph(principal, target.collection_id, on_event)
        return report.model_copy(update={"warnings": built.warnings})

    def search(
        self,
        principal: Principal,
        query: str,
        collections: Sequence[str] | None = None,
        k: int | None = None,
        mode: SearchMode = "hybrid",
    ) -> list[Hit]:
        """What the indexes find in these collections (None: all), with the global parameters.

        Unlike ``find`` without profile, cache and reranking.
        """
        names = None if collections is None else tuple(collections)
        request = SearchRequest(query=query, collections=names, k=k, mode=mode)
        return Search(self._parts, principal, request).find_plainly()

    async def find(self, principal: Principal, request: SearchRequest) -> SearchResult:
        """What a search finds, with the parameters of its profile; see ``Search.find``.

        To be awaited on the event loop of the language model.
        """
        return await Search(self._parts, principal, request).find()

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

    def open_document(
        self, principal: Principal, document: str, *, parser_version: str | None = None
    ) -> OpenDocument:
        """A document to read, by id, file name or the beginning of its id.

        Args:
            parser_version: the one whose text is wanted, for what cites it; None for the newest.

        Raises:
            NotFound: there is none that the principal may read, or not that text of it.
        """
        documents = self._parts.catalog.documents
        if len(document) != FULL_ID:
            document = self.document(principal, document).document_id
        info = documents.info(document, scope=self.scope(principal, None))
        parsed = documents.parsed(info.document_id, parser_version=parser_version)
        return OpenDocument(info=info, parsed=parsed)

    def page_image(
        self,
        principal: Principal,
        document_id: str,
        page: int,
        *,
        span: tuple[int, int] | None = None,
        excerpt: bool = False,
        parser_version: str | None = None,
    ) -> PageImage:
        """A page of a kept PDF file as an image, with what stands of a span on it marked.

        Args:
            page: 1-based.
            span: characters of the document's text, end exclusive.
            excerpt: whether the surroundings of the span suffice.
            parser_version: of the text in which the span lies; None for the newest.

        Raises:
            NotFound: there is no such document that the principal may read.
            InvalidInput: the document has no pages, or no such page.
            UnreadableDocument: the kept file is gone, has changed or cannot be drawn.
        """
        opened = self.open_document(principal, document_id, parser_version=parser_version)
        parsed = opened.parsed
        if not 1 <= page <= len(parsed.pages):
            raise InvalidInput(
                "The document has {pages} pages, and no page {page}.",
                pages=len(parsed.pages),
                page=page,
            )
        request = render_request(parsed.text, parsed.pages, page, span, excerpt=excerpt)
        until = page if span is None else max(page, last_page(parsed.pages, span))
        return self._parts.pages.draw(opened.info.document_id, request, last_page=until)

    def health(self, principal: Principal, collection: str | None = None) -> list[CollectionHealth]:
        """Compare the indexes of the collections that the principal may change with the catalog.

        Args:
            collection: name or id; None for all of them.
        """
        doctor = self._doctor()
        return [doctor.examine(info) for info in self._to_check(principal, collection)]

    def repair(
        self,
        principal: Principal,
        collection: str | None = None,
        on_event: Callable[[Event], None] = lambda event: None,
        *,
        afresh: bool = False,
    ) -> list[CollectionHealth]:
        """Make these indexes agree with the catalog, and clear what was deleted.

        ``on_event`` is called with the progress of every document, in the calling thread. With
        ``afresh`` the indexes are made anew, with the embedding model in use.

        Returns:
            How the collections are afterwards.
        """
        self.clear_deleted()
        doctor = self._doctor()
        mend = doctor.rebuild if afresh else doctor.repair
        return [mend(info, on_event) for info in self._to_check(principal, collection)]

    def export_collection(self, principal: Principal, name: str, file: Path) -> ExportReport:
        """Write a collection that the principal may read to a file; needs the catalog alone.

        Raises:
            InvalidInput: the file exists or cannot be written.
        """
        parts = self._parts
        exporter = Exporter(parts.catalog, parts.settings.home)
        return exporter.export(self.collection(principal, name), file)

    def restore_collection(
        self,
        principal: Principal,
        file: Path,
        name: str | None = None,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> RestoreReport:
        """Make a collection of the principal's own of such a file; see ``Restorer.restore``."""
        parts = self._parts
        restorer = Restorer(parts)
        try:
            report = restorer.restore(principal, file, name=name, on_event=on_event)
        finally:
            if parts.catalog.deletions.pending():
                self.clear_deleted()
        self.build_graph(principal, report.collection.collection_id, on_event)
        return report

    def _doctor(self) -> Doctor:
        return Doctor(self._parts)

    def _to_check(self, principal: Principal, collection: str | None) -> list[CollectionInfo]:
        if collection is None:
            return self._changeable(principal)
        return [self._parts.catalog.collections.changeable(principal, collection)]

    def _require_readable(
        self, principal: Principal, document_id: str, collections: Sequence[str] | None
    ) -> None:
        scope = self.scope(principal, collections)
        self._parts.catalog.documents.info(document_id, scope=scope)
