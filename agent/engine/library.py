"""The part of a client that keeps collections and documents."""

from collections.abc import Callable
from pathlib import Path

from agent.engine.commands import (
    INGEST_THREAD,
    CheckIndexes,
    ClearDeleted,
    RemoveDocument,
    RestoreCollection,
)
from agent.engine.connection import Connected, of_library
from agent.engine.works import KINDS, Order, Work, work_of
from services.catalog.values import IngestionInfo
from services.domain import (
    CollectionHealth,
    CollectionInfo,
    DocumentInfo,
    Principal,
    SectionSpan,
)
from services.domain.errors import NotFound
from services.domain.events import Event, EventRecord
from services.library.archive.values import RestoreReport
from services.library.library import Library

SHOWN_WORKS = 20


class LibraryClient(Connected):
    """What needs the catalog alone happens here, in any process; the rest through commands."""

    collections = of_library(Library.collections)
    collection = of_library(Library.collection)
    shelves = of_library(Library.shelves)
    shelf = of_library(Library.shelf)
    create_collection = of_library(Library.create_collection)
    rename_collection = of_library(Library.rename_collection)
    share_collection = of_library(Library.share_collection)
    subscribe = of_library(Library.subscribe)
    unsubscribe = of_library(Library.unsubscribe)
    documents = of_library(Library.documents)
    document = of_library(Library.document)
    edit_document = of_library(Library.edit_document)
    versions = of_library(Library.versions)
    document_text = of_library(Library.document_text)
    open_document = of_library(Library.open_document)
    page_image = of_library(Library.page_image)
    export_collection = of_library(Library.export_collection)

    @property
    def principal(self) -> Principal:
        """Whom this client acts for."""
        return self._principal

    def delete_collection(self, name: str, *, wait: bool = True) -> CollectionInfo:
        """Deletes a collection at once; waits until its files are gone too, if wanted."""
        deleted = self._services.library.delete_collection(self._principal, name)
        if wait:
            self._do(ClearDeleted())
        else:
            self._submit(ClearDeleted())
        return deleted

    def order(self, order: Order) -> int:
        """Orders a work without waiting for it; its number."""
        return self._submit(order)

    def works(self) -> list[Work]:
        """The last works that one has ordered, newest first."""
        commands = self._services.catalog.queue
        return [work_of(each) for each in commands.of(self._principal, KINDS, most=SHOWN_WORKS)]

    def open_works(self) -> list[Work]:
        """Those that are still to be done, newest first; made to be asked for by every page."""
        commands = self._services.catalog.queue
        return [work_of(each) for each in commands.unfinished(self._principal, KINDS)]

    def work(self, number: int) -> Work:
        """One of these; raises NotFound where there is none of one's own."""
        found = self._services.catalog.queue.get(number)
        if found.principal.user != self._principal.user or found.kind not in KINDS:
            raise NotFound(f"There is no work {number} among yours.")
        return work_of(found)

    def follow_work(self, number: int, after: int = 0) -> tuple[Work, list[EventRecord]]:
        """A work of one's own, and its next events with ``seq > after``, oldest first."""
        work = self.work(number)
        return work, self._services.catalog.events.since(INGEST_THREAD.format(number), after)

    def jobs(self) -> list[IngestionInfo]:
        """One's own ingestions, newest first; for an admin everybody's."""
        return self._services.catalog.ingestions.list(self._principal)

    def outline(
        self, document: str, collection: str | None = None
    ) -> tuple[DocumentInfo, list[SectionSpan]]:
        """A document, by name or id, with its sections in the order of its text."""
        info = self.document(document, collection)
        return info, self._services.catalog.documents.sections(info.document_id)

    def remove_document(self, collection: str, document: str) -> DocumentInfo:
        """Takes a document out of a collection; what nobody else uses is deleted."""
        command = RemoveDocument(collection=collection, document=document)
        return DocumentInfo.model_validate(self._do(command)["document"])

    def check_indexes(
        self,
        collection: str | None = None,
        *,
        repair: bool = False,
        on_event: Callable[[Event], None] | None = None,
    ) -> list[CollectionHealth]:
        """How the indexes of the collections that one may change are, repaired if wanted."""
        result = self._do(CheckIndexes(collection=collection, repair=repair), on_event)
        return [CollectionHealth.model_validate(each) for each in result["collections"]]

    def restore_collection(
        self,
        file: Path,
        name: str | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> RestoreReport:
        """Makes a collection of one's own of an exported file."""
        command = RestoreCollection(file=str(file.absolute()), name=name)
        return RestoreReport.model_validate(self._do(command, on_event))
