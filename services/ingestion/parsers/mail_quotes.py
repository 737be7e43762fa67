"""Tell what the author of an e-mail writes from the older messages that it quotes.

Quotes are lines after ">", and what follows blocks of headers ("From: …", "Sent: …").
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple

from services.domain.answers import QUOTED_MESSAGE

_MARKS: Final = re.compile(r"[ \t]{0,3}(?P<marks>>(?:[ \t]?>)*)[ \t]?")
_FIELD: Final = re.compile(
    r"[ \t]*\**(?P<name>[^\W\d_][\w .-]{0,20}?)\**[ \t]*:\**[ \t]*(?P<value>\S.*?)[ \t\\]*$"
)
_SENDERS: Final = ("from", "von", "de", "da", "van")
"""The header of who sent a message, in the languages that are detected."""
_RULE: Final = re.compile(r"[ \t>]*(?:[-_*=]{3,}.*|[-_]{2,}[ \t].*[-_]{2,})$")
_FIELDS: Final = 4
"""Lines that make a block of headers; with an address in the first, one less."""
_SENT: Final = re.compile(r"@|\d:\d\d")
"""An address or a time of day, which a message has and a list of facts ("from: Berlin") has not."""
_ATTRIBUTIONS: Final = tuple(
    re.compile(form, re.DOTALL)
    for form in (
        r"On\s+(?P<when>.*\d(?:\s*[AP]M)?),?\s+(?P<who>[^\d<]+(?:<.*)?)\s+wrote",
        r"(?P<who>.+?)\s+wrote\s+on\s+(?P<when>.*\d.*)",
        r"Am\s+(?P<when>.*?\d.*?),?\s+schrieb\s+(?P<who>.+)",
        r"(?P<who>.+?)\s+schrieb\s+am\s+(?P<when>.*\d.*)",
    )
)
_ADDRESS: Final = re.compile(r"\s*(?:\\?<[^<>]*>|\[mailto:[^\]]*\]|\([^()\s]*@[^()\s]*\))")
_DAY: Final = re.compile(r"\d.*\b\d{4}\b|\b\d{4}\b.*\d|\d+[./-]\d+[./-]\d+")
_LONGEST: Final = 300  # characters of an attribution, which may stand on several lines


QUOTED: Final = QUOTED_MESSAGE
REPLY: Final = "Reply"
QUOTE_LEVEL: Final = 2


class MailSegment(NamedTuple):
    """A piece of a mail: who wrote it when, as far as it says so; ``quoted`` is an older one."""

    text: str
    quoted: bool = False
    source: str = ""


def with_quotes_marked(text: str, author: str) -> str:
    """Return a mail's text with headings above the messages that it quotes and replies below."""
    lines: list[str] = []
    messages = [message for message in _messages(text) if message.text.strip()]
    for number, message in enumerate(messages):
        if message.quoted:
            lines.append(_heading(QUOTED, message.source))
        elif number:
            lines.append(_heading(REPLY, _name(author)))
        lines.append(message.text.strip("\n"))
    return "\n\n".join(lines)


def _heading(kind: str, source: str) -> str:
    return "#" * QUOTE_LEVEL + " " + ": ".join(filter(None, (kind, source)))


def _messages(text: str) -> Iterator[MailSegment]:
    runs = [
        (depth, [line for _, line in run])
        for depth, run in groupby(_with_depth(text.split("\n")), lambda pair: pair[0])
    ]
    source, following = "", ""
    for number, (depth, lines) in enumerate(runs):
        deeper = number + 1 < len(runs) and runs[number + 1][0] > depth
        source, following = following, ""
        if deeper:
            lines, following = _without_attribution(lines)
        if depth and not source:  # Apple's stands within the quote
            first = next((line.strip() for line in lines if line.strip()), "")
            if source := _source(first):
                lines = lines[[line.strip() for line in lines].index(first) + 1 :]
        yield from _at_headers(lines, quoted=depth > 0, source=source)


def _with_depth(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield each line with the number of its quotation marks; blank lines go with the last one."""
    depth, blank = 0, 0
    for line in lines:
        match = _MARKS.match(line)
        if not match and not line.strip():
            blank += 1
            continue
        now = match["marks"].count(">") if match else 0
        yield from [(depth if depth == now else min(depth, now), "")] * blank
        depth, blank = now, 0
        yield depth, line[match.end() :] if match else line


def _without_attribution(lines: list[str]) -> tuple[list[str], str]:
    """Take the paragraph that says who wrote the quote below it off the end of a text."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    start = end
    while start and lines[start - 1].strip():
        start -= 1
    for first in range(max(start, end - 3), end):
        statement = " ".join(" ".join(lines[first:end]).split())
        if len(statement) <= _LONGEST and (source := _source(statement)):
            return lines[:first], source
    return lines, ""


def _source(statement: str) -> str:
    """Return who wrote a quote and when, of a line that says so and ends in a colon, or ""."""
    if not statement.endswith(":"):
        return ""
    statement = statement[:-1].strip()
    for form in _ATTRIBUTIONS:
        if match := form.fullmatch(statement):
            return _label(match["who"], match["when"])
    is_attribution = "@" in statement or _DAY.search(statement)
    return _ADDRESS.sub("", statement) if is_attribution else ""


def _at_headers(lines: list[str], *, quoted: bool, source: str) -> Iterator[MailSegment]:
    """Yield the text before the first block of headers, and the message below each block."""
    start = number = 0
    while number < len(lines):
        fields, end = _headers(lines, number)
        if not fields:
            if not quoted and (source_here := _source(lines[number])) and _opens(lines[number]):
                yield MailSegment("\n".join(lines[start:number]), quoted, source)
                quoted, source, start = True, source_here, number + 1
            number += 1
            continue
        before = lines[start:number]
        while before and (not before[-1].strip() or _RULE.match(before[-1])):
            before.pop()
        yield MailSegment("\n".join(before), quoted, source)
        sender = next(iter(fields.values()))
        day = next((value for value in list(fields.values())[1:] if _DAY.search(value)), "")
        quoted, source, start = True, _label(sender, day), number
        number = end
    yield MailSegment("\n".join(lines[start:]), quoted, source)


def _headers(lines: list[str], first: int) -> tuple[dict[str, str], int]:
    fields: dict[str, str] = {}
    number = first
    while number < len(lines) and (line := lines[number]).strip():
        if fields and line[0].isspace() and not lines[first][0].isspace():
            fields[next(reversed(fields))] += f" {line.strip()}"
        elif field := _FIELD.match(line):
            fields[field["name"].casefold()] = field["value"]
        else:
            break
        if next(iter(fields)) not in _SENDERS:
            break
        number += 1
    addressed = "@" in next(iter(fields.values()), "")
    is_sent = any(map(_SENT.search, fields.values()))
    return (fields, number) if is_sent and len(fields) + addressed >= _FIELDS else ({}, first)


def _opens(line: str) -> bool:
    return any(form.fullmatch(line.strip().rstrip(":")) for form in _ATTRIBUTIONS)


def _label(who: str, when: str) -> str:
    return ", ".join(filter(None, (_name(who), " ".join(when.replace("\\", "").split()))))


def _name(sender: str) -> str:
    plain = _ADDRESS.sub("", sender).strip(" \"'*\\") or sender.strip(" <>\\")
    return " ".join(plain.split())
