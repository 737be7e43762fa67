"""What is known of a document besides its text, and how such words are compared.

``services.domain`` hands these values on.
"""

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


def changed(known: DocumentMetadata, changes: MetadataChanges) -> DocumentMetadata:
    """The metadata with the changes that a person wants.

    Raises:
        InvalidInput: a value is too long, there are too many tags, or the date is none.
    """
    wanted = changes.model_dump(exclude_none=True)
    if changes.tags is not None:
        wanted["tags"] = distinct(_checked("tag", tag) for tag in changes.tags)
        if len(wanted["tags"]) > MOST_TAGS:
            raise InvalidInput("A document can have up to {most} tags. Name fewer.", most=MOST_TAGS)
    if changes.category is not None:
        wanted["category"] = _checked("category", changes.category) or None
    if changes.author is not None:
        wanted["author"] = _checked("author", changes.author) or None
    if changes.date is not None:
        wanted["date"] = _day(changes.date)
    return known.model_copy(update=wanted)


def folded(text: str) -> str:
    """What two spellings of a tag, a category or an author have in common."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts that say something, in their order, each spelled as it is first."""
    return tuple({folded(text): text for text in reversed([*texts]) if text}.values())[::-1]


def _checked(what: str, text: str) -> str:
    """One line of a person's text."""
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
        raise InvalidInput("{text!r} is no date. Write it as YYYY-MM-DD.", text=text) from error
