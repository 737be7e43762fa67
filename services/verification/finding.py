"""The files of a report's documents: found by their bytes, whatever they are called."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.ingestion.files import identify, walk
from services.ingestion.formats import SUFFIXES
from services.verification.reading import ClaimedSource

LONGEST_NAME: Final = 120


@dataclass(frozen=True)
class Found:
    """A document's file, or why there is none.

    ``shown`` is its path below the folder that was searched; None for a kept original.
    ``namesake``: a file has the document's name and other bytes.
    """

    path: Path | None = None
    shown: str | None = None
    namesake: bool = False


def find(
    sources: Sequence[ClaimedSource], folders: Sequence[Path], originals: Path | None = None
) -> Mapping[str, Found]:
    """The files of sources by their SHA-256.

    Args:
        sources: what the report names.
        folders: are searched with all folders in them; hidden ones and links are passed over.
        originals: where a home keeps files under their SHA-256.
    """
    wanted = {source.sha256: source.document for source in sources}
    found: dict[str, Found] = {}
    namesakes: set[str] = set()
    for folder in (originals, *folders):
        for sha256 in wanted.keys() - found.keys() if folder else ():
            kept = folder / sha256 if folder else Path()
            if kept.is_file() and _sha256(kept) == sha256:
                found[sha256] = Found(kept, None if folder == originals else sha256)
    for folder in folders:
        if wanted.keys() <= found.keys():
            break
        for path in _likely_first(folder, wanted):
            met = _sha256(path)
            if met in wanted:
                found.setdefault(met, Found(path, path.relative_to(folder).as_posix()))
                if wanted.keys() <= found.keys():
                    break
            elif path.name in wanted.values():
                namesakes.add(path.name)
    return {
        sha256: found.get(sha256, Found(namesake=name in namesakes))
        for sha256, name in wanted.items()
    }


def readable_copy(file: Path, document: str, folder: Path) -> Path:
    """The file under a name whose ending fits its kind: parsers go by the document's name.

    The name is the report's, so it is used for its ending and its harmless letters alone.
    """
    suffix = Path(document).suffix.lower()
    ending = suffix if suffix in SUFFIXES else file.suffix
    stem = "".join(each for each in Path(document).stem if each.isalnum() or each in " -_")
    name = folder / f"{stem.strip()[:LONGEST_NAME] or 'document'}{ending}"
    try:
        name.symlink_to(file.resolve())
    except OSError:  # a system without links
        shutil.copyfile(file, name)
    return name


def _likely_first(folder: Path, wanted: Mapping[str, str]) -> Iterator[Path]:
    """Files of formats that can be a document, those with a name of the report first."""
    names = set(wanted.values())
    files = [each.path for each in walk(folder) if each.problem is None]
    yield from sorted(files, key=lambda path: (path.name not in names, path))


def _sha256(path: Path) -> str | None:
    try:
        return identify(path)[0]
    except OSError:  # closed to us or gone: it is not found then, which is said
        return None
