"""Small new documents wait for one another, so that one write to each index serves many of them.

A write costs about the same for one chunk as for a hundred: both indexes commit to the disk.
Until then the documents are pending, as after a kill: a repetition indexes them.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from services.domain import FileOutcome
from services.domain.errors import RabbitholeError
from services.ingestion.files import Candidate
from services.ingestion.indexing import Indexer
from services.ingestion.job import Job

SMALL = 16
"""Chunks of a document that may wait."""
MOST_CHUNKS = 64
"""Chunks that wait together: about three seconds of embedding on two cores."""
LONGEST_S = 2.0
"""The next small document after this time ends the waiting."""

Settle = Callable[[Candidate, FileOutcome], None]
"""Told what became of a file."""


@dataclass(frozen=True)
class Waiting:
    candidate: Candidate
    outcome: FileOutcome
    document_id: str


class IndexGroup:
    """The documents of one ingestion that are stored and not yet indexed."""

    def __init__(self, indexer: Indexer, job: Job, settle: Settle) -> None:
        self._indexer = indexer
        self._job = job
        self._settle = settle
        self._waiting: list[Waiting] = []
        self._since = 0.0
        self._embedded = 0
        """Documents of the group that being indexed has told as embedded."""

    def add(self, waiting: Waiting) -> None:
        """Lets a document wait; indexes all when they are many or have waited long."""
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting.append(waiting)
        self._job.tell(waiting.outcome.document, "embed", 0, waiting.outcome.chunks)
        chunks = sum(each.outcome.chunks for each in self._waiting)
        if chunks >= MOST_CHUNKS or time.monotonic() - self._since >= LONGEST_S:
            self.close()

    def close_before(self, document_id: str, name: str) -> None:
        """Indexes all if one of them has this content or this file name."""
        if any(
            each.document_id == document_id or each.outcome.document == name
            for each in self._waiting
        ):
            self.close()

    def close(self) -> None:
        """Indexes what waits and settles it."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._close(waiting)

    def _close(self, waiting: list[Waiting]) -> None:
        """Indexes these together; where that fails each alone, to settle as failed what fails."""
        self._embedded = 0
        try:
            self._indexer.index_together(
                [each.document_id for each in waiting],
                self._job,
                lambda done: self._tell_embedded(waiting, done),
            )
        except RabbitholeError:
            raise
        except Exception as error:  # noqa: BLE001 - `failure` logs it
            if len(waiting) > 1:
                for each in waiting:
                    self._close([each])
            else:
                candidate = waiting[0].candidate
                self._settle(candidate, self._job.failure(candidate.path, error))
            return
        for each in waiting:
            self._job.tell(each.outcome.document, "done", each.outcome.chunks, each.outcome.chunks)
            self._settle(each.candidate, each.outcome)

    def _tell_embedded(self, waiting: list[Waiting], done: int) -> None:
        """Says how far the embedding is: the documents behind it, and the one that it has come to.

        Whoever hears it may stop the job.
        """
        ends = accumulate(each.outcome.chunks for each in waiting)
        for number, (each, end) in enumerate(zip(waiting, ends, strict=True)):
            if number < self._embedded:
                continue
            chunks = each.outcome.chunks
            so_far = min(chunks, done - (end - chunks))
            self._job.tell(each.outcome.document, "embed", so_far, chunks)
            if so_far < chunks:
                return
            self._embedded = number + 1
