"""The texts of a report's documents, read as ingestion reads them."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from services.errors import UnreadableDocument
from services.ingestion.parse import PARSER_VERSION, Parser
from services.types import ParsedDocument
from services.verification.finding import Found, readable_copy
from services.verification.reading import ClaimedSource


@dataclass(frozen=True)
class Limits:
    """What opening one document may take."""

    timeout_s: float
    memory_mb: int


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
        """A source with its text.

        Args:
            source: of a report.
            language: told to the parser, which then need not detect it; no text depends on it.
        """
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
                    readable_copy(path, document, Path(folder)),
                    language=language,
                    timeout_s=self._limits.timeout_s,
                    memory_mb=self._limits.memory_mb,
                )
        except UnreadableDocument as problem:
            return f"the document cannot be read: {problem}"


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
