"""The kept files, each named by the SHA-256 of its bytes: whole or not, and getting them back."""

from contextlib import suppress
from pathlib import Path

from services.domain.errors import UnreadableDocument
from services.ingestion.files import identify, keep_original


def is_whole(kept: Path) -> bool:
    """Whether a kept file is there with the bytes that it had; reads all of it."""
    try:
        return identify(kept)[0] == kept.name
    except OSError:
        return False


def mend(kept: Path, source: Path | None) -> None:
    """Take a lost file from where it was ingested, if it lies there unchanged.

    Otherwise what is kept under its name is deleted, so that ingesting the file again keeps it
    anew.
    """
    kept.unlink(missing_ok=True)
    with suppress(OSError, UnreadableDocument):
        if source is not None and identify(source)[0] == kept.name:
            keep_original(source, kept.name, kept.parent)
