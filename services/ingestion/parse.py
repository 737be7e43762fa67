"""Parsing a file in a process of its own, with limits on time and memory."""

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from services.errors import UnreadableDocument
from services.ingestion.formats import SUFFIXES
from services.ingestion.worker import OUT_OF_MEMORY
from services.types import DocumentMetadata, Language, ParsedDocument, SectionSpan

__all__ = ["PARSER_VERSION", "SUFFIXES", "parse_file"]

PARSER_VERSION: Final = "rabbithole-1"
"""Part of a text's identity: raise it when the same file would give another text."""

_ROOT: Final = Path(__file__).resolve().parents[2]
_SAMPLE_START: Final = 2000
_SAMPLE_LENGTH: Final = 4000


class _Document(BaseModel):
    title: str
    text: str
    pages: tuple[int, ...]
    sections: tuple[SectionSpan, ...]
    metadata: DocumentMetadata


class _Answer(BaseModel):
    document: _Document | None = None
    unreadable: str | None = None


def parse_file(
    path: Path, *, language: Language = "auto", timeout_s: float, memory_mb: int
) -> ParsedDocument:
    """Extract the text of a PDF, DOCX, TXT or Markdown file, its structure and metadata.

    The file is opened only in a fresh process, so that a broken or hostile one can neither
    crash nor stall this program.

    Args:
        path: the file; its name must agree with its content.
        language: ISO 639-1 code, or "auto" to detect it.
        timeout_s: wall-clock limit in seconds, also the limit of processor time.
        memory_mb: limit of the process's address space in megabytes (enforced on Linux).

    Raises:
        UnreadableDocument: naming the file, the reason and the way out.
    """
    answer = _Answer.model_validate_json(_run_worker(path, timeout_s, memory_mb))
    if answer.document is None:
        raise UnreadableDocument(f"{path.name}: {answer.unreadable}")
    document = answer.document
    return ParsedDocument(
        title=document.title,
        text=document.text,
        pages=document.pages,
        sections=document.sections,
        language=_detect(document.text) if language == "auto" else language,
        parser_version=PARSER_VERSION,
        metadata=document.metadata,
    )


def _run_worker(path: Path, timeout_s: float, memory_mb: int) -> bytes:
    cpu_s = max(1, math.ceil(timeout_s))
    command = [sys.executable, "-P", "-m", "services.ingestion.worker"]
    try:
        done = subprocess.run(
            [*command, str(path.absolute()), str(memory_mb), str(cpu_s)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            env={**os.environ, "PYTHONPATH": _python_path()},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UnreadableDocument(_too_slow(path, timeout_s)) from error
    if done.returncode == 0:
        return done.stdout
    raise UnreadableDocument(_what_happened(done, path, timeout_s, memory_mb))


def _what_happened(
    done: "subprocess.CompletedProcess[bytes]", path: Path, timeout_s: float, memory_mb: int
) -> str:
    """Say what became of a worker that gave no answer."""
    if sys.platform != "win32":
        import signal

        if done.returncode == -signal.SIGXCPU:
            return _too_slow(path, timeout_s)
    if done.returncode == OUT_OF_MEMORY or done.returncode < 0:
        return (
            f"{path.name}: the parser ran out of memory ({memory_mb} MB) or crashed on this file; "
            "split the document, or raise RABBITHOLE_PARSE_MEMORY_MB if you trust it"
        )
    last_line = done.stderr.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
    return (
        f"{path.name}: the parser failed on this file ({last_line}); "
        "save it again in another program, and please report this"
    )


def _too_slow(path: Path, timeout_s: float) -> str:
    return (
        f"{path.name}: parsing took longer than {timeout_s:g} s; split the document, "
        "or raise RABBITHOLE_PARSE_TIMEOUT_S if you trust it"
    )


def _python_path() -> str:
    """Find this package in the worker even where it runs from a working copy."""
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(_ROOT), inherited] if inherited else [str(_ROOT)])


def _detect(text: str) -> Language:
    """Judge by a piece from the body: first pages are full of names, dates and addresses."""
    from services.query.language import detect_language

    start = min(_SAMPLE_START, len(text) // 4)
    return detect_language(text[start : start + _SAMPLE_LENGTH])
