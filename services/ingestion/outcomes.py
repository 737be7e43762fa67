"""What became of a file."""

import logging
from pathlib import Path
from typing import Literal

from services.errors import RabbitholeError
from services.ingestion.files import reason, shown
from services.ingestion.job import Job
from services.types import FileOutcome

logger = logging.getLogger(__name__)


def outcome(
    path: Path,
    document_id: str,
    status: Literal["added", "updated", "unchanged"],
    chunks: int,
    unread_pages: tuple[int, ...] = (),
) -> FileOutcome:
    return FileOutcome(
        path=str(path),
        document=path.name,
        document_id=document_id,
        status=status,
        chunks=chunks,
        unread_pages=unread_pages,
    )


def failure(path: Path, error: Exception, job: Job) -> FileOutcome:
    """A file that did not go in, and why; the job tells it."""
    name = shown(path.name)
    if not isinstance(error, RabbitholeError | OSError | UnicodeError):
        logger.error("%s was not taken in", name, exc_info=error)
    why = reason(error).removeprefix(f"{name}: ")
    job.tell_failure(name, why)
    return FileOutcome(
        path=shown(path), document=name, document_id=None, status="failed", error=why
    )
