"""Files read as the product reads them, each by a parser of its own."""

from pathlib import Path

from services.domain import Language, ParsedDocument
from services.ingestion.parse import FileParser


def parse_file(
    path: Path, *, language: Language = "auto", timeout_s: float = 60, memory_mb: int = 2048
) -> ParsedDocument:
    with FileParser() as parser:
        return parser(path, language=language, timeout_s=timeout_s, memory_mb=memory_mb)
