"""Words of a text with their places, and the key by which inflected forms are one word."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from services.text import is_stop_word, stems
from services.types import Language
from services.vocabulary import word_set

_WORD = re.compile(r"[^\W\d_](?:\w|[-‐‑](?=[^\W\d_]))*|\d+(?:[.,]\d+)*[a-z]?\b")
_HYPHENS = re.compile(r"[-‐‑]")
_NEGATIONS: Final = word_set(
    "nicht kein keine keinen keiner keinem keines ohne nie no not non without never"
)
_DERIVED: Final = (
    (re.compile(r"ung(?:en|s)?$"), "ung"),
    (re.compile(r"[kh]eit(?:en)?$"), "keit"),
    (re.compile(r"schaft(?:en)?$"), "schaft"),
    (re.compile(r"(?:lich|isch)(?:e[nrsm]?)?$"), "lich"),
    (re.compile(r"ende[nrsm]?$"), "end"),
    (re.compile(r"iert(?:e[nrsm]?)?$"), "iert"),
)
"""Endings that make another word; the stemmer of the searches takes them off."""


class Token(NamedTuple):
    """``key`` is empty for words that carry grammar only; ``capital`` is how it begins."""

    key: str
    start: int
    end: int
    capital: bool


def tokenise(text: str, language: Language, start: int = 0, end: int | None = None) -> list[Token]:
    """The words and numbers of a span in order."""
    found = _WORD.finditer(text, start, len(text) if end is None else end)
    return [
        Token(word_key(match.group(), language), *match.span(), match.group()[0].isupper())
        for match in found
    ]


@lru_cache(maxsize=65_536)
def word_key(word: str, language: Language) -> str:
    """The same for all forms of a word, hyphenated or not; empty for stop words.

    Words that negate keep a key: what is ``nicht festhaftend`` is another thing.
    """
    joined = _HYPHENS.sub("", word).casefold()
    if joined in _NEGATIONS:
        return "¬"
    if is_stop_word(joined, language):
        return ""
    if joined[0].isdigit():
        return joined
    found = stems(joined, language)
    stem = "".join(found) or joined
    if language != "de":
        return stem
    return stem + next((f"+{mark}" for ending, mark in _DERIVED if ending.search(joined)), "")


def name_keys(name: str, language: Language) -> tuple[str, ...]:
    """The keys of the words of a name that carry meaning; those of all where none does."""
    tokens = tokenise(name, language)
    keys = tuple(token.key for token in tokens if token.key)
    return keys or tuple(name[token.start : token.end].casefold() for token in tokens)
