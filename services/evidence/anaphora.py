"""What cannot be read without a sentence before it, or a case that says for whom it holds."""

import re
from typing import Final

from services.domain.value import Span
from services.language.text import clauses, is_heading

LONGEST_CASE: Final = 600
"""Characters of a case that is put together, or is not cut to its beginning."""
_MARKER: Final = 8
"""Characters of a marker between two lead-ins, with the white space around it."""

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
    """Whether a sentence takes its subject from the one before it: ``Sie ist …``, ``It is …``."""
    return bool(_ANAPHORIC.match(sentence))


def is_exception(sentence: str) -> bool:
    """Whether a sentence takes something away from one before it: ``Satz 1 gilt nicht …``."""
    return bool(_EXCEPTION.match(sentence))


def is_open(sentence: str) -> bool:
    """Whether a sentence waits for what follows it: a question, or words that end with a colon."""
    return sentence.rstrip("*_` ").endswith((":", "?"))


def first_needed(sentence: str, number: int) -> int | None:
    """Index of the first sentence of its paragraph that a sentence names: ``Satz 1`` is 0.

    Args:
        sentence: the sentence.
        number: its own index; only sentences before it count.
    """
    named = (
        int(match["number"]) - 1 for match in _NUMBERED.finditer(sentence) if not match["elsewhere"]
    )
    return min((index for index in named if 0 <= index < number), default=None)


def combined(text: str, outer: Span | None, inner: Span | None) -> Span | None:
    """The case of an item of a nested list: both lead-ins where nothing else stands between.

    Otherwise the nearer one that is a whole clause.
    """
    if outer is None or inner is None or inner[0] <= outer[0]:
        return inner or outer
    if are_near(text, outer, inner):
        return outer[0], inner[1]
    return inner if is_clause(text, inner) else outer


def are_near(text: str, outer: Span, inner: Span) -> bool:
    """Whether two lead-ins are one quote: a marker at most stands between them."""
    between = text[outer[1] : inner[0]]
    apart = len(between) > _MARKER and any(character.isalnum() for character in between)
    return not apart and inner[1] - outer[0] <= LONGEST_CASE


def is_clause(text: str, lead_in: Span) -> bool:
    """Whether a lead-in says something by itself, and not only ``2. for plants``."""
    words = text[slice(*lead_in)].rstrip("*_` ")
    return words.endswith(":") or not is_heading(words)


def short_rule(text: str, rule: Span | None) -> Span | None:
    """The first sentence of a subsection, of a long enumeration the words before its items."""
    if rule is None or rule[1] - rule[0] <= LONGEST_CASE:
        return rule
    return clauses(text, *rule)[0]
