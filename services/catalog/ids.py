"""Identities of what the catalog holds, all derived from content."""

import hashlib
import json
import uuid
from datetime import UTC, datetime

from services.domain import ParsedDocument

STORED = {"text", "title", "language", "pages", "sections", "recognised", "parser_version"}
"""What is kept of a parsed document under the id of its text."""


def text_id(parsed: ParsedDocument) -> str:
    """SHA-256 (hex) of an extracted text and of all that is kept with it.

    Another file of the same words has them on other pages, or states another title.
    """
    stored = parsed.model_dump(mode="json", include=STORED)
    return hashlib.sha256(json.dumps(stored, sort_keys=True).encode()).hexdigest()


def words_id(text: str, parser_version: str, recognised: object = None) -> str:
    """SHA-256 (hex) of a text alone, the version of its parser, and what pictures say where.

    The id of a document that is no file; texts had it too, and have it in older archives.
    """
    digest = hashlib.sha256(parser_version.encode())
    digest.update(b"\0")
    digest.update(text.encode())
    if recognised:
        digest.update(b"\0" + json.dumps(recognised, sort_keys=True).encode())
    return digest.hexdigest()


def text_ids(parsed: ParsedDocument) -> tuple[str, str]:
    """The ids under which a text may stand: the one it gets, and the one it had before."""
    return text_id(parsed), words_id(parsed.text, parsed.parser_version, parsed.recognised)


def chunk_id(text: str, chunking: str, start: int, end: int) -> str:
    """Identity of a span of the text with id ``text`` cut by ``chunking``: 32 hex digits."""
    return hashlib.sha256(f"{text}:{chunking}:{start}:{end}".encode()).hexdigest()[:32]


def collection_id() -> str:
    """A new random identity; valid as the name of a Chroma collection and of a folder."""
    return uuid.uuid4().hex


def now() -> str:
    """The present time, ISO 8601 in UTC with microseconds, so that text order is time order."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
