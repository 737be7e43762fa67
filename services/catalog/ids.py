"""Ids of what the catalog holds, derived from content, and the present time."""

import hashlib
import json
import uuid
from datetime import UTC, datetime

from services.domain import ParsedDocument

STORED = {"text", "title", "language", "pages", "page_labels", "sections", "recognised",
          "parser_version"}  # fmt: skip
"""The fields of a parsed document that are stored under the id of its text."""


def text_id(parsed: ParsedDocument) -> str:
    """Return the SHA-256 (hex) of an extracted text and of everything stored with it."""
    stored = parsed.model_dump(mode="json", include=STORED)
    return hashlib.sha256(json.dumps(stored, sort_keys=True).encode()).hexdigest()


def words_id(text: str, parser_version: str, recognised: object = None) -> str:
    """Return the id (SHA-256, hex) of a document without a file, and of texts in old archives."""
    digest = hashlib.sha256(parser_version.encode())
    digest.update(b"\0")
    digest.update(text.encode())
    if recognised:
        digest.update(b"\0" + json.dumps(recognised, sort_keys=True).encode())
    return digest.hexdigest()


def text_ids(parsed: ParsedDocument) -> tuple[str, str]:
    """Return the present id of a text and the one that older versions gave it."""
    return text_id(parsed), words_id(parsed.text, parsed.parser_version, parsed.recognised)


def chunk_id(text: str, chunking: str, start: int, end: int) -> str:
    """Return the id (32 hex digits) of a span of the text with id ``text``, cut by ``chunking``."""
    return hashlib.sha256(f"{text}:{chunking}:{start}:{end}".encode()).hexdigest()[:32]


def collection_id() -> str:
    """Return a random id, valid as the name of a Chroma collection and of a folder."""
    return uuid.uuid4().hex


def now() -> str:
    """Return the present time, ISO 8601 in UTC with microseconds: its text order is time order."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
