"""Parsing files in processes of their own, with limits on time and memory."""

import os
from pathlib import Path
from typing import Final, Protocol, Self

from pydantic import BaseModel

from services.errors import UnreadableDocument
from services.ingestion.formats import SUFFIXES
from services.ingestion.processes import Job, Workers, out_of_time
from services.ingestion.worker import OUT_OF_MEMORY
from services.types import DocumentMetadata, Language, ParsedDocument, SectionSpan

__all__ = ["PARSER_VERSION", "SUFFIXES", "FileParser", "Parser", "parse_file"]

PARSER_VERSION: Final = "rabbithole-2"
"""Part of a text's identity: raise it when the same file would give another text."""

_SAMPLE_START: Final = 2000
_SAMPLE_LENGTH: Final = 4000


class Parser(Protocol):
    """Extracts the text of a file with its pages and sections."""

    def __call__(
        self, path: Path, *, language: Language, timeout_s: float, memory_mb: int
    ) -> ParsedDocument:
        """The document.

        Args:
            path: a PDF, DOCX, TXT or Markdown file; its name must agree with its content.
            language: ISO 639-1 code, or "auto" to detect it.
            timeout_s: limit of time, and of processor time, in seconds.
            memory_mb: limit of the address space in megabytes (enforced on Linux).

        Raises:
            UnreadableDocument: naming the file, the reason and the way out.
        """
        ...

    def close(self) -> None:
        """Give back what it holds until the next file."""
        ...


class _Document(BaseModel):
    title: str
    text: str
    pages: tuple[int, ...]
    sections: tuple[SectionSpan, ...]
    metadata: DocumentMetadata
    unread_pages: tuple[int, ...]


class _Answer(BaseModel):
    document: _Document | None = None
    unreadable: str | None = None
    failed: str | None = None


class FileParser:
    """The parser of the product; safe to share among threads, which take turns.

    Every file is opened in a process of its own, so that a broken or hostile one can neither
    crash nor stall this program, nor the file after it. Close it, or use it in a ``with``
    block; it starts nothing before its first file.

    Args:
        fork: whether the processes are forked from one that has the parsers loaded; else each
            is started anew, which takes 0.2 s longer.
    """

    def __init__(self, *, fork: bool = hasattr(os, "fork")) -> None:
        self._workers = Workers(fork=fork)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(
        self, path: Path, *, language: Language = "auto", timeout_s: float, memory_mb: int
    ) -> ParsedDocument:
        task = Job(path.absolute(), timeout_s, memory_mb)
        ended = self._workers.run(task)
        if ended.status != 0:
            raise UnreadableDocument(f"{path.name}: {_what_happened(ended.status, task)}")
        answer = _Answer.model_validate_json(ended.answer)
        if answer.document is None:
            raise UnreadableDocument(f"{path.name}: {answer.unreadable or _stumbled(answer)}")
        return _parsed(answer.document, language)

    def close(self) -> None:
        """End the host process; the next file starts another one."""
        self._workers.close()


def parse_file(
    path: Path, *, language: Language = "auto", timeout_s: float, memory_mb: int
) -> ParsedDocument:
    """Parse a single file; see `Parser`."""
    with FileParser() as parser:
        return parser(path, language=language, timeout_s=timeout_s, memory_mb=memory_mb)


def _what_happened(status: int, task: Job) -> str:
    """Say why a worker gave no answer."""
    if out_of_time(status):
        return (
            f"parsing took longer than {task.timeout_s:g} s; split the document, "
            "or raise RABBITHOLE_PARSE_TIMEOUT_S if you trust it"
        )
    if status == OUT_OF_MEMORY or status < 0:
        return (
            f"the parser ran out of memory ({task.memory_mb} MB) or crashed on this file; "
            "split the document, or raise RABBITHOLE_PARSE_MEMORY_MB if you trust it"
        )
    return _stumbled(_Answer(failed=f"exit status {status}"))


def _stumbled(answer: _Answer) -> str:
    return (
        f"the parser failed on this file ({answer.failed}); "
        "save it again in another program, and please report this"
    )


def _parsed(document: _Document, language: Language) -> ParsedDocument:
    return ParsedDocument(
        title=document.title,
        text=document.text,
        pages=document.pages,
        sections=document.sections,
        language=_detect(document.text) if language == "auto" else language,
        parser_version=PARSER_VERSION,
        metadata=document.metadata,
        unread_pages=document.unread_pages,
    )


def _detect(text: str) -> Language:
    """Judge by a piece from the body: first pages are full of names, dates and addresses."""
    from services.query.language import detect_language

    start = min(_SAMPLE_START, len(text) // 4)
    return detect_language(text[start : start + _SAMPLE_LENGTH])
