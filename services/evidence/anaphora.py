"""Recognise sentences that depend on an earlier one, and combine lead-ins into a case."""

import re
from typing import Final

from services.domain.value import Span
from services.language.text import clauses, is_heading

LONGEST_CASE: Final = 600
"""Characters of a case that is combined of several, or quoted in full."""
_MARKER: Final = 8
"""Most characters of a marker between two lead-ins, white space included."""

_ANAPHORIC: Final = re.compile(
    r"^\W*(?:diese[mnrs]?|dies|sie|er|es|ihm|ihr|ihnen|deren|dessen|satz\s+\d|(?:die\s+)?sätze\s+\d|abweichend\s+(?:da|hier)von"
    r"|(?:in|für|bei|nach|mit)\s+diese[mnrs]?|hierbei|hierzu|hierfür|dabei|dazu|davon|dafür|danach|daneben|das\s+gleiche"
    r"|jedoch|allerdings|deshalb|daher|andernfalls|ausgenommen|dann|dort"
    r"|this|these|those|it|they|he|she|that|such|here|in\s+(?:this|that|these|such)|for\s+(?:this|these)|however|instead|otherwise"
    r"|therefore|thus|then|similarly|conversely|in\s+contrast|the\s+(?:same|latter|former|only\s+exception))\b",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(
    r"(?P<elsewhere>(?:§+|\b(?:Abs(?:atz(?:es)?|ätzen?|\.)|Art(?:ikels?|\.)|Nummern?|Nr\.|Anlagen?"
    r"|paragraph|section|subsection|article))\s*\d+[a-z]?\s+)?"
    r"\b(?:Satz(?:es)?|Sätzen?|sentences?)\s+(?P<number>\d{1,2})\b",
    re.IGNORECASE,
)
_EXCEPTION: Final = re.compile(
    r"^\W*(?:(?:abweichend|unbeschadet|ausgenommen)\b|(?:die\s+)?s[aä]tze?\s+\d"
    r"|(?:dies|das|this|it|that)\s+(?:gilt\s+(?:\w+\s+)?nicht|(?:does|shall|do)\s+not\s+apply)"
    r"|(?:the\s+)?(?:first|second|preceding|previous)\s+sentences?\b|by\s+way\s+of\s+derogation)",
    re.IGNORECASE,
)


def is_anaphoric(sentence: str) -> bool:
    """Return whether a sentence's subject is in the one before: ``Sie ist …``, ``It is …``."""
    return bool(_ANAPHORIC.match(sentence))


def is_exception(sentence: str) -> bool:
    """Return whether a sentence restricts an earlier one: ``Satz 1 gilt nicht …``."""
    return bool(_EXCEPTION.match(sentence))


def is_open(sentence: str) -> bool:
    """Return whether a sentence needs what follows it: it is a question or ends with a colon."""
    return sentence.rstrip("*_` ").endswith((":", "?"))


def first_needed(sentence: str, number: int) -> int | None:
    """Return the index of the first sentence that a sentence cites: ``Satz 1`` is 0.

    Args:
        sentence: a sentence of a paragraph.
        number: its index; only earlier sentences count.
    """
    named = (
        int(match["number"]) - 1 for match in _NUMBERED.finditer(sentence) if not match["elsewhere"]
    )
    return min((index for index in named if 0 <= index < number), default=None)


def combined(text: str, outer: Span | None, inner: Span | None) -> Span | None:
    """Return the case of an item in a nested list: both lead-ins if nothing separates them.

    Otherwise it is the inner one, if that is a clause of its own.
    """
    if outer is None or inner is None or inner[0] <= outer[0]:
        return inner or outer
    if are_near(text, outer, inner):
        return outer[0], inner[1]
    return inner if is_clause(text, inner) else outer


def are_near(text: str, outer: Span, inner: Span) -> bool:
    """Return whether two lead-ins make one quote: at most a marker stands between them."""
    between = text[outer[1] : inner[0]]
    apart = len(between) > _MARKER and any(character.isalnum() for character in between)
    return not apart and inner[1] - outer[0] <= LONGEST_CASE


def is_clause(text: str, lead_in: Span) -> bool:
    """Return whether a lead-in says something by itself, unlike ``2. for plants``."""
    words = text[slice(*lead_in)].rstrip("*_` ")
    return words.endswith(":") or not is_heading(words)


def short_rule(text: str, rule: Span | None) -> Span | None:
    """Return the rule of a subsection; of a long enumeration only the words before its items."""
    if rule is None or rule[1] - rule[0] <= LONGEST_CASE:
        return rule
    return clauses(text, *rule)[0]
