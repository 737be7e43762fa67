"""The part of a client that keeps collections and documents."""

from collections.abc import Callable
from pathlib import Path

from agent.client.connection import Connected
from agent.commands import (
    INGEST_THREAD,
    CheckIndexes,
    ClearDeleted,
    RemoveDocument,
    RestoreCollection,
)
from agent.works import KINDS, Order, Work, work_of
from services.archive.values import ExportReport, RestoreReport
from services.catalog import Visibility
from services.catalog.values import JobInfo
from services.errors import NotFound
from services.events import Event, EventRecord
from services.types import (
    CollectionHealth,
    CollectionInfo,
    DocumentInfo,
    MetadataChanges,
    OpenDocument,
    PageImage,
    Principal,
    SectionSpan,
    Shelf,
)

SHOWN_WORKS = 20


class LibraryClient(Connected):
    """What needs the catalog alone happens here, in any process; the rest through commands."""

    def collections(self) -> list[CollectionInfo]:
        return self._services.library.collections(self._principal)

    def collection(self, name: str) -> CollectionInfo:
        return self._services.library.collection(self._principal, name)

    @property
    def principal(self) -> Principal:
        """Whom this client acts for."""
        return self._principal

    def shelves(self) -> list[Shelf]:
        """All collections that one may read, with what one may do with them."""
        return self._services.library.shelves(self._principal)

    def shelf(self, name: str) -> Shelf:
        """One collection, by name or id, with what one may do with it."""
        return self._services.library.shelf(self._principal, name)

    def create_collection(
        self, name: str, *, description: str = "", visibility: Visibility = "private"
    ) -> CollectionInfo:
        return self._services.library.create_collection(
            self._principal, name, description=description, visibility=visibility
        )

    def rename_collection(
        self, name: str, new_name: str | None = None, *, description: str | None = None
    ) -> CollectionInfo:
        return self._services.library.rename_collection(
            self._principal, name, new_name, description=description
        )

    def share_collection(self, name: str, visibility: Visibility) -> CollectionInfo:
        return self._services.library.share_collection(self._principal, name, visibility)

    def subscribe(self, name: str) -> CollectionInfo:
        return self._services.library.subscribe(self._principal, name)

    def unsubscribe(self, name: str) -> CollectionInfo:
        return self._services.library.unsubscribe(self._principal, name)

    def delete_collection(self, name: str, *, wait: bool = True) -> CollectionInfo:
        """Deletes a collection at once; waits until its files are gone too, if wanted."""
        deleted = self._services.library.delete_collection(self._principal, name)
        if wait:
            self._do(ClearDeleted())
        else:
            self._submit(ClearDeleted())
        return deleted

    def documents(self, collection: str | None = None) -> list[DocumentInfo]:
        return self._services.library.documents(self._principal, collection)

    def document(self, document: str, collection: str | None = None) -> DocumentInfo:
        return self._services.library.document(self._principal, document, collection)

    def edit_document(
        self, collection: str, document: str, changes: MetadataChanges
    ) -> DocumentInfo:
        """Sets tags, category, author or date of a document; the document as it is then."""
        return self._services.library.edit_document(self._principal, collection, document, changes)

    def versions(self, collection: str, document: str) -> list[DocumentInfo]:
        """What bears a file name in a collection, older versions last."""
        return self._services.library.versions(self._principal, collection, document)

    def order(self, order: Order) -> int:
        """Orders a work without waiting for it; its number."""
        return self._submit(order)

    def works(self) -> list[Work]:
        """The last works that one has ordered, newest first."""
        commands = self._services.catalog.commands
        return [work_of(each) for each in commands.of(self._principal, KINDS, most=SHOWN_WORKS)]

    def open_works(self) -> list[Work]:
        """Those that are still to be done, newest first; made to be asked for by every page."""
        commands = self._services.catalog.commands
        return [work_of(each) for each in commands.unfinished(self._principal, KINDS)]

    def work(self, number: int) -> Work:
        """One of these; raises NotFound where there is none of one's own."""
        found = self._services.catalog.commands.get(number)
        if found.principal.user != self._principal.user or found.kind not in KINDS:
            raise NotFound(f"There is no work {number} among yours.")
        return work_of(found)

    def follow_work(self, number: int, after: int = 0) -> tuple[Work, list[EventRecord]]:
        """A work of one's own, and its next events with ``seq > after``, oldest first."""
        work = self.work(number)
        return work, self._services.catalog.events.since(INGEST_THREAD.format(number), after)

    def jobs(self) -> list[JobInfo]:
        """One's own ingestions, newest first; for an admin everybody's."""
        return self._services.catalog.jobs.list(self._principal)

    def document_text(self, document_id: str) -> str:
        return self._services.library.document_text(self._principal, document_id)

    def outline(
        self, document: str, collection: str | None = None
    ) -> tuple[DocumentInfo, list[SectionSpan]]:
        """A document, by name or id, with its sections in the order of its text."""
        info = self.document(document, collection)
        return info, self._services.catalog.documents.sections(info.document_id)

    def open_document(self, document: str, *, parser_version: str | None = None) -> OpenDocument:
        """A document to read, by id, name or the beginning of its id."""
        return self._services.library.open_document(
            self._principal, document, parser_version=parser_version
        )

    def page_image(
        self,
        document_id: str,
        page: int,
        *,
        span: tuple[int, int] | None = None,
        excerpt: bool = False,
        parser_version: str | None = None,
    ) -> PageImage:
        """A page of a kept PDF file as an image, with a span marked; see ``Library``."""
        return self._services.library.page_image(
            self._principal,
            document_id,
            page,
            span=span,
            excerpt=excerpt,
            parser_version=parser_version,
        )

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

    def export_collection(self, name: str, file: Path) -> ExportReport:
        """Writes a collection to a new file; happens here, in any process."""
        return self._services.library.export_collection(self._principal, name, file)

    def restore_collection(
        self,
        file: Path,
        name: str | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> RestoreReport:
        """Makes a collection of one's own of an exported file."""
        command = RestoreCollection(file=str(file.absolute()), name=name)
        return RestoreReport.model_validate(self._do(command, on_event))
