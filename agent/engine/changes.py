"""Jobs that change the stores: the library does them, one at a time."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Generic, Self, TypeVar

from agent.engine.jobs import Job
from services.domain import (
    Chunking,
    CollectionHealth,
    DocumentInfo,
    IngestEngine,
    IngestReport,
    Principal,
    Value,
)
from services.domain.collections import BinnedDocument
from services.domain.events import Event
from services.domain.notices import Notice
from services.ingestion.job import Alone
from services.library.archive.export import RestoreReport
from services.library.library import Library

R = TypeVar("R")
Record = Callable[[Event], None]
"""Takes the progress of a job."""


class Change(Job[R], Generic[R]):
    """A job that the library does to the stores; one is done at a time.

    ``Ingest`` lets the changes of other people pass while it does not write.
    """

    def decided(self, library: Library, principal: Principal) -> Self:
        """Return the job with its names resolved, which is stored before it is carried out.

        After a kill the names may mean nothing any more.
        """
        return self

    def carry_out(self, library: Library, principal: Principal, record: Record) -> R:
        """Do the job in the calling thread and ``record`` its progress."""
        raise NotImplementedError


class Ingest(Change[IngestReport], kind="ingest"):
    paths: tuple[str, ...]
    collection: str
    language: str = "auto"
    chunking: Chunking = Chunking()
    prune: bool = False
    engine: IngestEngine = "local"

    @property
    def files(self) -> tuple[str, ...]:
        return self.paths

    def carry_out(
        self, library: Library, principal: Principal, record: Record, alone: Alone = nullcontext
    ) -> IngestReport:
        arguments = {**dict(self), "paths": [Path(path) for path in self.paths]}
        return library.ingest(principal, **arguments, on_event=record, alone=alone)


class Removed(Value):
    """A document as it was before it was removed."""

    document: DocumentInfo


class RemoveDocument(Change[Removed], kind="remove"):
    """Take a document, by name or id, out of a collection, by name or id."""

    collection: str
    document: str
    found: DocumentInfo | None = None

    def decided(self, library: Library, principal: Principal) -> Self:
        document = self.found or library.removable(principal, self.collection, self.document)
        return self.model_copy(update={"found": document})

    def carry_out(self, library: Library, principal: Principal, record: Record) -> Removed:
        assert self.found is not None
        library.remove(principal, self.collection, self.found)
        return Removed(document=self.found)


class RestoreDocument(Change[DocumentInfo], kind="restore_document"):
    """Put a document, by name or id, back from the bin of a collection."""

    collection: str
    document: str
    found: BinnedDocument | None = None

    def decided(self, library: Library, principal: Principal) -> Self:
        document = self.found or library.binned(principal, self.collection, self.document)
        return self.model_copy(update={"found": document})

    def carry_out(self, library: Library, principal: Principal, record: Record) -> DocumentInfo:
        assert self.found is not None
        return library.put_back(principal, self.collection, self.found, record)


class EmptyBin(Change[list[BinnedDocument]], kind="empty_bin"):
    """Empty the bin of a collection; delete what no other collection uses."""

    collection: str

    def carry_out(
        self, library: Library, principal: Principal, record: Record
    ) -> list[BinnedDocument]:
        documents = library.empty_bin(principal, self.collection)
        library.clear_deleted()
        return documents


class ClearDeleted(Change[None], kind="clear"):
    """Clear the stores of what was deleted, with ``traces`` the files of the indexes too."""

    traces: bool = False

    def carry_out(self, library: Library, principal: Principal, record: Record) -> None:
        library.clear_deleted(traces=self.traces)


class Checked(Value):
    """The health of the collections, after the repair if there was one.

    ``steps`` says what is wrong with the checkpoints of threads, or what a repair has left of
    them; ``home`` warns that other users of the machine can enter the home.
    """

    collections: tuple[CollectionHealth, ...]
    steps: Notice | None = None
    home: Notice | None = None


class CheckIndexes(Change[Checked], kind="check"):
    """Compare the indexes of a collection, or of all that the person may change, with the catalog.

    ``repair`` makes them agree; ``afresh`` builds them anew with the embedding model in use.
    """

    collection: str | None
    repair: bool
    afresh: bool = False

    @property
    def needs_waiter(self) -> bool:
        return not (self.repair or self.afresh)

    def carry_out(self, library: Library, principal: Principal, record: Record) -> Checked:
        if self.repair or self.afresh:
            states = library.repair(principal, self.collection, record, afresh=self.afresh)
        else:
            states = library.health(principal, self.collection)
        return Checked(collections=tuple(states))


class RestoreCollection(Change[RestoreReport], kind="restore"):
    """Make a collection of an exported file, under its old name or another."""

    file: str
    name: str | None

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file,)

    def carry_out(self, library: Library, principal: Principal, record: Record) -> RestoreReport:
        return library.restore_collection(principal, Path(self.file), self.name, record)
