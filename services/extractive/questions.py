"""What kind of answer a question asks for."""

import re
from typing import Literal

from services.text import sentences, stem_sequence
from services.value import Language

Wanted = Literal["amount", "duration", "count"]

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
_DEFINITION = re.compile(
    r"^\s*(?:was\s+(?:ist|sind|bedeutet|bedeuten|heißt|versteht\s+man\s+unter|meint)|wie\s+ist\b.*\bdefiniert"
    r"|what\s+(?:is|are|does\b.*\bmean)|define|definition\s+(?:of|von))\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^\s*(?:darf|dürfen|muss|müssen|kann|können|soll|sollen|ist|sind|gilt|gelten|may|must|can|should"
    r"|is|are|does|do)\b",
    re.IGNORECASE,
)


_SCAFFOLD = re.compile(
    r"\b(?:wie\s+lange?\s+dauer[nt]|wie\s+(?:hoch|lange?|oft|groß|stark|schwer|weit|alt)|how\s+(?:long|often|old|high|large|big|far"
    r"|fast)|what\s+happens|was\s+(?:passiert|geschieht)|does\s+(.*)\s+mean)\b",
    re.IGNORECASE,
)


def topic(question: str) -> str:
    """A question without the words that only say how it is asked: ``wie hoch``, ``how long``."""
    return _SCAFFOLD.sub(lambda match: match.group(1) or " ", question)


def says_all(text: str, question: str, language: Language) -> bool:
    """Whether a sentence of a text has every word of what a question asks about."""
    wanted = set(stem_sequence(topic(question), language))
    return bool(wanted) and any(
        wanted <= set(stem_sequence(text[start:end], language)) for start, end in sentences(text)
    )


def wanted_number(question: str) -> Wanted | None:
    """The kind of number that answers a question, None if it asks for none."""
    if _NO_NUMBER.search(question):
        return None
    if _DURATION.search(question):
        return "duration"
    if _COUNT.search(question):
        return "count"
    return "amount" if _AMOUNT.search(question) else None


def asks_amount(question: str) -> bool:
    """Whether an answer must state a number: ``wie hoch``, ``Grenzwert``, ``how many``."""
    return wanted_number(question) is not None


def asks_definition(question: str) -> bool:
    """Whether a question asks what something is."""
    return bool(_DEFINITION.search(question))


def asks_yes_or_no(question: str) -> bool:
    """Whether a question begins with its verb: ``Darf …?``, ``May …?``."""
    return bool(_YES_NO.search(question))
