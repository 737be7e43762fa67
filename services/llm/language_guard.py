"""Is a text for people in the language they asked in?"""

import re

from services.errors import InvalidGeneration
from services.types import Language

FEWEST_WORDS = 5
"""A piece with fewer words, such as a heading or a label, has no vote."""

LARGEST_FOREIGN_SHARE = 0.4
"""Share of the letters that may stand in sentences of another language."""

NAMES: dict[Language, str] = {
    "de": "German",
    "en": "English",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
}

_QUOTED = re.compile(r"„[^“”\"]*[“”\"]|“[^”]*”|»[^«]*«|«[^»]*»|\"[^\"\n]*\"|`[^`]*`")
_PIECE = re.compile(r"(?<=[.!?:;])\s+|\n+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EAST_ASIAN_LANGUAGES = ("zh", "ja", "ko")


def check_language(text: str, expected: Language) -> None:
    """Accept a text that is for the most part in ``expected``.

    Quotations, short pieces and whatever the detector is not sure about pass: the guard is
    there for an answer in the wrong language, not for a foreign term in a right one.
    Chinese, Japanese or Korean characters never pass unless asked for: small models slip
    into them in the middle of a sentence.

    Raises:
        InvalidGeneration: Naming both languages, to be shown to the model.
    """
    unquoted = _QUOTED.sub(" ", text)
    wanted = language_name(expected)
    if expected not in _EAST_ASIAN_LANGUAGES and _EAST_ASIAN.search(unquoted):
        raise InvalidGeneration(f"the text has East Asian characters; write {wanted}")
    foreign = foreign_letters(unquoted, expected)
    if not foreign:
        return
    other = max(foreign, key=lambda language: foreign[language])
    if sum(foreign.values()) > LARGEST_FOREIGN_SHARE * _letters(unquoted):
        raise InvalidGeneration(
            f"the text is in {language_name(other)}, not in {wanted}; write {wanted}"
        )


def foreign_letters(text: str, expected: Language) -> dict[Language, int]:
    """Letters in sentences of other languages, by language."""
    from services.query.language import detect_language

    counts: dict[Language, int] = {}
    for piece in _PIECE.split(text):
        if len(_WORD.findall(piece)) < FEWEST_WORDS:
            continue
        language = detect_language(piece, default=expected)
        if language != expected:
            counts[language] = counts.get(language, 0) + _letters(piece)
    return counts


def _letters(text: str) -> int:
    return sum(map(len, _WORD.findall(text)))


def language_name(language: Language) -> str:
    """``German`` for ``de``, as a model is told."""
    return NAMES.get(language, language)
