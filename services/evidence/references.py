"""Sentences that cannot be read without one before them."""

import re
from typing import Final

_LEANING: Final = re.compile(
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


def refers_back(sentence: str) -> bool:
    """Whether a sentence takes its subject from the one before it: ``Sie ist …``, ``It is …``."""
    return bool(_LEANING.match(sentence))


def is_exception(sentence: str) -> bool:
    """Whether a sentence takes something away from one before it: ``Satz 1 gilt nicht …``."""
    return bool(_EXCEPTION.match(sentence))


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
