"""Parsing files in processes of their own, with limits on time and memory."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from services.domain import Language, ParsedDocument
from services.domain.errors import UnreadableDocument
from services.domain.formats import FORMATS
from services.domain.notices import Notice
from services.ingestion.answers import Task
from services.ingestion.scans import page_ranges, read_pictures
from services.ingestion.worker import Job, Workers
from services.settings import Settings

PARSER_VERSION: Final = "rabbithole-16"
"""Part of a text's identity: raise it when the same file would give another text."""
TEXT_VERSION: Final = "rabbithole-12"
"""That of plain text, which is not read again because the reading of other files has changed."""
WITHOUT_ENGINE: Final = " without pictures"
"""Added where pages stay unread until Tesseract is installed: the next ingestion looks again."""
NO_TEXT: Final = Notice.of(
    "the PDF contains no legible text, and none was recognised on its pages; scan it upright, at "
    "300 dpi"
)

WITH_DOCLING: Final = " docling"

_SAMPLE_START: Final = 2000
_SAMPLE_LENGTH: Final = 4000


class FileParser:
    """The parser of the product, which opens every file in a separate process: see `Workers`.

    Close it after use. Its methods raise UnreadableDocument with the file, the reason and what to
    do.

    Args:
        settings: limits of time and memory for a file, and how many of its scanned pages are
            recognised.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._docling = settings.pdf_reader == "docling"
        self.version = PARSER_VERSION + (WITH_DOCLING if self._docling else "")
        self._workers = Workers()

    def version_of(self, path: Path) -> str:
        """Return the version of what reads a file."""
        is_text = path.suffix.lower() in FORMATS["text"].suffixes
        return TEXT_VERSION if is_text else self.version

    def __call__(self, path: Path, *, language: Language = "auto") -> ParsedDocument:
        """Parse a file; ``language`` is an ISO 639-1 code, or "auto" to detect it."""
        job = self._job(path)
        fields = dict(self._run(job))
        version, damaged = self.version_of(path), fields["unread_pages"]
        warnings = [*fields["warnings"], *([_without(damaged)] if damaged else [])]
        if pictures := fields["pictures"]:
            most = self._settings.ocr_pages
            pictures_read = read_pictures(self._workers.run, job, pictures, most=most)
            warnings += pictures_read.warnings
            if pictures_read.recognised:
                fields = dict(self._run(replace(job, about=pictures_read.recognised)))
            if not fields["text"].strip():
                raise _unreadable(
                    path, pictures_read.warnings[0] if pictures_read.warnings else NO_TEXT
                )
            if pages := [*pictures_read.recognised]:
                warnings.append(_recognised(pages))
            unread = sorted({*damaged, *pictures_read.unread})
            fields |= {"recognised": pictures_read.recognised, "unread_pages": unread}
            version += WITHOUT_ENGINE if pictures_read.engine_missing else ""
        del fields["pictures"]
        if language == "auto":
            language = _detect(fields["text"])
        stated = {"language": language, "parser_version": version, "warnings": warnings}
        return ParsedDocument.model_validate({**fields, **stated})

    def attachments(self, path: Path) -> list[tuple[str, bytes]]:
        """Return name and content of the attachments of an e-mail.

        The names are distinct and valid file names on any system.
        """
        return [*self._run(self._job(path, "attachments"))]

    def close(self) -> None:
        """End the host process; the next file starts another one."""
        self._workers.close()

    def _job(self, path: Path, task: Task = "document") -> Job:
        limits = self._settings.parse_timeout_s, self._settings.parse_memory_mb
        return Job(path.absolute(), *limits, task, docling=self._docling)

    def _run(self, job: Job) -> Any:
        """Run a job and return its result."""
        answer = self._workers.run(job)
        if job.task not in answer:
            raise _unreadable(job.path, _reason(answer, job))
        return answer[job.task]


def _without(damaged: Sequence[int]) -> Notice:
    return Notice.of(
        "damaged pages are missing: {pages}; export or download it again",
        pages=", ".join(map(str, damaged)),
    )


def _recognised(pages: list[int]) -> Notice:
    return Notice.of(
        "text recognised in images (pages: {pages}); compare quotes with the page",
        pages=page_ranges(pages),
    )


def _unreadable(path: Path, reason: Notice) -> UnreadableDocument:
    return UnreadableDocument("{document}: {reason}", document=path.name, reason=reason)


def _reason(answer: dict[str, Any], job: Job) -> Notice:
    """Return why a worker read nothing."""
    match answer:
        case {"unreadable": Notice() as notice}:
            return notice
        case {"out_of": "time"}:
            return Notice.of(
                "parsing took longer than {seconds:g} s; split the document, or raise "
                "RABBITHOLE_PARSE_TIMEOUT_S if you trust it",
                seconds=job.timeout_s,
            )
        case {"out_of": "memory"}:
            return Notice.of(
                "the parser ran out of memory ({megabytes} MB) or crashed on this file; split "
                "the document, or raise RABBITHOLE_PARSE_MEMORY_MB if you trust it",
                megabytes=job.memory_mb,
            )
    return Notice.of(
        "the parser failed on this file ({error}); save it again in another program, and please "
        "report this",
        error=answer["failed"],
    )


def _detect(text: str) -> Language:
    """Detect by a sample of the body: first pages are full of names, dates and addresses."""
    from services.language.query.language import detect_language

    start = min(_SAMPLE_START, len(text) // 4)
    return detect_language(text[start : start + _SAMPLE_LENGTH])
