"""What a question is about, without how it asks."""

import re

_SCAFFOLD = re.compile(
    r"\b(?:wie\s+lange?\s+dauer[nt]|wie\s+(?:hoch|lange?|oft|groß|stark|schwer|weit|alt)|how\s+(?:long|often|old|high|large|big|far"
    r"|fast)|what\s+happens|was\s+(?:passiert|geschieht)|does\s+(.*)\s+mean)\b",
    re.IGNORECASE,
)


def topic(question: str) -> str:
    """A question without the words that only say how it is asked: ``wie hoch``, ``how long``."""
    return _SCAFFOLD.sub(lambda match: match.group(1) or " ", question)
