"""The facade of the knowledge base: what front ends do with collections and documents."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from services.domain import (
    Chunking,
    CollectionHealth,
    CollectionInfo,
    IngestEngine,
    IngestReport,
    Language,
    OpenDocument,
    PageImage,
    Principal,
    SearchRequest,
    SearchResult,
)
from services.domain.errors import InvalidInput
from services.domain.events import Event
from services.ingestion.by_ray import RayHands
from services.ingestion.hands import Hands
from services.ingestion.pipeline import Ingestor
from services.library.archive.export import Exporter
from services.library.archive.restore import Restorer
from services.library.archive.values import ExportReport, RestoreReport
from services.library.bin import BinLibrary
from services.library.doctor import Doctor
from services.library.pages.request import last_page, render_request
from services.library.search import Search

FULL_ID = 64
"""Characters of a document's whole id."""
OnEvent = Callable[[Event], None]


def untold(event: Event) -> None:
    """Nobody follows the progress."""


class Library(BinLibrary):
    """Every method acts for a principal, and reaches only what that principal may read.

    Ingesting, searching, ``health`` and ``repair`` need the stores, so they run in the process
    that owns them; opening documents and exporting need the catalog alone and run anywhere.
    ``on_event`` is told of the progress, in the calling thread.
    """

    def ingest(
        self,
        principal: Principal,
        paths: Sequence[Path],
        collection: str,
        language: Language = "auto",
        on_event: OnEvent = untold,
        chunking: Chunking | None = None,
        prune: bool = False,
        addresses: Sequence[str] = (),
        engine: IngestEngine = "local",
    ) -> IngestReport:
        """Take files and folders into the principal's own collection of that name.

        It is created when it is missing; an admin reaches those of others by id. What the texts
        say is put into the knowledge graph at the end. With ``prune``, documents whose files are
        gone from the folders named are taken out of the collection; else they are only named.
        ``addresses`` of the web are fetched, once each. ``engine`` says who reads and embeds.

        Raises:
            InvalidInput: no path was given, the collection's name cannot be used, the principal
                may not change it, or the engine is not installed.
            EmbeddingMismatch: another embedding model indexed the collection.
        """
        if not paths and not addresses:
            raise InvalidInput("Nothing to ingest: name at least one file, folder or address.")
        parts = self._parts
        target = parts.catalog.collections.receiving(principal, collection)
        stores = parts.catalog, parts.embedder, parts.vectors, parts.lexical
        hands = partial(RayHands, parts.settings) if engine == "ray" else Hands
        ingestor = Ingestor(*stores, parts.settings, hands=hands)
        report = ingestor.ingest(
            paths,
            collection_id=target.collection_id,
            language=language,
            chunking=chunking,
            prune=prune,
            addresses=addresses,
            user=principal.user,
            on_event=on_event,
        )
        built = self.build_graph(principal, target.collection_id, on_event)
        return report.model_copy(update={"warnings": (*report.warnings, *built.warnings)})

    async def find(self, principal: Principal, request: SearchRequest) -> SearchResult:
        """What a search finds, on the event loop of the language model; see ``Search.find``."""
        return await Search(self._parts, principal, request).find()

    def open_document(
        self, principal: Principal, document: str, *, parser_version: str | None = None
    ) -> OpenDocument:
        """A document to read, by id, file name or the beginning of its id.

        ``parser_version`` names the text that is wanted, for what cites it; None is the newest.

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
        close: bool = False,
        parser_version: str | None = None,
    ) -> PageImage:
        """A page (from 1) of a kept PDF file as an image, with what stands of a span on it marked.

        ``span`` are characters of the text of ``parser_version``; with ``excerpt`` the
        surroundings of the span suffice, and with ``close`` the next lines of them.

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
        words = tuple(word for line in parsed.recognised.get(page, ()) for word in line.words)
        request = render_request(
            parsed.text, parsed.pages, page, span, excerpt=excerpt, close=close, words=words
        )
        drawn = self._parts.pages.draw(opened.info.document_id, request)
        until = page if span is None else max(page, last_page(parsed.pages, span))
        return drawn.model_copy(update={"last_page": until})

    def health(self, principal: Principal, collection: str | None = None) -> list[CollectionHealth]:
        """Compare the indexes of the collections that the principal may change with the catalog."""
        doctor = Doctor(self._parts)
        return [doctor.examine(info) for info in self._to_check(principal, collection)]

    def repair(
        self,
        principal: Principal,
        collection: str | None = None,
        on_event: OnEvent = untold,
        *,
        afresh: bool = False,
    ) -> list[CollectionHealth]:
        """Make these indexes agree with the catalog, clear what was deleted, and examine again.

        With ``afresh`` the indexes are made anew, with the embedding model in use.
        """
        self.clear_deleted()
        doctor = Doctor(self._parts)
        mend = doctor.rebuild if afresh else doctor.repair
        return [mend(info, on_event) for info in self._to_check(principal, collection)]

    def export_collection(self, principal: Principal, name: str, file: Path) -> ExportReport:
        """Write a collection that the principal may read to a file; needs the catalog alone.

        Raises:
            InvalidInput: the file exists or cannot be written.
        """
        exporter = Exporter(self._parts.catalog, self._parts.settings.home)
        return exporter.export(self.collection(principal, name), file)

    def restore_collection(
        self,
        principal: Principal,
        file: Path,
        name: str | None = None,
        on_event: OnEvent = untold,
    ) -> RestoreReport:
        """Make a collection of the principal's own of such a file; see ``Restorer.restore``."""
        try:
            return Restorer(self._parts).restore(
                principal,
                file,
                name=name,
                on_event=on_event,
                finish=lambda place: self.build_graph(principal, place, on_event),
            )
        finally:
            if self._parts.catalog.deletions.pending():
                self.clear_deleted()

    def _to_check(self, principal: Principal, collection: str | None) -> list[CollectionInfo]:
        if collection is None:
            return self._changeable(principal)
        return [self._parts.catalog.collections.changeable(principal, collection)]
