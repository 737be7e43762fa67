"""The texts of a report's documents: files found by their bytes, read as ingestion reads them."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.domain import ParsedDocument
from services.domain.errors import UnreadableDocument
from services.evidence.verification.reading import ClaimedSource
from services.ingestion.extraction import SUFFIXES
from services.ingestion.files import identify, walk
from services.ingestion.parse import PARSER_VERSION, Parser

LONGEST_NAME: Final = 120


@dataclass(frozen=True)
class Limits:
    """What opening one document may take."""

    timeout_s: float
    memory_mb: int


@dataclass(frozen=True)
class Found:
    """A document's file, or why there is none.

    ``shown`` is its path below the folder that was searched; None for a kept original.
    ``namesake``: a file has the document's name and other bytes.
    """

    path: Path | None = None
    shown: str | None = None
    namesake: bool = False


@dataclass(frozen=True)
class Opened:
    """A source with its text, or why its citations cannot be checked."""

    source: ClaimedSource
    found: Found
    parsed: ParsedDocument | None
    problem: str | None = None

    @property
    def other_parser(self) -> str | None:
        """What to know where another parser made the text that the report speaks of."""
        version = self.source.parser_version
        if not version or version == PARSER_VERSION:
            return None
        return (
            f"the report was made by the parser {version}, this is {PARSER_VERSION}: places may "
            "have moved; check it with the version of Rabbithole that made it"
        )


class Opener:
    """Parses each document once, in the process of its own that ingestion uses, too."""

    def __init__(self, found: Mapping[str, Found], parser: Parser, limits: Limits) -> None:
        self._found = found
        self._parser = parser
        self._limits = limits
        self._read: dict[str, ParsedDocument | str] = {}

    def open(self, source: ClaimedSource, language: str) -> Opened:
        """A source with its text."""
        found = self._found[source.sha256]
        if found.path is None:
            return Opened(source, found, None, _missing(source, found))
        if source.sha256 not in self._read:
            self._read[source.sha256] = self._parse(found.path, source.document, language)
        text = self._read[source.sha256]
        if isinstance(text, str):
            return Opened(source, found, None, text)
        return Opened(source, found, text)

    def _parse(self, path: Path, document: str, language: str) -> ParsedDocument | str:
        try:
            with tempfile.TemporaryDirectory() as folder:
                return self._parser(
                    _readable_copy(path, document, Path(folder)),
                    language=language,
                    timeout_s=self._limits.timeout_s,
                    memory_mb=self._limits.memory_mb,
                )
        except UnreadableDocument as problem:
            return f"the document cannot be read: {problem}"


def find(
    sources: Sequence[ClaimedSource], folders: Sequence[Path], originals: Path | None = None
) -> Mapping[str, Found]:
    """The files of sources by their SHA-256."""
    wanted = {source.sha256: source.document for source in sources}
    found: dict[str, Found] = {}
    namesakes: set[str] = set()
    for folder in filter(None, (originals, *folders)):
        for sha256 in wanted.keys() - found.keys():
            kept = folder / sha256
            if kept.is_file() and _sha256(kept) == sha256:
                found[sha256] = Found(kept, None if folder == originals else sha256)
    for folder, path in _likely_first(folders, wanted) if wanted.keys() - found.keys() else ():
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


def _likely_first(
    folders: Sequence[Path], wanted: Mapping[str, str]
) -> Iterator[tuple[Path, Path]]:
    """Files of formats that can be a document; in a folder, names of the report come first."""
    names = set(wanted.values())
    for folder in folders:
        files = [each.path for each in walk(folder) if each.problem is None]
        for path in sorted(files, key=lambda path: (path.name not in names, path)):
            yield folder, path


def _sha256(path: Path) -> str | None:
    try:
        return identify(path)[0]
    except OSError:  # closed to us or gone: it is not found then, which is said
        return None


def _readable_copy(file: Path, document: str, folder: Path) -> Path:
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


def _missing(source: ClaimedSource, found: Found) -> str:
    if found.namesake:
        return (
            f"the file {source.document} that was found has other bytes than the one that was "
            "cited; name the folder of the right one with --documents"
        )
    return (
        f"no file with the SHA-256 {source.sha256[:12]}… of {source.document} was found; name its "
        "folder with --documents"
    )
