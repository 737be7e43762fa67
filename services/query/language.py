"""Language identification that is right on short questions too.

Two witnesses: function words, which decide most sentences at once, and py3langid, a naive Bayes
classifier over byte n-grams that takes most of a second to load. A text that convinces neither,
such as ``TypeIs vs TypeGuard``, keeps the caller's default.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from services.query.function_words import AMBIGUOUS, FUNCTION_WORDS, LETTERS
from services.value import Language

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LANGUAGES: Final[tuple[Language, ...]] = ("de", "en", "fr", "es", "it", "nl", "pt")
"""The languages that are told apart."""

_CLEAR_SCORE: Final = 1.5
_CLEAR_LEAD: Final = 1.75
_MINIMUM_CONFIDENCE: Final = 0.5
_PRIOR: Final[dict[Language, float]] = {"de": 3.0, "en": 3.0}
_WORD_FACTOR: Final = 6.0
_SAMPLE: Final = 4000

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NOT_PROSE = re.compile(
    r"""https?://\S+ | `[^`\n]*`            # addresses, quoted code
      | \b\w*(?:_\w*|[a-z][A-Z]\w*)         # snake_case, CamelCase
      | \b\w+(?:[./]\w+)+\b                 # dotted names, paths
      | §+\s*\d+\w* | \b[A-Z]{2,}\w*\b      # section labels, acronyms
      | \b\w*\d\w*\b""",
    re.VERBOSE,
)


def detect_language(text: str, default: Language = "en") -> Language:
    """Name the language of a question or a document.

    Args:
        text: a question, a passage or a whole document (the first part of it is read).
        default: what to answer when the text gives no evidence.

    Returns:
        One of `LANGUAGES`, or ``default``.
    """
    if any(mark in text[:_SAMPLE] for mark in "¿¡"):
        return "es"
    prose = _NOT_PROSE.sub(" ", text[:_SAMPLE])
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(prose)]
    if not words:
        return default
    counts = _function_words(words)
    clear = _clear_winner(counts)
    if clear is not None:
        return clear
    return _classify(" ".join(_WORD.findall(prose)), counts) or default


def _function_words(words: list[str]) -> dict[Language, float]:
    """How much speaks for each language.

    A word that several languages use counts a part for each, a letter that only one has a whole
    word.
    """
    score = dict.fromkeys(FUNCTION_WORDS, 0.0)
    for word, n in Counter(words).items():
        for language in _users(word):
            score[language] += n * _weight(word)
        for letter, language in LETTERS.items():
            if letter in word:
                score[language] += n
    return score


@lru_cache(maxsize=4_096)
def _users(word: str) -> tuple[Language, ...]:
    """Languages that use a word all the time."""
    return tuple(language for language, known in FUNCTION_WORDS.items() if word in known)


def _weight(word: str) -> float:
    return (0.5 if word in AMBIGUOUS else 1.0) / len(_users(word))


def _clear_winner(counts: dict[Language, float]) -> Language | None:
    first, second = sorted(counts, key=lambda language: -counts[language])[:2]
    if counts[first] >= _CLEAR_SCORE and counts[first] >= _CLEAR_LEAD * counts[second]:
        return first
    return None


def _classify(prose: str, counts: dict[Language, float]) -> Language | None:
    """The classifier's probabilities, weighted with the prior and the function words."""
    weighted = {
        language: float(probability)
        * _PRIOR.get(language, 1.0)
        * _WORD_FACTOR ** min(counts.get(language, 0.0), 2.0)
        for language, probability in _identifier().rank(prose)
    }
    best = max(weighted, key=lambda language: weighted[language])
    share = weighted[best] / sum(weighted.values())
    return best if share >= _MINIMUM_CONFIDENCE and len(prose) > 3 else None


@lru_cache(maxsize=1)
def _identifier() -> "LanguageIdentifier":
    """The classifier; loading it takes most of a second, so it waits until it is needed."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(LANGUAGES)
    return identifier
