"""Texts of the interface: English in the source, German in ``de/LC_MESSAGES/app.po``.

Answers follow the language of the question; this is about the pages around them.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Literal

Language = Literal["de", "en"]

_ENTRY = re.compile(r'^(msgctxt|msgid|msgstr) ((?:".*"\n?)+)', re.MULTILINE)
_CONTEXT = "\x04"
"""Stands between a context and a message in a key, as in gettext's own files."""


def N_(message: str) -> str:
    """Marks a message that is translated where it is shown."""
    return message


def translate(language: Language, message: str, context: str = "", /, **values: object) -> str:
    """A message in a language, with ``{name}`` filled in; without a translation, in English."""
    key = f"{context}{_CONTEXT}{message}" if context else message
    text = catalogue(language).get(key, message) if language != "en" else message
    return text.format(**values) if values else text


@cache
def catalogue(language: Language) -> dict[str, str]:
    """Message -> translation; read from the .po file, so that an installation compiles nothing."""
    path = Path(__file__).parent / language / "LC_MESSAGES" / "app.po"
    entries: dict[str, str] = {}
    context = message = ""
    for keyword, lines in _ENTRY.findall(path.read_text(encoding="utf-8")):
        # Strings are escaped as in JSON; those on lines of their own join.
        text = "".join(map(json.loads, lines.splitlines()))
        match keyword:
            case "msgctxt":
                context = f"{text}{_CONTEXT}"
            case "msgid":
                message = text
            case "msgstr":
                entries |= {context + message: text} if text else {}
                context = ""
    del entries[""]  # the head of the file
    return entries
