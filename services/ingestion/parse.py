"""Parsing files in processes of their own, with limits on time and memory."""

import os
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol, Self

from services.domain import DocumentMetadata, Language, ParsedDocument
from services.domain.errors import UnreadableDocument
from services.domain.notices import Notice
from services.ingestion.bibliography import Entry
from services.ingestion.scans import MOST_PICTURES, ReadPicture, read_pictures
from services.ingestion.worker import Job, Workers

PARSER_VERSION: Final = "rabbithole-6"
"""Part of a text's identity: raise it when the same file would give another text."""
WITHOUT_ENGINE: Final = " without pictures"
"""Added where pages stay unread until Tesseract is installed: the next ingestion looks again."""
NO_TEXT: Final = Notice.of(
    "the PDF holds no text, and none was recognised in its pictures; scan it upright, at 300 dpi"
)

_SAMPLE_START: Final = 2000
_SAMPLE_LENGTH: Final = 4000


class Parser(Protocol):
    """Extracts the text of a file with its pages and sections."""

    def __call__(
        self, path: Path, *, language: Language, timeout_s: float, memory_mb: int
    ) -> ParsedDocument:
        """The document; ``language`` is an ISO 639-1 code, or "auto" to detect it.

        ``timeout_s`` limits time and processor time in seconds, ``memory_mb`` the address space
        in megabytes (enforced on Linux).

        Raises:
            UnreadableDocument: naming the file, the reason and the way out.
        """
        ...

    def attachments(
        self, path: Path, *, timeout_s: float, memory_mb: int
    ) -> list[tuple[str, bytes]]:
        """Name and content of what is attached to an e-mail; limits and errors as above.

        Names are those of files in one folder, unlike each other, as any system takes them.
        """
        ...

    def entries(self, path: Path, *, timeout_s: float, memory_mb: int) -> list[Entry]:
        """What a bibliography says of files; limits and errors as above."""
        ...

    def close(self) -> None:
        """Give back what it holds until the next file."""
        ...


class FileParser:
    """The parser of the product, which opens every file in a process of its own: see `Workers`.

    Close it, or use it in a ``with`` block.

    Args:
        fork: whether the processes are forked, as for `Workers`.
        most_pictures: pages of a file whose text is recognised; 0 for none.
        read_picture: what reads such a page, in place of Tesseract in a worker.
    """

    def __init__(
        self,
        *,
        fork: bool = hasattr(os, "fork"),
        most_pictures: int = MOST_PICTURES,
        read_picture: ReadPicture | None = None,
    ) -> None:
        self._workers = Workers(fork=fork)
        self._most_pictures = most_pictures
        self._read_picture = read_picture or self._workers.run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(
        self, path: Path, *, language: Language = "auto", timeout_s: float, memory_mb: int
    ) -> ParsedDocument:
        job = Job(path.absolute(), timeout_s, memory_mb)
        fields = self._document(job)
        version, damaged = PARSER_VERSION, fields["unread_pages"]
        warnings = [_without(damaged)] if damaged else []
        if pictures := fields["pictures"]:
            found = read_pictures(self._read_picture, job, pictures, most=self._most_pictures)
            warnings += found.warnings
            if found.recognised:
                fields = self._document(replace(job, recognised=found.recognised))
            if not fields["text"].strip():
                raise _unreadable(path, found.warnings[0] if found.warnings else NO_TEXT)
            unread = sorted({*damaged, *found.unread})
            fields |= {"recognised": found.recognised, "unread_pages": unread}
            version += WITHOUT_ENGINE if found.engine_missing else ""
        del fields["pictures"]
        if language == "auto":
            language = _detect(fields["text"])
        stated = {"language": language, "parser_version": version, "warnings": warnings}
        return ParsedDocument.model_validate({**fields, **stated})

    def attachments(
        self, path: Path, *, timeout_s: float, memory_mb: int
    ) -> list[tuple[str, bytes]]:
        answer = self._workers.run(Job(path.absolute(), timeout_s, memory_mb, unpack=True))
        if "attachments" not in answer:
            raise _unreadable(path, _reason(answer, timeout_s, memory_mb))
        return [(name, b64decode(content)) for name, content in answer["attachments"]]

    def entries(self, path: Path, *, timeout_s: float, memory_mb: int) -> list[Entry]:
        answer = self._workers.run(Job(path.absolute(), timeout_s, memory_mb, entries=True))
        if "entries" not in answer:
            raise _unreadable(path, _reason(answer, timeout_s, memory_mb))
        return [
            Entry(tuple(names), DocumentMetadata.model_validate(stated))
            for names, stated in answer["entries"]
        ]

    def close(self) -> None:
        """End the host process; the next file starts another one."""
        self._workers.close()

    def _document(self, job: Job) -> dict[str, Any]:
        """The fields of a parsed document, and its ``pictures``."""
        answer = self._workers.run(job)
        if "document" not in answer:
            raise _unreadable(job.path, _reason(answer, job.timeout_s, job.memory_mb))
        fields: dict[str, Any] = answer["document"]
        return fields


def _without(damaged: list[int]) -> Notice:
    return Notice.of(
        "its damaged pages {pages} are missing; export or download it again",
        pages=", ".join(map(str, damaged)),
    )


def _unreadable(path: Path, reason: Notice) -> UnreadableDocument:
    return UnreadableDocument("{document}: {reason}", document=path.name, reason=reason)


def _reason(answer: dict[str, Any], timeout_s: float, memory_mb: int) -> Notice:
    """Why a worker read nothing."""
    match answer:
        case {"unreadable": notice}:
            return Notice.model_validate(notice)
        case {"out_of": "time"}:
            return Notice.of(
                "parsing took longer than {seconds:g} s; split the document, or raise "
                "RABBITHOLE_PARSE_TIMEOUT_S if you trust it",
                seconds=timeout_s,
            )
        case {"out_of": "memory"}:
            return Notice.of(
                "the parser ran out of memory ({megabytes} MB) or crashed on this file; split "
                "the document, or raise RABBITHOLE_PARSE_MEMORY_MB if you trust it",
                megabytes=memory_mb,
            )
    return Notice.of(
        "the parser failed on this file ({error}); save it again in another program, and "
        "please report this",
        error=answer["failed"],
    )


def _detect(text: str) -> Language:
    """Judge by a piece from the body: first pages are full of names, dates and addresses."""
    from services.language.query.language import detect_language

    start = min(_SAMPLE_START, len(text) // 4)
    return detect_language(text[start : start + _SAMPLE_LENGTH])
