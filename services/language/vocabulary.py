"""Names of languages and the word lists of words.toml.

Apart from `services.language.text`, which is slow to load.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from services.domain.value import Language

NAMES: Final[dict[Language, str]] = {
    "de": "German",
    "en": "English",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
}
"""Languages that are detected and stemmed, by the names that models and Snowball know."""


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


@cache
def word_lists() -> dict[str, Any]:
    """Return the content of words.toml, which takes two milliseconds to read."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def months(*languages: str) -> dict[str, int]:
    return {
        name: number
        for language in languages
        for number, names in enumerate(word_lists()["months"][language].split(), start=1)
        for name in names.split("|")
    }


GRAMMAR: Final[dict[Language, frozenset[str]]] = {
    language: word_set(word_lists()["grammar"][language]) for language in ("de", "en", "fr", "es")
}

STOP_WORDS: Final = {language: GRAMMAR[language] for language in ("de", "en")}
"""Words without a stem; French and Spanish texts keep theirs.

They include negations and modal verbs. Code that compares meanings uses the text itself and not
stems (services/evidence).
"""

FUNCTION_WORDS: Final = word_set(word_lists()["grammar"]["question"]).union(*GRAMMAR.values())
