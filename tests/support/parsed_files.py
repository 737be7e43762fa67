"""Files read as the product reads them, each by a parser of its own."""

from contextlib import closing
from pathlib import Path

from services.domain import Language, ParsedDocument
from services.ingestion.parse import FileParser
from services.settings import Settings


def parse_file(
    path: Path, *, language: Language = "auto", timeout_s: float = 60, memory_mb: int = 2048
) -> ParsedDocument:
    with closing(FileParser(limits(timeout_s, memory_mb))) as parser:
        return parser(path, language=language)


def limits(timeout_s: float, memory_mb: int) -> Settings:
    """Settings with limits for the parser, be they lower than a user may set."""
    given = {"parse_timeout_s": timeout_s, "parse_memory_mb": memory_mb}
    return Settings().model_copy(update=given)
