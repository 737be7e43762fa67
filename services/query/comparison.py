"""The two things that a question holds together, each complete in itself.

``Vergleiche die Fristen für Mieter mit denen für Vermieter`` has ``Fristen für Mieter`` and
``Fristen für Vermieter``: what stands for the head of the first side is replaced by it.
"""

import re
from functools import lru_cache
from typing import Final

from services.query.patterns import TABLES, spaced
from services.query.sides import alone, sides
from services.value import Language

_LONGEST: Final = 6
"""Words of a side."""

_NEXT_CLAUSE = re.compile(r"\s+(?:und|and|et|y)\s+", re.IGNORECASE)
_STANDS_FOR_HEAD: Final[dict[Language, str]] = {
    "de": r"(?:de[nr]en|jene[nrms]?|diejenigen|solchen|d(?:er|ie|as|em|en)(?=\s+(?:für|bei|in|von"
    r"|nach|aus|mit|an|auf)\b))",
    "en": r"(?:those|that|the\s+ones?|ones?)",
    "fr": r"(?:ceux|celles?|celui)(?:-ci|-là)?",
    "es": r"(?:el|la|l[oa]s|aquell[oa]s?)(?=\s+(?:de|para|en|con|del)\b)",
}


def pair_spans(text: str, language: Language) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where the two things stand that a question compares or relates; None if there are none."""
    for pattern in _pair_patterns(language):
        match = pattern.search(text)
        if (
            match is not None
            and not match["a"][0].isdigit()
            and all(len(match[group].split()) <= _LONGEST for group in ("a", "b"))
        ):
            start, end = match.span("b")
            end = start + len(_NEXT_CLAUSE.split(text[start:end])[0])
            return match.span("a"), (start, _with_object(text, start, end, language))
    return None


def compared(question: str, language: Language) -> tuple[str, str] | None:
    """Both sides of a comparison, each with what it shares with the other."""
    if language not in _STANDS_FOR_HEAD:
        return None
    told = sides(question)
    spans = None if told else pair_spans(question, language)
    if spans is None:
        return told
    first, second = (question[start:end].strip() for start, end in spans)
    return alone(first, second)


def _with_object(text: str, start: int, end: int, language: Language) -> int:
    """Where a side ends: ``those`` alone takes in what follows it, ``for children``."""
    pronoun = _STANDS_FOR_HEAD.get(language, r"(?!)")
    if not re.fullmatch(pronoun, text[start:end].strip(), re.IGNORECASE):
        return end
    rest = re.match(r"[^,;:?.\n]*", text[end:])
    return end + len(rest.group().rstrip()) if rest else end


@lru_cache(maxsize=8)
def _pair_patterns(language: Language) -> tuple[re.Pattern[str], ...]:
    table = TABLES.get(language)
    patterns = table.pairs if table else ()
    return tuple(
        re.compile(rf"(?<!\w)(?:{spaced(pattern)})", re.IGNORECASE | re.MULTILINE)
        for pattern in patterns
    )
