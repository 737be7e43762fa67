"""What kind of answer a question asks for."""

import re

_DURATION = re.compile(
    r"\b(?:wie\s+lange|wie\s+oft|bis\s+wann|ab\s+wann|seit\s+wann|wann|frist(?:en)?|dauer\w*|zeitraum"
    r"|zeitpunkt|alter|wie\s+alt|how\s+(?:long|often|old|soon)|when|since\s+when|deadline|duration"
    r"|period|date)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\b(?:wie\s*viele?n?|anzahl|how\s+many|number\s+of)\b", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\b(?:wie\s*viel|wie\s+(?:hoch|groß|stark|schwer|weit)|\w*grenzwerte?n?|\w*richtwerte?n?"
    r"|\w*referenzwerte?n?|\w*schwellenwerte?n?|\w*höchstwerte?n?|\w*dosiswerte?n?|freigrenzen?"
    r"|(?:welcher|welche|welchem|welchen)\s+(?:\w+\s+)?(?:\w*dosis|\w*stärke|\w*leistung|höhe|betrag)"
    r"|höchstens|mindestens|how\s+(?:much|high|large|big|far|fast)|limits?|thresholds?|dose\s+limits?"
    r"|maximum|minimum|at\s+(?:most|least)|percentage|amount)\b",
    re.IGNORECASE,
)
_NO_NUMBER = re.compile(
    r"^\s*(?:wer|wem|wen|warum|weshalb|wieso|wo|wodurch|who|whom|why|where)\b", re.IGNORECASE
)

_SCAFFOLD = re.compile(
    r"\b(?:wie\s+lange?\s+dauer[nt]|wie\s+(?:hoch|lange?|oft|groß|stark|schwer|weit|alt)|how\s+(?:long|often|old|high|large|big|far"
    r"|fast)|what\s+happens|was\s+(?:passiert|geschieht)|does\s+(.*)\s+mean)\b",
    re.IGNORECASE,
)


def topic(question: str) -> str:
    """A question without the words that only say how it is asked: ``wie hoch``, ``how long``."""
    return _SCAFFOLD.sub(lambda match: match.group(1) or " ", question)


def asks_amount(question: str) -> bool:
    """Whether an answer must state a number: ``wie hoch``, ``Grenzwert``, ``how many``."""
    if _NO_NUMBER.search(question):
        return False
    return any(pattern.search(question) for pattern in (_DURATION, _COUNT, _AMOUNT))
