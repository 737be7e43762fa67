"""Keywords of questions in four languages; one in another language is matched in all four."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal

from services.domain.value import Language
from services.language.query.values import QueryType
from services.language.vocabulary import word_lists

Kind = Literal["causal", "analysis", "comparison", "steps", "synthesis"]

KEYWORDS: Final[Mapping[Language, Mapping[Kind, Sequence[str]]]] = word_lists()["keywords"]
KINDS: Final[tuple[Kind, ...]] = ("causal", "analysis", "comparison", "steps", "synthesis")
DATABASE: Final = (
    r"wie viele (?:dokumente|dateien)(?= (?:gibt|sind|hast|habe|haben)\b|\W*$)"
    r"|how many (?:documents|docs|files)(?= (?:are|do)\b|\W*$)"
    r"|combien de (?:documents|fichiers)(?= (?:y a|sont|as)\b|\W*$)"
    r"|cuantos (?:documentos|archivos)(?= (?:hay|tengo|tienes)\b|\W*$)"
    r"|(?:list|show)(?: me)?(?: all| the| my)* (?:docs|documents|files)(?=\W*$)"
)
EITHER: Final[Mapping[Language, str]] = {"de": "oder", "en": "or", "fr": "ou", "es": "o"}

_TYPES: Final[Mapping[Kind, QueryType]] = {
    "comparison": "comparative",
    "steps": "procedural",
    "synthesis": "exploratory",
    "causal": "analytical",
    "analysis": "analytical",
}
_QUESTION_WORDS: Final = 4
_LONGEST: Final = 2_000
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "\u202f": " "})


def keywords(question: str, language: Language) -> tuple[str, ...]:
    by_language = (
        tuple(match.group().casefold() for _, match in _matches(question, table))
        for table in ([language] if language in KEYWORDS else KEYWORDS)
    )
    return max(by_language, key=len)


def kinds(question: str, language: Language) -> frozenset[Kind]:
    tables = [language] if language in KEYWORDS else KEYWORDS
    return frozenset(kind for table in tables for kind, _ in _matches(question, table))


def type_by_keywords(question: str, language: Language) -> tuple[QueryType, float]:
    """Return type and confidence without a head: by keyword, else a fact, else unknown."""
    spoken_of = kinds(question, language)
    for kind, of_type in _TYPES.items():
        if kind in spoken_of:
            return of_type, 0.65
    is_question = question.rstrip().endswith("?") or len(question.split()) >= _QUESTION_WORDS
    return ("factual", 0.6) if is_question and question.strip("?!. ") else ("unknown", 0.3)


def about_database(question: str) -> bool:
    return re.search(rf"(?<!\w)(?:{DATABASE})", without_accents(question), re.I) is not None


def wavers(question: str, language: Language) -> bool:
    word = EITHER.get(language, EITHER["en"])
    return len(re.findall(rf"(?<!\w){word}(?!\w)", question, re.IGNORECASE)) > 1


def without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _matches(question: str, language: Language) -> list[tuple[Kind, re.Match[str]]]:
    text = " ".join(question[:_LONGEST].translate(_APOSTROPHES).split())
    text = without_accents(text) if language in ("fr", "es") else text
    searched = ((kind, pattern.search(text)) for kind, pattern in _compiled(language))
    return [(kind, match) for kind, match in searched if match]


@lru_cache(maxsize=8)
def _compiled(language: Language) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    return tuple(
        (kind, re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE))
        for kind, patterns in KEYWORDS[language].items()
        for pattern in patterns
    )
