"""Drawing pages of stored PDF files in a process with limits, with a cache of the latest ones."""

from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Final

from services.domain.errors import UnreadableDocument
from services.domain.notices import Notice
from services.domain.passages import PageImage
from services.ingestion.worker import WorkerJob, WorkerPool
from services.library.originals import is_whole
from services.library.pages.marks import RenderRequest

CACHED_PAGES: Final = 24
"""A drawn page takes 0.1 to 0.5 MB."""


class PageRenderer:
    """Draws pages of stored files; safe to share among threads, which take turns.

    ``memory_mb`` is the limit of the address space in megabytes (enforced on Linux).
    """

    def __init__(self, originals: Path, *, timeout_s: float, memory_mb: int) -> None:
        self._folder = originals
        self._timeout_s, self._memory_mb = timeout_s, memory_mb
        self._workers = WorkerPool()
        self._lock = Lock()
        self._cached = lru_cache(CACHED_PAGES)(self._draw)

    def draw(self, document_id: str, request: RenderRequest) -> PageImage:
        """Draw a page of a document, whose file is checked before; raise UnreadableDocument."""
        with self._lock:
            return self._cached(document_id, request)

    def close(self) -> None:
        """End the process that draws; the next page starts another one."""
        self._workers.close()

    def _draw(self, document_id: str, request: RenderRequest) -> PageImage:
        original = self._folder / document_id
        if not is_whole(original):
            raise UnreadableDocument(
                "The stored original of the document {document}… is missing or has changed, so "
                "its pages cannot be shown. Ingest the same file again, or run `rabbithole doctor "
                "--repair` to look for it.",
                document=document_id[:12],
            )
        job = WorkerJob(original, self._timeout_s, self._memory_mb, "page", request)
        answer = self._workers.run(job)
        if "page" in answer:
            image: PageImage = answer["page"]
            return image
        if "out_of" in answer:
            reason = self._limit_reached(answer["out_of"])
            raise UnreadableDocument("Page {page} {reason}.", page=request.page, reason=reason)
        raise UnreadableDocument(
            "Page {page} cannot be shown: {reason}. Its text is not affected.",
            page=request.page,
            reason=answer.get("unreadable") or answer["failed"],
        )

    def _limit_reached(self, limit: str) -> Notice:
        if limit == "time":
            return Notice.of(
                "took longer than {seconds:g} s to display and was skipped; open the file in "
                "another program to see it",
                seconds=self._timeout_s,
            )
        return Notice.of(
            "needs more than {megabytes} MB to be displayed, or PDFium crashed on it; raise "
            "RABBITHOLE_PARSE_MEMORY_MB if you trust the file",
            megabytes=self._memory_mb,
        )
