"""The texts of a report's documents: files found by their bytes, read as ingestion reads them."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.domain import ParsedDocument
from services.domain.errors import UnreadableDocument
from services.evidence.verification.report import ClaimedSource
from services.ingestion.extraction import SUFFIXES
from services.ingestion.files import identify, walk
from services.ingestion.parse import PARSER_VERSION, FileParser

LONGEST_NAME: Final = 120


@dataclass(frozen=True)
class Opened:
    """A source with its text, or why its citations cannot be checked.

    ``path`` is the file below the folder that was searched; None for a kept original.
    """

    source: ClaimedSource
    found: bool
    path: str | None
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
    """Finds the files of sources, and parses each once in a process of its own, like ingestion.

    Args:
        sources: of all reports that are checked.
        folder: where files are looked for, by their bytes, with all folders in it.
        originals: where a home keeps files under their SHA-256.
        parser: of a path and a language, within limits of its own.
    """

    def __init__(
        self,
        sources: Sequence[ClaimedSource],
        folder: Path,
        originals: Path | None,
        parser: FileParser,
    ) -> None:
        names = {source.sha256: source.document for source in sources}
        self._paths = dict(_files_by_hash(names, folder, originals))
        self._namesakes: set[str] = set()
        self._search(names, folder)
        self._parser = parser
        self._read: dict[str, ParsedDocument | str] = {}

    def open(self, source: ClaimedSource, language: str) -> Opened:
        """A source with its text."""
        path, shown_path = self._paths.get(source.sha256, (None, None))
        if path is None:
            return Opened(source, False, None, None, self._missing(source))
        if source.sha256 not in self._read:
            self._read[source.sha256] = self._parse(path, source.document, language)
        text = self._read[source.sha256]
        if isinstance(text, str):
            return Opened(source, True, shown_path, None, text)
        return Opened(source, True, shown_path, text)

    def _search(self, names: Mapping[str, str], folder: Path) -> None:
        """Look for the files that are not kept under their SHA-256, names of the report first."""
        files = [file.path for file in walk(folder) if file.problem is None]
        likely = set(names.values())
        for path in sorted(files, key=lambda path: (path.name not in likely, path)):
            if names.keys() <= self._paths.keys():
                return
            met = _sha256(path)
            if met is not None and met in names:
                self._paths.setdefault(met, (path, path.relative_to(folder).as_posix()))
            else:
                self._namesakes.add(path.name)

    def _missing(self, source: ClaimedSource) -> str:
        if source.document in self._namesakes:
            return (
                f"the file {source.document} that was found has other bytes than the one that was "
                "cited; name the folder of the right one with --documents"
            )
        return (
            f"no file with the SHA-256 {source.sha256[:12]}… of {source.document} was found; name "
            "its folder with --documents"
        )

    def _parse(self, path: Path, document: str, language: str) -> ParsedDocument | str:
        try:
            with tempfile.TemporaryDirectory() as folder:
                copy = readable_copy(path, document, Path(folder))
                return self._parser(copy, language=language)
        except UnreadableDocument as problem:
            return f"the document cannot be read: {problem}"


def _files_by_hash(
    names: Iterable[str], folder: Path, originals: Path | None
) -> Iterator[tuple[str, tuple[Path, str | None]]]:
    """Files that are called by their SHA-256; the originals come last, and count."""
    for directory in filter(None, (folder, originals)):
        for sha256 in names:
            path = directory / sha256
            if path.is_file() and _sha256(path) == sha256:
                yield sha256, (path, None if directory == originals else sha256)


def _sha256(path: Path) -> str | None:
    try:
        return identify(path)[0]
    except OSError:  # closed to us or gone: it is not found then, which is said
        return None


def readable_copy(file: Path, document: str, folder: Path) -> Path:
    """The file under a name whose ending fits its kind: parsers go by the document's name.

    The name is the report's, so it is used for its ending and its harmless letters alone.
    """
    suffix = Path(document).suffix.lower()
    ending = suffix if suffix in SUFFIXES else file.suffix
    stem = "".join(c for c in Path(document).stem if c.isalnum() or c in " -_")
    name = folder / f"{stem.strip()[:LONGEST_NAME] or 'document'}{ending}"
    try:
        name.symlink_to(file.resolve())
    except OSError:  # a system without links
        shutil.copyfile(file, name)
    return name
