"""Languages, and the word lists of words.toml.

Outside `services.language.text`, which takes time to load.
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
"""The languages that are told apart and have stems, as a model is told and Snowball calls them."""


def word_set(words: str) -> frozenset[str]:
    """The words of a white-space separated list."""
    return frozenset(words.split())


@cache
def word_lists() -> dict[str, Any]:
    """All of words.toml, which takes two milliseconds to read."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def months(*languages: str) -> dict[str, int]:
    """The names of the months in small letters, and their numbers from 1."""
    return {
        name: number
        for language in languages
        for number, names in enumerate(word_lists()["months"][language].split(), start=1)
        for name in names.split("|")
    }


GRAMMAR: Final[dict[Language, frozenset[str]]] = {
    language: word_set(word_lists()["grammar"][language]) for language in ("de", "en", "fr", "es")
}
"""Words that carry grammar rather than content; they tell languages apart."""

STOP_WORDS: Final = {language: GRAMMAR[language] for language in ("de", "en")}
"""Words that have no stem; French and Spanish texts keep theirs.

Negations and modal verbs are here too: whoever compares meaning looks at the text itself
(services/evidence), not at stems.
"""

FUNCTION_WORDS: Final = word_set(word_lists()["grammar"]["question"]).union(*GRAMMAR.values())
"""Words that name nothing in a question, in four languages together."""
