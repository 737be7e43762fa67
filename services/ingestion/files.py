"""Files before they are read: which ones a request means, what they are by their bytes."""

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from services.errors import UnreadableDocument
from services.ingestion.formats import SUFFIXES

BLOCK = 1 << 20


@dataclass(frozen=True)
class Candidate:
    """A path to ingest, or the reason why there is nothing to ingest there."""

    path: Path
    problem: str | None = None


def find_files(paths: Sequence[Path]) -> Iterator[Candidate]:
    """The files that a person means: each once, folders walked in order of name.

    In a folder, files of other formats and hidden ones are passed over; a file named by
    itself is taken as it is, so that a format that cannot be read is said to be so.
    """
    seen: set[Path] = set()
    for path in paths:
        for candidate in candidates(path):
            identity = candidate.path.resolve() if candidate.problem is None else path
            if identity not in seen:
                seen.add(identity)
                yield candidate


def candidates(path: Path) -> Iterator[Candidate]:
    if not reachable(path):
        yield Candidate(path, f"There is no file or folder {path} that can be read.")
    elif not path.is_dir():
        yield Candidate(path)
    elif found := [file for file in sorted(path.rglob("*")) if belongs(file, path)]:
        yield from map(Candidate, found)
    else:
        formats = ", ".join(sorted(SUFFIXES))
        yield Candidate(path, f"The folder {path} holds no file of the formats {formats}.")


def reachable(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder on the way is closed to us, or the name is too long
        return False


def belongs(file: Path, folder: Path) -> bool:
    """Whether a file found in a folder is to be ingested."""
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.suffix.lower() in SUFFIXES and not hidden and file.is_file()


def identify(path: Path) -> tuple[str, int]:
    """SHA-256 (hex) and size in bytes of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return digest.hexdigest(), file.tell()


def keep_original(path: Path, sha256: str, folder: Path) -> None:
    """Copy a file to ``folder/sha256``, so that a proof never depends on the user's path.

    Raises:
        UnreadableDocument: the file is no longer the one with that hash.
    """
    kept = folder / sha256
    if kept.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".partial", delete=False) as copy:
        partial = Path(copy.name)
        try:
            with path.open("rb") as original:
                while block := original.read(BLOCK):
                    digest.update(block)
                    copy.write(block)
            copy.flush()
            if digest.hexdigest() != sha256:
                raise UnreadableDocument(f"{path.name} changed while it was read. Ingest it again.")
            partial.replace(kept)
        finally:
            partial.unlink(missing_ok=True)
