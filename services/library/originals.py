"""The kept files, each named by the SHA-256 of its bytes: whole or not, and getting them back."""

from contextlib import suppress
from pathlib import Path

from services.domain.errors import UnreadableDocument
from services.ingestion.files import identify, keep_original


def is_whole(kept: Path) -> bool:
    """Whether a kept file can be read and has the bytes that it had; reads all of it."""
    try:
        return identify(kept)[0] == kept.name
    except OSError:
        return False


def mend(kept: Path, source: Path | None) -> None:
    """Take a lost file from where it was ingested, if it lies there unchanged.

    Otherwise other bytes that are kept under its name are deleted, so that ingesting the file
    again keeps it anew. What cannot be read stays: it may be whole.
    """
    with suppress(OSError, UnreadableDocument):
        if source is not None and identify(source)[0] == kept.name:
            return keep_original(source, kept.name, kept.parent, anew=True)
    with suppress(OSError):
        if identify(kept)[0] != kept.name:
            kept.unlink()
