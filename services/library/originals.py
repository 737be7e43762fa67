"""Stored originals, each named by the SHA-256 of its bytes: checking and restoring them."""

from contextlib import suppress
from pathlib import Path

from services.domain.errors import UnreadableDocument
from services.ingestion.files import identify, keep_original


def is_whole(original: Path) -> bool:
    """Return whether a stored file is readable and unchanged; reads all of it."""
    try:
        return identify(original)[0] == original.name
    except OSError:
        return False


def restore_original(original: Path, source: Path | None) -> None:
    """Copy a lost file again from where it was ingested, if it is unchanged there.

    Otherwise other bytes under its name are deleted, so that ingesting the file again stores it. A
    file that cannot be read stays, as it may be whole.
    """
    with suppress(OSError, UnreadableDocument):
        if source is not None and identify(source)[0] == original.name:
            return keep_original(source, original.name, original.parent, anew=True)
    with suppress(OSError):
        if identify(original)[0] != original.name:
            original.unlink()
