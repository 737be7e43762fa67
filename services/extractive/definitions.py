"""Sentences that say what a thing is: ``Ein Kran ist …``, ``3. Kran, wenn …``, ``Kran: …``.

Rules of spelling in German, English, French and Spanish; a sentence in another language defines
nothing.
"""

import re
from functools import lru_cache
from typing import Final

from services.types import Language

PLAIN: Final = 0.6
"""What a sentence is worth that says of the thing what it is, without the marks of a definition."""

_ASKED: Final[dict[Language, str]] = {
    "de": r"^\W*(?:was\s+(?:ist|sind|bedeutet|bedeuten|hei(?:ß|ss)t|meint)"
    r"|was\s+versteht\s+man\s+unter|was\s+wird\s+unter|wie\s+(?:ist|sind|wird|werden)"
    r"|definiere)\s+(?P<term>.+?)(?:\s+(?:definiert|verstanden))?\W*$",
    "en": r"^\W*(?:what\s+(?:is|are)|what\s+does|what\s+is\s+meant\s+by|define|how\s+(?:is|are)"
    r"|definition\s+of)\s+(?P<term>.+?)(?:\s+(?:mean|defined))?\W*$",
    "fr": r"^\W*(?:qu['’]est-ce\s+qu(?:e\s+|['’])|que\s+signifie|qu['’]entend-on\s+par)"
    r"(?P<term>.+?)\W*$",
    "es": r"^\W*(?:qué\s+(?:es|son|significa)|qué\s+se\s+entiende\s+por)\s+(?P<term>.+?)\W*$",
}
_MUST_END: Final = re.compile(
    r"^\W*(?:(?:wie|how)\b(?!.*\b(?:definiert|defined)\W*$)|what\s+does\b(?!.*\bmean\b))",
    re.IGNORECASE,
)
_ARTICLE: Final[dict[Language, str]] = {
    "de": r"(?:(?:ein|eine[mnrs]?|der|die|das|den|dem|des)\s+)?",
    "en": r"(?:(?:an?|the)\s+)?",
    "fr": r"(?:(?:une?|les?|la|des|du)\s+|l['’])?",
    "es": r"(?:(?:una?|un[oa]s|el|la|l[oa]s)\s+)?",
}
_LONGEST_TERM: Final = 5
"""Words; what is longer asks more than what a thing is."""
_MARK: Final = r"(?:(?:\d+[a-z]?|[a-z]{1,2})[.)]\s*|\([^)]{1,4}\)\s*|[-–•„“\"»«]\s*)*"
_START: Final = r"(?:^|[;:,]\s+(?=(?:\d+[a-z]?|[a-z])[.)]\s))"
"""Where a sentence begins, or an item of an enumeration within it."""
_DEFINING: Final[dict[Language, tuple[str, ...]]] = {
    "de": (
        r"{start}{mark}{article}{term}[“\"«]?\s*:",
        r"{start}{mark}{article}{term}[“\"«]?,\s+(?:wenn|soweit|sofern|falls)\b",
        r"\b{term}[“\"«]?\s+im\s+sinne\b",
        r"\bim\s+sinne\b[^.;]{{0,80}}\b(?:ist|sind)\s+{article}{term}\b",
        r"\bals\s+{article}{term}\s+(?:gilt|gelten|(?:wird|werden)\s+bezeichnet)\b",
        r"\b(?:gilt|gelten)\s+als\s+{article}{term}\b",
        r"\bunter\s+{article}{term}\b[^.;]{{0,60}}\bver(?:steht|standen)\b",
        r"\({term}\)",
        r"{start}{mark}{article}{term}[“\"«]?\s+(?:bezeichnet|bedeutet|meint)\b",
    ),
    "en": (
        r"{start}{mark}{article}{term}[”\"]?\s*:",
        r"{start}{mark}{article}{term}[”\"]?,\s+(?:if|where|when)\b",
        r"\b{term}[”\"]?\s+(?:means?|refers?\s+to|denotes?|(?:is|are)\s+defined\s+(?:as|by))\b",
        r"\bby\s+{article}{term}\b[^.;]{{0,40}}\bmeant\b",
        r"\((?:the\s+)?[“\"]?{term}[”\"]?\)",
    ),
    "fr": (
        r"{start}{mark}{article}{term}\s*:",
        r"\bentend(?:re|ons|u)?\s+par\s+[«\"]?\s*{article}{term}\b",
        r"\b{term}\s*[»\"]?,?\s+(?:désigne|signifie|s['’]entend)\b",
        r"\({term}\)",
    ),
    "es": (
        r"{start}{mark}{article}{term}\s*:",
        r"\bentiende\s+por\s+[«\"]?{article}{term}\b",
        r"\b{term}[»\"]?,?\s+(?:designa|significa|se\s+define)\b",
        r"\({term}\)",
    ),
}
_SAYING: Final[dict[Language, str]] = {
    "de": r"(?:^|[;:]\s*){mark}{article}{term}\s+(?:ist|sind)\s+"
    r"(?:ein\w*|der|die|das|jede\w*|alle|solche|(?-i:[A-ZÄÖÜ])\w+)\b(?![^.;]*\bzu\s+\w+en\b)",
    "en": r"(?:^|[;:]\s*){mark}{article}{term}\s+(?:is|are|was|were)\s+(?:an?|the|any|all|those)\b",
    "fr": r"(?:^|[;:]\s*){mark}{article}{term}\s+(?:est|sont)\s+(?:une?|des|les?|la|tout\w*)\b",
    "es": r"(?:^|[;:]\s*){mark}{article}{term}\s+(?:es|son)\s+"
    r"(?:una?|un[oa]s|el|la|l[oa]s|tod\w+)\b",
}
_HEADINGS: Final[dict[Language, str]] = {
    "de": "Begriffsbestimmungen",
    "en": "Definitions",
    "fr": "Définitions",
    "es": "Definiciones",
}
_SUBJECT: Final = r"(?P<term>[^\W\d_][\w-]*(?:\s+[^\W\d_][\w-]*){0,2})"
_GENERIC: Final[dict[Language, re.Pattern[str]]] = {
    "de": re.compile(rf"\W*Eine?\s+{_SUBJECT}\s+ist\s+eine?\s", re.IGNORECASE),
    "en": re.compile(rf"\W*An?\s+{_SUBJECT}\s+is\s+an?\s", re.IGNORECASE),
    "fr": re.compile(rf"\W*Une?\s+{_SUBJECT}\s+est\s+une?\s", re.IGNORECASE),
    "es": re.compile(rf"\W*Una?\s+{_SUBJECT}\s+es\s+una?\s", re.IGNORECASE),
}
_LOOSE_END: Final = 2
"""Letters at the end of a word that inflection may change."""


