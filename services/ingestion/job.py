"""One ingestion request: its target, progress and record, and documents that wait for a write."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic, perf_counter
from types import TracebackType
from typing import Any, Literal, Self

from services.catalog import Catalog
from services.catalog.memberships import Ledger
from services.catalog.values import NewDocument
from services.domain import (
    Chunking,
    CollectionInfo,
    FileOutcome,
    IngestReport,
    Language,
    ParsedDocument,
)
from services.domain.errors import (
    BadGeneration,
    Interrupted,
    InvalidInput,
    RabbitholeError,
    UnreadableDocument,
)
from services.domain.events import DocumentProgress, Event, IngestProgress
from services.domain.notices import Notice
from services.domain.runs import IngestionCounts
from services.ingestion.files import FileCandidate, printable, reason

logger = logging.getLogger(__name__)

Stage = Literal["parse", "chunk", "embed", "index", "done", "unchanged"]
Work = Literal["parse", "embed", "index"]
Seconds = dict[Work, float]
Alone = Callable[[], AbstractContextManager[None]]
"""Makes a context in which nobody else changes the stores."""

PUBLISH_EVERY_S = 0.25
SAVE_EVERY_S = 2.0


def no_seconds() -> Seconds:
    return {"parse": 0.0, "embed": 0.0, "index": 0.0}


@dataclass(frozen=True)
class IngestionJob:
    """Settings and listeners of an ingestion; ``ledger`` is what the collection held before."""

    collection: CollectionInfo
    language: Language
    chunking: Chunking
    on_event: Callable[[Event], None]
    seconds: Seconds = field(default_factory=no_seconds)
    ledger: Ledger | None = None

    @property
    def collection_id(self) -> str:
        return self.collection.collection_id

    @contextmanager
    def timed(self, work: Work) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.seconds[work] += perf_counter() - started

    def report_progress(self, document: str, stage: Stage, done: int = 0, total: int = 0) -> None:
        """Report the stage of a file; ``done`` and ``total`` count chunks."""
        self.on_event(DocumentProgress(document=document, stage=stage, done=done, total=total))

    def done(
        self,
        file: FileCandidate,
        document_id: str,
        status: Literal["added", "updated", "unchanged"],
        chunks: int,
        parsed: ParsedDocument | None = None,
    ) -> FileOutcome:
        """Report a file as done and return its outcome; ``parsed`` is None if it was not read."""
        stage: Stage = "unchanged" if status == "unchanged" else "done"
        self.report_progress(file.document, stage, chunks, chunks)
        return FileOutcome(
            path=file.shown_path,
            document=file.document,
            document_id=document_id,
            status=status,
            chunks=chunks,
            unread_pages=parsed.unread_pages if parsed else (),
            warnings=parsed.warnings if parsed else (),
        )

    def failure(self, file: FileCandidate, error: Exception) -> FileOutcome:
        name = printable(file.document)
        if not isinstance(error, RabbitholeError | OSError | UnicodeError):
            logger.error("%s was not taken in", name, exc_info=error)
        why = _without_name(reason(error), printable(file.path.name))
        self.on_event(DocumentProgress(document=name, stage="failed", error=why))
        return FileOutcome(
            path=file.shown_path, document=name, document_id=None, status="failed", error=why
        )

    def report(self, files: Sequence[FileOutcome], started: float, **others: Any) -> IngestReport:
        """Return the report, with the time since ``started`` (of ``time.perf_counter``)."""
        return IngestReport(
            collection=self.collection.name,
            files=tuple(files),
            chunks=sum(file.chunks for file in files if file.status in ("added", "updated")),
            seconds=perf_counter() - started,
            **{f"{work}_s": seconds for work, seconds in self.seconds.items()},
            **others,
        )


class JobRecord:
    """Counts the outcomes of files, saves the counts and publishes the progress, at limited rates.

    If the process dies, the row stays ``running`` until ``Ingestions.interrupt_running`` is called.
    """

    def __init__(
        self,
        catalog: Catalog,
        user: str,
        collection: CollectionInfo,
        files: Sequence[FileCandidate],
        on_event: Callable[[Event], None],
    ) -> None:
        self.seconds: Seconds = no_seconds()
        self._catalog = catalog
        self._user = user
        self._collection = collection
        self._total = len(files)
        self._bytes_total = sum(map(size, files))
        self._on_event = on_event
        self._began = self._published = self._saved = monotonic()
        self._counts: Counter[str] = Counter()
        self._bytes = self._bytes_of_file = 0
        self._embedded, self._share_of_file = 0, 0.0

    def __enter__(self) -> Self:
        self._job_id = self._catalog.ingestions.begin(self._user, self._collection, self._total)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        end = partial(self._catalog.ingestions.end, self._job_id, self._timed_counts())
        match error:
            case None:
                nothing_read = self._counts["files_failed"] == self._total > 0
                end("failed" if nothing_read else "done")
                self._on_event(self._progress())
            case Interrupted():
                end("interrupted")
            case RabbitholeError():
                end("failed", error.notice)
            case Exception():
                end("failed", Notice.of(str(error)))

    def add_attachments(self, count: int) -> None:
        """Count the attachments of a mail, whose bytes are counted already."""
        self._total += count

    def begin_file(self, file: FileCandidate) -> None:
        self._bytes_of_file = size(file)

    def on_event(self, event: Event) -> None:
        """Pass on the event of a file, then publish and save the overall progress."""
        self._on_event(event)
        if isinstance(event, DocumentProgress) and event.stage == "embed":
            self._embedded = event.done
            self._share_of_file = event.done / event.total if event.total else 0.0
            self._publish()

    def end_file(self, file: FileCandidate, outcome: FileOutcome) -> None:
        """Count a file; pages and chunks only of new ones."""
        self._counts["files_failed" if outcome.status == "failed" else "files_done"] += 1
        if outcome.status in ("added", "updated") and outcome.document_id is not None:
            pages = self._catalog.documents.pages(outcome.document_id)
            self._counts.update(chunks=outcome.chunks, pages=pages)
        self._bytes += size(file)
        self._bytes_of_file = 0
        self._embedded, self._share_of_file = 0, 0.0
        self._publish()

    def _publish(self) -> None:
        now = monotonic()
        if now - self._published >= PUBLISH_EVERY_S:
            self._published = now
            self._on_event(self._progress())
        if now - self._saved >= SAVE_EVERY_S:
            self._saved = now
            self._catalog.ingestions.update(self._job_id, self._timed_counts())

    def _timed_counts(self) -> IngestionCounts:
        seconds = {name: round(seconds, 3) for name, seconds in self.seconds.items()}
        return IngestionCounts(**self._counts, seconds=seconds)

    def _progress(self) -> IngestProgress:
        counts, elapsed = self._counts, monotonic() - self._began
        chunks, share = counts["chunks"] + self._embedded, self._share()
        return IngestProgress(
            documents_done=self._files_ended(),
            documents_failed=counts["files_failed"],
            documents_total=self._total,
            pages=counts["pages"],
            chunks=chunks,
            chunks_per_s=chunks / elapsed if elapsed > 0 else 0.0,
            share=share,
            eta_s=elapsed * (1 - share) / share if share else None,
        )

    def _share(self) -> float:
        """Return the share of the work that is done, by bytes; embedding takes most of the time."""
        if not self._bytes_total:
            return self._files_ended() / self._total if self._total else 1.0
        done = self._bytes + self._bytes_of_file * self._share_of_file
        return min(1.0, done / self._bytes_total)

    def _files_ended(self) -> int:
        return self._counts["files_done"] + self._counts["files_failed"]


def is_fault_of_file(error: Exception) -> bool:
    """Return whether an error concerns one file, so that others can still be ingested."""
    return isinstance(error, UnreadableDocument | InvalidInput | BadGeneration) or not (
        isinstance(error, RabbitholeError)
    )


def size(file: FileCandidate) -> int:
    """Return the bytes of a file; 0 if it is unreadable, or an attachment (part of its mail)."""
    try:
        return 0 if file.problem is not None or file.alias else file.path.stat().st_size
    except OSError:
        return 0


def _without_name(notice: Notice, name: str) -> Notice:
    """Return the inner reason if the notice names the file."""
    inner = notice.fields.get("reason")
    return inner if isinstance(inner, Notice) and notice.fields.get("document") == name else notice


SMALL = 16  # chunks of a document that may wait
MOST_CHUNKS = 64
"""Chunks that wait together: about three seconds of embedding on two cores."""
LONGEST_S = 2.0  # seconds after which the next small document triggers the write

Waiting = tuple[FileCandidate, NewDocument]


class IndexGroup:
    """Waiting documents of an ingestion; ``write`` stores, ``settle`` takes each outcome."""

    def __init__(
        self,
        write: Callable[[Sequence[Waiting]], None],
        job: IngestionJob,
        settle: Callable[[FileCandidate, FileOutcome], None],
    ) -> None:
        self._write = write
        self._job = job
        self._settle = settle
        self._waiting: list[Waiting] = []
        self._since = 0.0

    def add(self, candidate: FileCandidate, new: NewDocument) -> None:
        """Add a document; index all when they are many or have waited long."""
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting.append((candidate, new))
        self._job.report_progress(candidate.document, "embed", 0, len(new.chunks))
        chunks = sum(len(waiting.chunks) for _, waiting in self._waiting)
        if chunks >= MOST_CHUNKS or time.monotonic() - self._since >= LONGEST_S:
            self.close()

    def close_before(self, document_id: str, name: str) -> None:
        """Index all if one of them has this content or this file name."""
        if any(
            waiting.member.document_id == document_id or waiting.member.document == name
            for _, waiting in self._waiting
        ):
            self.close()

    def close(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._index(waiting)

    def _index(self, waiting: list[Waiting]) -> None:
        """Index documents together, or one by one if that fails, so that only faulty ones fail."""
        job = self._job
        try:
            self._write(waiting)
        except Exception as error:  # `failure` logs it
            if not is_fault_of_file(error):
                raise
            for one in waiting if len(waiting) > 1 else ():
                self._index([one])
            if len(waiting) == 1:
                self._settle(waiting[0][0], job.failure(waiting[0][0], error))
            return
        for candidate, new in waiting:
            key, chunks = new.member.document_id, len(new.chunks)
            self._settle(candidate, job.done(candidate, key, "added", chunks, new.parsed))
