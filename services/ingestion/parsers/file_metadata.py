"""The metadata of a file: author, date, category and keywords, without useless values.

Values that cannot be understood are ignored; they are never an error.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from email.utils import parsedate_to_datetime

from services.domain import DocumentMetadata
from services.domain.passages import LONGEST, MOST_TAGS
from services.language.quantities.numbers import iso_date

FRONT_MATTER = 20_000
"""Characters at the start of a text in which front matter must end."""

_FIELD = re.compile(r"(?P<name>[A-Z][\w-]*):[ \t]*(?P<value>.*)$")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?P<yaml>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"\s*<[^<>]*>")
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PDF_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?")
_NULL = ("null", "~")
# What programs write where nobody told them a name.
_NOBODY = ("anonymous", "(anonymous)", "unknown", "python-docx")

# Of several names for one thing the first that is stated counts.
_TAGS = ("tags", "keywords")
_CATEGORY = ("category", "categories")
_AUTHOR = ("author", "authors")
_DATE = ("date", "updated", "modified", "last-modified", "lastmod", "created", "published")


def file_metadata(
    *, tags: object = None, category: object = None, author: object = None, day: object = None
) -> DocumentMetadata:
    """Return metadata from the values of a file: texts, lists of texts, or times."""
    names = (_ADDRESS.sub("", name) for name in _texts(author) if name.casefold() not in _NOBODY)
    return DocumentMetadata(
        tags=tuple(_keywords(tags)),
        category=next(_lines(_texts(category)), None),
        author=next(_lines([", ".join(_lines(names))]), None),
        date=_day(day),
    )


def text_metadata(text: str) -> DocumentMetadata:
    """Return the metadata at the top of a text: front matter, or lines like ``Author: …``."""
    fields = {
        str(name).casefold().replace("_", "-"): value
        for name, value in (front_matter(text)[0] or header_fields(text)).items()
    }
    tags, category, author, day = (
        next((fields[name] for name in names if fields.get(name)), None)
        for names in (_TAGS, _CATEGORY, _AUTHOR, _DATE)
    )
    return file_metadata(tags=tags, category=category, author=author, day=day)


def front_matter(text: str) -> tuple[Mapping[object, object], str]:
    """Return the YAML between two lines of dashes at the top of a text, and the text after it."""
    match = _FRONT_MATTER.match(text[:FRONT_MATTER])
    if match is None:
        return {}, text
    import yaml

    try:  # this loader makes texts of all values, so that no value can be malformed
        fields = yaml.load(match["yaml"], Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text
    has_fields = isinstance(fields, dict) and bool(fields)
    return (fields, text[match.end() :].lstrip("\n")) if has_fields else ({}, text)


def header_fields(text: str) -> dict[str, str]:
    """Return ``Name: value`` lines at the top, as in mail and in Python enhancement proposals."""
    fields: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        if line[:1] in (" ", "\t") and line.strip() and name:
            fields[name] += " " + line.strip()
        elif match := _FIELD.match(line):
            name = match["name"]
            fields[name] = match["value"].strip()
        else:
            break
    return fields


def pdf_day(text: str) -> date | None:
    """Return the day of a PDF date like ``D:20170627120000+02'00'``; month and day are optional."""
    match = _PDF_DATE.match(text.strip())
    return _day("-".join((match[1], match[2] or "01", match[3] or "01"))) if match else None


def _day(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = next(_lines(_texts(value)), "")
    iso_day = iso_date(text)
    with suppress(ValueError, OverflowError):
        return date.fromisoformat(iso_day) if iso_day else parsedate_to_datetime(text).date()
    return None


def _keywords(value: object) -> Iterable[str]:
    tags = (tag for text in _texts(value) for tag in re.split("[,;]", text))
    return list(dict.fromkeys(_lines(tags)))[:MOST_TAGS]


def _texts(value: object) -> list[str]:
    """Return a text, or the texts of a list; inner lists are ignored (YAML can make billions)."""
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str) and text not in _NULL]


def _lines(texts: Iterable[str]) -> Iterator[str]:
    lines = (" ".join(_INVISIBLE.sub(" ", text).split())[:LONGEST].strip() for text in texts)
    return (line for line in lines if line)
