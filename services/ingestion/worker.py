"""The process that opens files from outside: ``python -m services.ingestion.worker``.

It limits its own memory and processor time before it touches the file, parses it and writes
one JSON object to standard output: ``{"document": {…}}`` or ``{"unreadable": "why"}``. It
imports neither Pydantic nor anything else that slows its start.
"""

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Final

from services.errors import UnreadableDocument
from services.ingestion.extraction import Extraction
from services.ingestion.formats import Kind, detect_kind
from services.ingestion.sections import build_sections

OUT_OF_MEMORY: Final = 3
"""Exit status when the memory limit was reached."""


def main(arguments: list[str]) -> int:
    """Parse one file.

    Args:
        arguments: path of the file, memory limit in megabytes, processor time in seconds.

    Returns:
        The exit status: 0 with an answer on standard output, or `OUT_OF_MEMORY`.
    """
    path, memory_mb, cpu_s = Path(arguments[0]), int(arguments[1]), int(arguments[2])
    answer = _private_stdout()
    _limit(memory_mb, cpu_s)
    try:
        result = json.dumps(_answer(path), ensure_ascii=False).encode()
    except MemoryError:
        return OUT_OF_MEMORY
    with os.fdopen(answer, "wb") as stream:
        stream.write(result)
    return 0


def _answer(path: Path) -> dict[str, object]:
    try:
        return {"document": _document(parse(path), path)}
    except UnreadableDocument as error:
        return {"unreadable": str(error)}


def parse(path: Path) -> Extraction:
    """Parse a file in this process, without limits.

    Raises:
        UnreadableDocument: the file cannot be read; the message says why and what to do.
    """
    try:
        extraction = _parse_as(detect_kind(path), path)
    except OSError as error:
        raise UnreadableDocument(f"it cannot be opened ({error.strerror})") from error
    if not extraction.text.strip():
        raise UnreadableDocument("the file holds no text; there is nothing to ingest")
    return extraction


def _parse_as(kind: Kind, path: Path) -> Extraction:
    if kind == "pdf":
        from services.ingestion.pdf_parser import parse_pdf

        return parse_pdf(path)
    if kind == "docx":
        from services.ingestion.docx_parser import parse_docx

        return parse_docx(path)
    from services.ingestion.plain_parser import parse_text

    return parse_text(path)


def _document(extraction: Extraction, path: Path) -> dict[str, object]:
    return {
        "title": extraction.title or path.stem,
        "text": extraction.text,
        "pages": extraction.pages,
        "sections": [asdict(section) for section in build_sections(extraction)],
        "metadata": asdict(extraction.stated),
    }


def _private_stdout() -> int:
    """Keep standard output for the answer; whatever a library prints goes to standard error."""
    answer = os.dup(1)
    os.dup2(2, 1)
    return answer


def _limit(memory_mb: int, cpu_s: int) -> None:
    """Limit address space and processor time, where the system can (not on Windows)."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
