"""Text of documents, models and people as Markdown that shows it letter by letter."""

import re
from typing import Final

WORD_JOINER: Final = "\u2060"
"""Invisible. Many readers look for addresses and icons when escapes are gone."""
_FOUND_LATE = re.compile(r"(?i)/(?=/)|www(?=\.)|@(?=\w)|:(?=[a-z0-9_/+-]+:)")
_SPECIAL = re.compile(
    r"[\\`*_\[\]{<>|~$&#]|[:.](?=[^\W\d_])|:(?=/)|@(?=\u2060)|!(?=\[|$)|(?<=\])\("
)
_LOADS = re.compile(r"(?i)<|\](?=[(\[:])|(?<=/)/|(?<=www)\.")
_BLOCK = re.compile(r"^([-+=]|\d+(?=[.)](?:\s|$)))")


def plain_markdown(text: str) -> str:
    """Escape text so that Markdown shows it literally: no markup, link, image, HTML or icon."""
    return "\n".join(map(_line, text.splitlines()))


def plain_json(text: str) -> str:
    """Escape JSON without changing its meaning, so that Markdown finds no link, image or HTML."""
    return _LOADS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _line(line: str) -> str:
    joined = _FOUND_LATE.sub(rf"\g<0>{WORD_JOINER}", line.lstrip())  # blanks would begin code
    return _BLOCK.sub(_escaped_start, _SPECIAL.sub(r"\\\g<0>", joined))


def _escaped_start(match: re.Match[str]) -> str:
    """``- x``, ``1. x`` and the like would begin a list: what begins it is escaped."""
    start = match[0]
    return f"{start}\\" if start[0].isdigit() else f"\\{start}"
