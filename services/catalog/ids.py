"""Identities of what the catalog holds, all derived from content."""

import hashlib
import json
import uuid
from datetime import UTC, datetime


def text_id(text: str, parser_version: str, recognised: object = None) -> str:
    """SHA-256 (hex) of an extracted text and the version of the parser that extracted it.

    Words that were read from pictures count with their places: another scan of the same text has
    them elsewhere.
    """
    digest = hashlib.sha256(parser_version.encode())
    digest.update(b"\0")
    digest.update(text.encode())
    if recognised:
        digest.update(b"\0" + json.dumps(recognised, sort_keys=True).encode())
    return digest.hexdigest()


def chunk_id(text: str, chunking: str, start: int, end: int) -> str:
    """Identity of a span of the text with id ``text`` cut by ``chunking``: 32 hex digits."""
    return hashlib.sha256(f"{text}:{chunking}:{start}:{end}".encode()).hexdigest()[:32]


def collection_id() -> str:
    """A new random identity; valid as the name of a Chroma collection and of a folder."""
    return uuid.uuid4().hex


def now() -> str:
    """The present time, ISO 8601 in UTC with microseconds, so that text order is time order."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
