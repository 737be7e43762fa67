"""Collect small new documents and write them together.

A write costs about the same for one chunk as for a hundred: all commit to the disk. Until then
nothing of the documents is stored; after a kill they are read again.
"""

import time
from collections.abc import Callable, Sequence

from services.catalog.values import NewDocument
from services.domain import FileOutcome
from services.ingestion.files import Candidate
from services.ingestion.job import Job, is_fault_of_file

SMALL = 16
"""Chunks of a document that may wait."""
MOST_CHUNKS = 64
"""Chunks that wait together: about three seconds of embedding on two cores."""
LONGEST_S = 2.0
"""Seconds after which the next small document triggers the write."""

Waiting = tuple[Candidate, NewDocument]
"""A document that is neither stored nor indexed yet."""


class IndexGroup:
    """The waiting documents of one ingestion.

    ``write`` stores and indexes some; ``settle`` receives the outcome of each.
    """

    def __init__(
        self,
        write: Callable[[Sequence[Waiting]], None],
        job: Job,
        settle: Callable[[Candidate, FileOutcome], None],
    ) -> None:
        self._write = write
        self._job = job
        self._settle = settle
        self._waiting: list[Waiting] = []
        self._since = 0.0

    def add(self, candidate: Candidate, new: NewDocument) -> None:
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
        """Index the waiting documents and settle them."""
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
