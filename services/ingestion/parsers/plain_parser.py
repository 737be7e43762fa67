"""Text and Markdown files. The text stays, without what Markdown holds for programs alone."""

import re
from dataclasses import replace
from html import unescape
from html.entities import html5
from pathlib import Path
from typing import Final

from services.domain.errors import UnreadableDocument
from services.ingestion.parsers.encoding import decode
from services.ingestion.parsers.extraction import (
    Extraction,
    Heading,
    clean,
    plain_title,
    require_length,
    stands_above,
)
from services.ingestion.parsers.file_metadata import front_matter, header_fields, text_metadata
from services.ingestion.parsers.headings import (
    MAX_HEADING,
    markdown_headings,
    prose,
    underlined_headings,
)
from services.ingestion.parsers.standalone import all_headings, blocks_of

_MOST_BYTES: Final = 80_000_000
_SERIES = re.compile(r"[A-Z]{2,8}$")
# Linear in the length of a text: no tag holds another one's opening.
_FENCED: Final = (
    r"^[ \t]*+(?P<fence>`{3,}|~{3,})[^\n]*+(?:.*?)(?:^[ \t]*+(?P=fence)[`~]*[ \t]*$|\Z)"
)
_CODE: Final = r"(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`)"
_TAG: Final = (
    r"(?:<!--(?:(?!<!--).)*?-->"
    r"|\{%(?:(?!\{%).)*?%\}"
    r"|\{\{(?:(?!\{\{|\n[ \t]*\n).)*?\}\})"
)
_SIGNS: Final = frozenset("|#*_`\r\n")
_MARKUP: Final = re.compile(
    rf"(?P<code>{_FENCED}|{_CODE})"
    r"|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    rf"|^[ \t]*+(?:{_TAG}[ \t]*+)+(?:\n|\Z)"
    rf"|(?<![ \t])[ \t]*+{_TAG}(?=[\s.,;:!?)]|\Z)"
    rf"|{_TAG}",
    re.MULTILINE | re.DOTALL,
)


def parse_text(path: Path) -> Extraction:
    """Read a ``.txt``, ``.rst`` or ``.md`` file. Raises UnreadableDocument if it is not text."""
    if path.stat().st_size > _MOST_BYTES:
        raise UnreadableDocument("it is larger than {most:,} bytes; split it", most=_MOST_BYTES)
    decoded, warnings = decode(path.read_bytes())
    require_length(len(decoded))
    text = clean(decoded.replace("\r\n", "\n").replace("\r", "\n"))
    if path.suffix.lower() == ".md":
        text = clean(as_shown(text))
        fields, body = front_matter(text)
        extraction = markdown(body, fields.get("title"))
    else:
        extraction = _plain(text)
    return replace(extraction, metadata=text_metadata(text), warnings=warnings)


def markdown(text: str, stated_title: object) -> Extraction:
    """Return a Markdown text with its headings.

    Its title is that of the only heading of the highest rank; else what the file states; else a
    first paragraph that reads as one; else that of the first such heading.
    """
    marked = markdown_headings(text)
    headings = all_headings(marked, blocks_of(prose(text)))
    top = [heading.title for heading in marked if heading.level == 1]
    stated = plain_title(stated_title) if isinstance(stated_title, str) else ""
    title = top[0] if len(top) == 1 else stated or _title_line(text, headings)
    return Extraction(title or next(iter(top), None), text, tuple(headings))


def as_shown(text: str) -> str:
    """Return Markdown with its entities replaced, without comments and tags; code stays."""
    return _MARKUP.sub(lambda match: match["code"] or _character(match["entity"] or ""), text)


def _character(entity: str) -> str:
    """Return the character that an entity names, unless it is one of Markdown's signs."""
    is_named = entity[1:2] == "#" or entity[1:] in html5
    character = unescape(entity) if is_named else entity
    return entity if _SIGNS & {*character} else character


def _plain(text: str) -> Extraction:
    marked = underlined_headings(text) or _hashed(text)
    headings = all_headings(marked, blocks_of(text))
    fields = header_fields(text)
    if "Title" in fields:  # ``PEP 604`` from the fields ``PEP: 604`` and ``Title: …``
        for name, value in fields.items():
            if _SERIES.match(name) and re.fullmatch(r"\d+", value):
                series = f"{name} {int(value)}"
                title = f"{series} – {plain_title(fields['Title'])}"
                return Extraction(title, text, tuple(headings), series=series)
    return Extraction(_title_line(text, headings), text, tuple(headings))


def _hashed(text: str) -> list[Heading]:
    """Return Markdown headings of a plain file, unless all may be comments with ``#``."""
    headings = markdown_headings(text)
    return headings if any(heading.level > 1 for heading in headings) else []


def _title_line(text: str, headings: list[Heading]) -> str | None:
    match = re.search(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*){0,2}", text)
    if match is None:
        return None
    first = headings[0] if headings else None
    if first and first.start <= match.start():
        return first.title if stands_above(headings) else None
    title = plain_title(match[0])
    follows = text[match.end() : match.end() + 2]
    named = any(map(str.isalnum, title)) and len(title) <= MAX_HEADING
    return title if named and not title.endswith((".", ";", ",")) and not follows.strip() else None
