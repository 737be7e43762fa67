"""The facade of the knowledge base: what front ends do with collections and documents."""

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
from services.domain.notices import Notice
from services.graph.values import BuildReport, FactsCost, FactsRead, Merge
from services.ingestion.by_ray import RayHands
from services.ingestion.hands import Hands
from services.ingestion.job import Alone, Job
from services.ingestion.pipeline import Ingestor
from services.ingestion.registry import aliases_of
from services.library.archive.export import Exporter
from services.library.archive.restore import Restorer
from services.library.archive.values import ExportReport, RestoreReport
from services.library.collections import CollectionLibrary, choose
from services.library.doctor import Doctor
from services.library.pages.request import render_request
from services.library.search import Search, unfinished
from services.models.base import ChatModel

if TYPE_CHECKING:
    from services.graph.build import GraphBuilder
    from services.graph.facts import FactsReader

FULL_ID: Final = re.compile(r"[0-9a-f]{64}")
"""A document's whole id."""
OnEvent = Callable[[Event], None]


def untold(event: Event) -> None:
    """Nobody follows the progress."""


class Library(CollectionLibrary):
    """Every method acts for a principal, and reaches only what that principal may read.

    Ingesting, searching, ``put_back``, ``health`` and ``repair`` need the stores, and building the
    graph is one writer's work, so they run in the process that owns these; opening documents and
    exporting need the catalog alone and run anywhere.
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
        engine: IngestEngine = "local",
        alone: Alone = nullcontext,
    ) -> IngestReport:
        """Take files and folders into the principal's own collection of that name.

        It is created when it is missing; an admin reaches those of others by id. What the texts
        say is put into the knowledge graph at the end. With ``prune``, documents whose files are
        gone from the folders named are taken out of the collection; else they are only named.
        ``engine`` says who reads and embeds, and what is read is written ``alone``.

        Raises:
            InvalidInput: no path was given, the collection's name cannot be used, the principal
                may not change it, or the engine is not installed.
            EmbeddingMismatch: another embedding model indexed the collection.
        """
        if not paths:
            raise InvalidInput("Nothing to ingest: name at least one file or folder.")
        components = self._components
        target = components.catalog.collections.receiving(principal, collection)
        stores = components.catalog, components.embedder, components.vectors, components.lexical
        hands = partial(RayHands, components.settings) if engine == "ray" else Hands
        ingestor = Ingestor(*stores, components.settings, hands=hands, alone=alone)
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
        """What a search finds, on the event loop of the language model; see ``Search.find``."""
        return await Search(self._components, principal, request).find()

    def unfinished(self, scope: Scope) -> tuple[Notice, ...]:
        """Which collections a search does not find everything in."""
        return unfinished(self._components, scope)

    def open_document(
        self, principal: Principal, document: str, *, parser_version: str | None = None
    ) -> OpenDocument:
        """A document to read, by id, file name or the beginning of its id.

        ``parser_version`` names the text that is wanted, for what cites it; None is the newest.

        Raises:
            NotFound: there is none that the principal may read, or not that text of it.
        """
        documents = self._components.catalog.documents
        if not FULL_ID.fullmatch(document):
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
        around: float | None = None,
        parser_version: str | None = None,
    ) -> PageImage:
        """A page (from 1) of a kept PDF file as an image, with what stands of a span on it marked.

        ``span`` are characters of the text of ``parser_version``; ``around`` are the points of the
        page that suffice above and below it, None for all.

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
        request = render_request(parsed.text, parsed.pages, page, span, around=around, words=words)
        drawn = self._components.pages.draw(opened.info.document_id, request)
        ends = None if span is None else parsed.page_at(span[1] - 1)
        return drawn.model_copy(update={"last_page": max(page, ends or page)})

    def health(self, principal: Principal, collection: str | None = None) -> list[CollectionHealth]:
        """Compare the indexes of the collections that the principal may change with the catalog."""
        doctor = Doctor(self._components)
        return [doctor.examine(info) for info in self._changeable(principal, collection)]

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
        doctor = Doctor(self._components)
        mend = doctor.rebuild if afresh else doctor.repair
        return [mend(info, on_event) for info in self._changeable(principal, collection)]

    def export_collection(self, principal: Principal, name: str, file: Path) -> ExportReport:
        """Write a collection that the principal may read to a file; needs the catalog alone.

        Raises:
            InvalidInput: the file exists or cannot be written.
        """
        exporter = Exporter(self._components.catalog, self._components.settings.home)
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
            return Restorer(self._components).restore(
                principal,
                file,
                name=name,
                on_event=on_event,
                finish=lambda place: self.build_graph(principal, place, on_event),
            )
        finally:
            if self._components.catalog.deletions.pending():
                self.clear_deleted()

    def bin(self, principal: Principal, collection: str) -> list[BinnedDocument]:
        """What can be put back into a collection, the last removed first."""
        return self._components.catalog.bin.list(self._own(principal, collection).collection_id)

    def binned(self, principal: Principal, collection: str, document: str) -> BinnedDocument:
        """What is meant by a file name or an id in the bin of a collection."""
        return choose(self.bin(principal, collection), document)

    def put_back(
        self,
        principal: Principal,
        collection: str,
        wanted: BinnedDocument,
        on_event: OnEvent,
    ) -> DocumentInfo:
        """Put what was `binned` back as it was, its older versions left out.

        May be cut short and done again at any time.

        Raises:
            EmbeddingMismatch: another embedding model indexed the collection.
        """
        components, catalog = self._components, self._components.catalog
        place = self._own(principal, collection)
        here = place.collection_id
        indexer = components.indexer
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
        place = self._own(principal, collection).collection_id
        found = self._components.catalog.bin.list(place)
        self._components.catalog.bin.empty(place)
        return found

    def build_graph(
        self, principal: Principal, collection: str | None, on_event: OnEvent
    ) -> BuildReport:
        """Build what is missing of a collection, or of all that the principal may change.

        ``on_event`` is called with the progress of every text, in the calling thread.

        Raises:
            NotFound: there is no such collection that the principal may read.
            InvalidInput: they may not change it.
        """
        return self._builder().build(self._own_scope(principal, collection), on_event)

    def facts_cost(
        self, principal: Principal, collection: str | None, model: ChatModel | None
    ) -> FactsCost:
        """What reading a collection, or all that may be read, would ask of this model now."""
        scope = self.scope(principal, None if collection is None else [collection])
        return self._facts_reader(model).cost(scope)

    async def read_facts(
        self,
        principal: Principal,
        collection: str | None,
        model: ChatModel | None,
        on_event: OnEvent,
    ) -> FactsRead:
        """Have the model read what it has not read, on its event loop; raises as ``build_graph``.

        It may be cancelled at any time: every passage is kept as soon as it has been read.
        """
        scope = await asyncio.to_thread(self._own_scope, principal, collection)
        read = await self._facts_reader(model).read(scope, on_event)
        if read.passages:
            await asyncio.to_thread(self._builder().resolve, scope.collections)
        return read

    def graph_merges(self, principal: Principal, collection: str) -> list[Merge]:
        """The nodes of a collection that were found to be one, undone merges included."""
        found = self.collection(principal, collection)
        return self._components.catalog.graph.merges.of(found.collection_id)

    def undo_merge(self, principal: Principal, collection: str, node_id: str) -> Merge:
        """Let a node of a collection stand for itself again; later builds leave it so.

        Raises:
            NotFound: the collection or the merge does not exist.
            InvalidInput: the principal may not change the collection.
        """
        place = self._own(principal, collection).collection_id
        found = self._components.catalog.graph.merges.undo(place, node_id)
        self._builder().resolve((place,))
        return found

    def _builder(self) -> "GraphBuilder":
        from services.graph.build import GraphBuilder  # loads scipy

        return GraphBuilder(self._components.catalog)

    def _facts_reader(self, model: ChatModel | None) -> "FactsReader":
        from services.graph.facts import FactsReader

        deadline_s = self._components.settings.call_deadline_s
        return FactsReader(self._components.catalog, model, deadline_s=deadline_s)

    def _own_scope(self, principal: Principal, collection: str | None) -> Scope:
        ids = tuple(each.collection_id for each in self._changeable(principal, collection))
        return Scope(user=principal.user, collections=ids)
