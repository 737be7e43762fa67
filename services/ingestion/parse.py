"""Parse files, and recognise their scanned pages, in processes with limits on time and memory."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from services.domain import Language, ParsedDocument, Recognised
from services.domain.errors import UnreadableDocument
from services.domain.formats import FORMATS
from services.domain.notices import Notice
from services.ingestion.answers import Task
from services.ingestion.worker import WorkerJob, WorkerPool
from services.settings import Settings

PARSER_VERSION: Final = "rabbithole-17"
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
    """Parses every file in a separate process (see `WorkerPool`); close it after use.

    Its methods raise UnreadableDocument with the file, the reason and what to do.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._docling = settings.pdf_reader == "docling"
        self.version = PARSER_VERSION + (WITH_DOCLING if self._docling else "")
        self._workers = WorkerPool()

    def version_of(self, path: Path) -> str:
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
        """Return the attachments of an e-mail: distinct, valid file names and contents."""
        return [*self._run(self._job(path, "attachments"))]

    def close(self) -> None:
        """End the host process; the next file starts another one."""
        self._workers.close()

    def _job(self, path: Path, task: Task = "document") -> WorkerJob:
        limits = self._settings.parse_timeout_s, self._settings.parse_memory_mb
        return WorkerJob(path.absolute(), *limits, task, docling=self._docling)

    def _run(self, job: WorkerJob) -> Any:
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


def _reason(answer: dict[str, Any], job: WorkerJob) -> Notice:
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


MOST_SECONDS: Final = 1800.0  # after which no further page of a file is begun
PAGE_S: Final = 60.0  # for a page, which takes 4 to 5 s of a processor

_TOO_SLOW: Final = Notice.of("each took longer than {seconds:g} s", seconds=PAGE_S)

ReadPicture = Callable[[WorkerJob], dict[str, Any]]
"""Has a page read: ``{"lines": [...]}``, or why not, as `WorkerPool.run` answers."""


class Pictures(NamedTuple):
    """What came of them: their lines, what stays unread, why, and whether an engine is missing."""

    recognised: Recognised
    unread: tuple[int, ...]
    warnings: tuple[Notice, ...]
    engine_missing: bool


def read_pictures(
    read: ReadPicture,
    job: WorkerJob,
    pages: Sequence[int],
    *,
    most: int,
    clock: Callable[[], float] = time.monotonic,
) -> Pictures:
    """Read pages (from 1) of the file of a job, until one of the limits is reached."""
    began, recognised, slow, large = clock(), Recognised(), list[int](), list[int]()
    missing: Notice | None = None
    for number in pages[:most]:
        if clock() - began > MOST_SECONDS:
            break
        limit_s = min(job.timeout_s, PAGE_S)
        answer = read(replace(job, task="lines", about=number, timeout_s=limit_s))
        if "unreadable" in answer:
            missing = Notice.model_validate(answer["unreadable"])
            break
        if "lines" in answer:
            recognised[number] = answer["lines"]
        else:
            (slow if answer.get("out_of") == "time" else large).append(number)
    beyond = pages[len(recognised) + len(slow) + len(large) :]
    last = (pages, missing) if missing else (beyond, _too_many(most))
    reasons = [(slow, _TOO_SLOW), (large, _too_large(job.memory_mb)), last]
    warnings = tuple(
        Notice.of("no readable text on pages {pages}: {reason}", pages=page_ranges(of), reason=why)
        for of, why in reasons
        if of
    )
    return Pictures(recognised, (*slow, *large, *beyond), warnings, missing is not None)


def _too_large(memory_mb: int) -> Notice:
    return Notice.of(
        "the reader ran out of memory ({megabytes} MB) or crashed; raise "
        "RABBITHOLE_PARSE_MEMORY_MB if you trust the file",
        megabytes=memory_mb,
    )


def _too_many(most: int) -> Notice:
    return Notice.of(
        "at most {pages} pages of a file are read, or as many as {minutes:g} minutes allow; split "
        "it, or raise RABBITHOLE_OCR_PAGES",
        pages=most,
        minutes=MOST_SECONDS / 60,
    )


def page_ranges(pages: Sequence[int]) -> str:
    """Return page numbers as ranges: ``1-4, 7``."""
    runs = groupby(enumerate(pages), key=lambda item: item[1] - item[0])
    spans = [[number for _, number in run] for _, run in runs]
    return ", ".join(f"{s[0]}-{s[-1]}" if len(s) > 1 else str(s[0]) for s in spans)