def defined_term(question: str, language: Language) -> str | None:
    """The term whose meaning a question asks for, as it writes it; None if it asks otherwise."""
    if language not in _ASKED or _MUST_END.search(question):
        return None
    match = re.match(_ASKED[language], " ".join(question.split()), re.IGNORECASE)
    if match is None:
        return None
    term = re.sub(rf"^{_ARTICLE[language]}", "", match["term"], count=1, flags=re.IGNORECASE)
    return term if 0 < len(term.split()) <= _LONGEST_TERM else None


def defines(sentence: str, term: str, language: Language) -> float:
    """How surely a sentence says what a term means, 0-1.

    1 with the marks of a definition, less where it only says of the thing what it is.
    """
    patterns = _patterns(term, language)
    if patterns is None:
        return 0.0
    text = " ".join(sentence.split())
    marked, plain = patterns
    return 1.0 if marked.search(text) else PLAIN * bool(plain.search(text))


def definition_search(term: str, language: Language) -> str | None:
    """What to search for besides the question: sections that define terms often say so."""
    heading = _HEADINGS.get(language)
    return f"{heading}: {term}" if heading else None


def generic_subject(sentence: str, language: Language) -> str | None:
    """The thing of which a sentence says what any such thing is: ``Ein Kran ist ein Gerät``."""
    match = _GENERIC[language].match(sentence) if language in _GENERIC else None
    return match["term"] if match else None


@lru_cache(maxsize=64)
def _patterns(term: str, language: Language) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    if language not in _DEFINING:
        return None
    places = {
        "start": _START,
        "mark": _MARK,
        "article": _ARTICLE[language],
        "term": r"\s+".join(map(_inflected, term.split())),
    }
    marked = "|".join(pattern.format(**places) for pattern in _DEFINING[language])
    plain = _SAYING[language].format(**places)
    return re.compile(marked, re.IGNORECASE), re.compile(plain, re.IGNORECASE)


def _inflected(word: str) -> str:
    """A word with another ending; short ones only with a longer one."""
    stem = word[:-_LOOSE_END] if len(word) > 3 * _LOOSE_END else word
    return rf"{re.escape(stem)}\w{{0,{2 * _LOOSE_END}}}"
