"""Metadata of documents, how people change it, and how its words are compared."""

import datetime
import unicodedata
from collections.abc import Iterable

from services.domain.errors import InvalidInput
from services.domain.value import Value

LONGEST = 200
"""Characters of a tag, a category or an author."""
MOST_TAGS = 50


class DocumentMetadata(Value):
    """Where a document is filed; a field is empty where nothing is known.

    ``date`` is the day from which the document is, not that on which it was taken in.
    """

    tags: tuple[str, ...] = ()
    category: str | None = None
    author: str | None = None
    date: datetime.date | None = None


class MetadataChanges(Value):
    """What a person sets: None leaves a field as it is, an empty value empties it.

    ``tags`` are all that the document has from then on. ``date`` is ISO 8601 or empty.
    """

    tags: tuple[str, ...] | None = None
    category: str | None = None
    author: str | None = None
    date: str | None = None


def changed(metadata: DocumentMetadata, changes: MetadataChanges) -> DocumentMetadata:
    """Return the metadata with a person's changes.

    Raises:
        InvalidInput: a value is too long, there are too many tags, or the date is none.
    """
    update = changes.model_dump(exclude_none=True)
    if changes.tags is not None:
        update["tags"] = distinct(_checked("tag", tag) for tag in changes.tags)
        if len(update["tags"]) > MOST_TAGS:
            raise InvalidInput("A document can have up to {most} tags. Use fewer.", most=MOST_TAGS)
    if changes.category is not None:
        update["category"] = _checked("category", changes.category) or None
    if changes.author is not None:
        update["author"] = _checked("author", changes.author) or None
    if changes.date is not None:
        update["date"] = _day(changes.date)
    return metadata.model_copy(update=update)


def folded(text: str) -> str:
    """Return the form in which two spellings of a tag, a category or an author are compared."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return non-empty texts in their order, each once, spelled as it is first."""
    return tuple({folded(text): text for text in reversed([*texts]) if text}.values())[::-1]


def _checked(what: str, text: str) -> str:
    """Return a person's text as one line."""
    line = " ".join(text.split())
    if len(line) > LONGEST:
        raise InvalidInput(
            "A {field} can have up to {most} characters. Shorten it.", field=what, most=LONGEST
        )
    return line


def _day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if text.strip() else None
    except ValueError as error:
        raise InvalidInput("{text!r} is not a date. Write it as YYYY-MM-DD.", text=text) from error
