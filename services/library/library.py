"""The library: everything that front ends do with collections and documents."""

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from services.catalog.values import NewMember
from services.domain import (
    Chunking,
    CollectionHealth,
    DocumentInfo,
    IngestEngine,
    IngestReport,
    Language,
    MetadataChanges,
    OpenDocument,
    PageImage,
    Principal,
    Scope,
    SearchRequest,
    SearchResult,
)
from services.domain.collections import BinnedDocument
from services.domain.errors import InvalidInput
from services.domain.events import Event
from services.graph.values import BuildReport, FactsCost, FactsRead, Merge
from services.ingestion.file_reader import FileReader
from services.ingestion.job import Alone, IngestionJob
from services.ingestion.pipeline import Ingestor
from services.ingestion.ray_reader import RayReader
from services.library.archive.export import Exporter, ExportReport, RestoreReport
from services.library.archive.restore import Restorer
from services.library.collections import CollectionLibrary, choose
from services.library.doctor import Doctor
from services.library.pages.marks import SCALE, render_request
from services.library.search import Search
from services.models.base import ChatModel
from services.references.registry import aliases_of

if TYPE_CHECKING:
    from services.graph.build import GraphBuilder
    from services.graph.facts import FactsReader

FULL_ID: Final = re.compile(r"[0-9a-f]{64}")
"""The complete id of a document."""
OnEvent = Callable[[Event], None]


def ignore_event(event: Event) -> None:
    """Ignore progress."""


