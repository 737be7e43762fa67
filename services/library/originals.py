"""The kept files: whether they are still what was ingested, and getting them back."""

from contextlib import suppress
from pathlib import Path

from services.domain.errors import UnreadableDocument
from services.ingestion.files import identify, keep_original


class Originals:
    """The files of a home by the id of their document, which is their SHA-256."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def is_whole(self, document_id: str) -> bool:
        """Whether the file is there with the bytes that it had; reads all of it."""
        try:
            return identify(self._folder / document_id)[0] == document_id
        except OSError:
            return False

    def mend(self, document_id: str, source: Path | None) -> None:
        """Take a lost file from where it was ingested, if it lies there unchanged.

        Otherwise what is kept under its name is deleted, so that ingesting the file again
        keeps it anew.
        """
        (self._folder / document_id).unlink(missing_ok=True)
        with suppress(OSError, UnreadableDocument):
            if source is not None and identify(source)[0] == document_id:
                keep_original(source, document_id, self._folder)
