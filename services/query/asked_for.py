"""The thing that a question asks for: ``Urlaubstage`` of ``Wie viele Urlaubstage hat …?``.

Without a grammar only where an interrogative tells: after ``which``, ``how many``, ``who is the``.
German nouns are told by their capital; elsewhere it is the first word that carries content. After
a preposition the word only frames the answer: ``in welchen Abständen``, ``for which period``.
"""

import re
from functools import lru_cache
from typing import Final

from services.query.place import what_stands_there
from services.text import is_stop_word
from services.value import Language

_ORDINALS: Final = (
    r"(?:first|last|next|second|third|current|main|new|old|premi(?:er|[eè]re)s?|derni(?:er|[eè]re)s?"
    r"|actuel(?:le)?s?|primer[oa]?s?|últim[oa]s?|actual(?:es)?)\s+"
)
_ARTICLE: Final[dict[Language, str]] = {
    "de": r"(?:d(?:er|ie|as|en|em|es)|eine?[mnrs]?)\s+",
    "en": r"(?:the|an?)\s+",
    "fr": r"(?:(?:les?|la|une?|des)\s+|l['’])",
    "es": r"(?:el|la|l[oa]s|una?|un[oa]s)\s+",
}
_INTERROGATIVE: Final[dict[Language, str]] = {
    "de": r"wie\s*viele?|welche[mnrs]?|wer\s+(?:ist|war|sind|waren|wird)|wie\s+hei(?:ß|ss)(?:t|en)"
    r"|wie\s+(?:hoch|groß|lang|teuer|schwer|alt)\s+(?:ist|sind|war|waren)",
    "en": r"how\s+(?:many|much)|which|what\s+(?:kind|type)s?\s+of|who\s+(?:is|was|are|were)"
    r"|what\s+(?:is|was|are|were)\s+the|how\s+(?:high|large|long|old)\s+(?:is|are|was|were)",
    "fr": r"combien\s+d(?:e|['’])|quel(?:le)?s?\s+(?:est|sont|était)|quel(?:le)?s?"
    r"|qui\s+(?:est|sont|était|fut)",
    "es": r"cu[aá]nt[oa]s?|cu[aá]l(?:es)?\s+(?:es|son|era)|qu[eé]|qui[eé]n(?:es)?\s+(?:es|fue|son)",
}
_BEFORE: Final[dict[Language, str]] = {
    "de": r"an|auf|aus|ab|bei|bis|durch|für|gegen|in|mit|nach|seit|über|unter|von|vor|zu",
    "en": r"at|by|for|from|in|of|on|to|under|with|within",
    "fr": r"à|avec|dans|de|depuis|en|par|pour|sous|sur",
    "es": r"a|bajo|con|de|desde|en|para|por|según|sobre",
}
_GERMAN_NOUN = re.compile(r"(?:[a-zäöüß][\w-]*\s+){0,3}([A-ZÄÖÜ][\w-]+)")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_LEAST: Final = 4
"""Letters; shorter words are mostly function words or units."""


def asked_for(question: str, language: Language) -> str | None:
    """The word for what a question asks for, as it writes it; None where no rule tells."""
    if language not in _INTERROGATIVE or what_stands_there(question, language):
        return None
    match = _lead(language).search(question)
    if match is None or match["before"]:
        return None
    rest = question[match.end() :]
    noun = _GERMAN_NOUN.match(rest) if language == "de" else _WORD.match(rest)
    word = noun.group(noun.re.groups) if noun else ""
    return word if len(word) >= _LEAST and not is_stop_word(word, language) else None


@lru_cache(maxsize=8)
def _lead(language: Language) -> re.Pattern[str]:
    """What stands before the thing that is asked for."""
    return re.compile(
        rf"(?<!\w)(?P<before>(?:{_BEFORE[language]})\s+)?(?:{_INTERROGATIVE[language]})(?!\w)\s*"
        rf"(?:{_ARTICLE[language]})?(?:{_ORDINALS})?",
        re.IGNORECASE,
    )