class Library(CollectionLibrary):
    """Every method acts for a principal, and reaches only what that principal may read.

    Ingesting, searching, ``put_back``, ``health``, ``repair`` and building the graph run in the
    process that owns the stores; opening documents and exporting need the catalog alone. Progress
    is reported to ``on_event`` in the calling thread.
    """

    def ingest(
        self,
        principal: Principal,
        paths: Sequence[Path],
        collection: str,
        language: Language = "auto",
        on_event: OnEvent = ignore_event,
        chunking: Chunking | None = None,
        prune: bool = False,
        engine: IngestEngine = "local",
        alone: Alone = nullcontext,
    ) -> IngestReport:
        """Ingest files and folders into the principal's own collection of that name.

        The collection is created if it is missing; an admin reaches those of others by id. At the
        end the texts are added to the knowledge graph. With ``prune``, documents whose files are
        gone from the folders are removed; otherwise they are only reported. ``engine`` parses and
        embeds; its results are written within ``alone``. Raises InvalidInput, or EmbeddingMismatch
        if another model indexed the collection.
        """
        if not paths:
            raise InvalidInput("Nothing to ingest: give at least one file or folder.")
        components = self._components
        target = components.catalog.collections.receiving(principal, collection)
        stores = components.catalog, components.embedder, components.vectors, components.lexical
        make_reader = partial(RayReader, components.settings) if engine == "ray" else FileReader
        ingestor = Ingestor(*stores, components.settings, make_reader=make_reader, alone=alone)
        report = ingestor.ingest(
            paths,
            collection_id=target.collection_id,
            language=language,
            chunking=chunking,
            prune=prune,
            user=principal.user,
            on_event=on_event,
        )
        with alone():
            built = self.build_graph(principal, target.collection_id, on_event)
        return report.model_copy(update={"warnings": (*report.warnings, *built.warnings)})

    async def find(self, principal: Principal, request: SearchRequest) -> SearchResult:
        """Search, on the event loop of the language model; see ``Search.find``."""
        return await Search(self._components, principal, request).find()

    def open_document(
        self, principal: Principal, document: str, *, parser_version: str | None = None
    ) -> OpenDocument:
        """Return a document to read, by id, file name or the beginning of its id; raise NotFound.

        ``parser_version`` selects an older text, for reports that cite it; None is the newest.
        """
        catalog = self._components.catalog
        if not FULL_ID.fullmatch(document):
            document = self.document(principal, document).document_id
        info = catalog.documents.info(document, scope=catalog.collections.opening(principal))
        parsed = catalog.documents.parsed(info.document_id, parser_version=parser_version)
        return OpenDocument(info=info, parsed=parsed)

    def page_image(
        self,
        principal: Principal,
        document_id: str,
        page: int,
        *,
        span: tuple[int, int] | None = None,
        around: float | None = None,
        parser_version: str | None = None,
        scale: float = SCALE,
    ) -> PageImage:
        """Draw a page (from 1) of a stored PDF file, with a span marked.

        ``span`` is in characters of the text of ``parser_version``; ``around`` is the height in
        points to show above and below it, None for the entire page. ``scale`` is pixels per point.
        Raises NotFound, InvalidInput for a page that does not exist, or UnreadableDocument.
        """
        opened = self.open_document(principal, document_id, parser_version=parser_version)
        parsed = opened.parsed
        if not 1 <= page <= len(parsed.pages):
            raise InvalidInput(
                "There is no page {page}. Pages in the document: {pages}.",
                pages=len(parsed.pages),
                page=page,
            )
        words = tuple(word for line in parsed.recognised.get(page, ()) for word in line.words)
        request = render_request(
            parsed.text, parsed.pages, page, span, around=around, words=words, scale=scale
        )
        image = self._components.pages.draw(opened.info.document_id, request)
        last_page = None if span is None else parsed.page_at(span[1] - 1)
        return image.model_copy(update={"last_page": max(page, last_page or page)})

    def health(self, principal: Principal, collection: str | None = None) -> list[CollectionHealth]:
        """Compare the indexes of the collections that the principal may change with the catalog."""
        doctor = Doctor(self._components)
        return [doctor.examine(info) for info in self._all_changeable(principal, collection)]

    def repair(
        self,
        principal: Principal,
        collection: str | None = None,
        on_event: OnEvent = ignore_event,
        *,
        afresh: bool = False,
    ) -> list[CollectionHealth]:
        """Repair the indexes that ``health`` examines, or all ``afresh``; clear deleted data."""
        self.clear_deleted(traces=True)
        doctor = Doctor(self._components)
        repair = doctor.rebuild if afresh else doctor.repair
        return [repair(info, on_event) for info in self._all_changeable(principal, collection)]

    def export_collection(self, principal: Principal, name: str, file: Path) -> ExportReport:
        """Write a readable collection to a new file; raise InvalidInput."""
        exporter = Exporter(self._components.catalog, self._components.settings.home)
        return exporter.export(self.collection(principal, name), file)

    def restore_collection(
        self,
        principal: Principal,
        file: Path,
        name: str | None = None,
        on_event: OnEvent = ignore_event,
    ) -> RestoreReport:
        """Make a collection of the principal from such a file; see ``Restorer.restore``."""
        try:
            return Restorer(self._components).restore(
                principal,
                file,
                name=name,
                on_event=on_event,
                finish=lambda created: self.build_graph(principal, created, on_event),
            )
        finally:
            if self._components.catalog.deletions.pending():
                self.clear_deleted()

    def bin(self, principal: Principal, collection: str) -> list[BinnedDocument]:
        """Return what can be put back into a collection, the last removed first."""
        info = self._changeable(principal, collection)
        return self._components.catalog.bin.list(info.collection_id)

    def binned(self, principal: Principal, collection: str, document: str) -> BinnedDocument:
        """Return a document in the bin of a collection, by file name or id."""
        return choose(self.bin(principal, collection), document)

    def put_back(
        self, principal: Principal, collection: str, binned: BinnedDocument, on_event: OnEvent
    ) -> DocumentInfo:
        """Put a `binned` document back, without its older versions; again if interrupted.

        Raises EmbeddingMismatch if another embedding model indexed the collection.
        """
        catalog, indexer = self._components.catalog, self._components.indexer
        info = self._changeable(principal, collection)
        indexer.require_same_model(info)
        collection_id, document_id, name = info.collection_id, binned.document_id, binned.document
        parsed = catalog.documents.parsed(document_id)
        aliases = aliases_of(parsed, document=name, document_id=document_id)
        member = NewMember(document_id, name, binned.source, aliases)
        catalog.documents.attach(collection_id, member, binned.chunking)
        if binned.people_set != MetadataChanges():
            catalog.metadata.edit(collection_id, document_id, binned.people_set)
        job = IngestionJob(info, "auto", Chunking.of_key(binned.chunking), on_event)
        indexer.index_everywhere(document_id, name, job)
        catalog.bin.remove(collection_id, document_id)
        self.build_graph(principal, collection_id, on_event)
        return self.document(principal, document_id, collection_id)

    def empty_bin(self, principal: Principal, collection: str) -> list[BinnedDocument]:
        """Empty the bin of a collection; ``clear_deleted`` deletes the files."""
        collection_id = self._changeable(principal, collection).collection_id
        documents = self._components.catalog.bin.list(collection_id)
        self._components.catalog.bin.empty(collection_id)
        return documents

    def build_graph(
        self, principal: Principal, collection: str | None, on_event: OnEvent
    ) -> BuildReport:
        """Build the missing graph of a collection, or of all that the principal may change."""
        return self._builder().build(self._changeable_scope(principal, collection), on_event)

    def facts_cost(
        self, principal: Principal, collection: str | None, model: ChatModel | None
    ) -> FactsCost:
        """Return what reading a collection, or all readable ones, would ask of the model now."""
        scope = self.scope(principal, None if collection is None else [collection])
        return self._facts_reader(model).cost(scope)

    async def read_facts(
        self,
        principal: Principal,
        collection: str | None,
        model: ChatModel | None,
        on_event: OnEvent,
    ) -> FactsRead:
        """Have the model read unread passages, on its event loop.

        It may be cancelled at any time: the facts of each passage are stored when it is read.
        """
        scope = await asyncio.to_thread(self._changeable_scope, principal, collection)
        read = await self._facts_reader(model).read(scope, on_event)
        if read.passages:
            await asyncio.to_thread(self._builder().resolve, scope.collections)
        return read

    def graph_merges(self, principal: Principal, collection: str) -> list[Merge]:
        """Return the merged nodes of a collection, undone merges included."""
        info = self.collection(principal, collection)
        return self._components.catalog.graph.merges.of(info.collection_id)

    def undo_merge(self, principal: Principal, collection: str, node_id: str) -> Merge:
        """Separate a merged node of a collection again, also for later builds; raise NotFound."""
        collection_id = self._changeable(principal, collection).collection_id
        merge = self._components.catalog.graph.merges.undo(collection_id, node_id)
        self._builder().resolve((collection_id,))
        return merge

    def _builder(self) -> "GraphBuilder":
        from services.graph.build import GraphBuilder  # loads scipy

        return GraphBuilder(self._components.catalog)

    def _facts_reader(self, model: ChatModel | None) -> "FactsReader":
        from services.graph.facts import FactsReader

        deadline_s = self._components.settings.call_deadline_s
        return FactsReader(self._components.catalog, model, deadline_s=deadline_s)

    def _changeable_scope(self, principal: Principal, collection: str | None) -> Scope:
        infos = self._all_changeable(principal, collection)
        collection_ids = tuple(info.collection_id for info in infos)
        return Scope(user=principal.user, collections=collection_ids)
