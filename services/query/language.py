"""Language identification that is right on short questions too.

Two witnesses: function words, which decide most German and English sentences at once, and
py3langid, a naive Bayes classifier over byte n-grams. A text that convinces neither, such as
``TypeIs vs TypeGuard``, keeps the caller's default.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from services.text.vocabulary import word_set
from services.types import Language

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LANGUAGES: Final[tuple[Language, ...]] = ("de", "en", "fr", "es", "it", "nl", "pt")
"""The languages that are told apart."""

# Words that one of the two languages uses constantly and none of the others above does.
_FUNCTION_WORDS: Final[dict[Language, frozenset[str]]] = {
    "de": word_set(
        """aber als auch auf aus bei beim bin bis bist das dass dem denn dessen deren dies diese
        dieser dieses durch ein eine einem einen einer eines es für gegen gibt gilt gelten hat
        haben hatte ich ihr ihre im ist kann keine kein können machen mehr mein mich mir mit muss
        müssen nach nicht noch nur oder ohne sein sich sie sind soll sollen sowie über um und uns
        unter vom von vor wann warum was welche welchem welchen welcher welches wem wenn wer
        werden wessen wie wieso wieviel wird wo wofür wurde zu zum zur zwischen darf dürfen nenne
        erkläre vergleiche beschreibe gemäß laut viele hoch"""
    ),
    "en": word_set(
        """about after all and any are aren't because been before between both but by can could
        describe did differ do does doesn't don't each explain from had has have how if into isn't
        it its list may might more most must not of on only other out should since some than that
        the their them then there these they this those through to under use used using was were
        what what's when where whether which while who whom whose why will with would you your
        compare give tell"""
    ),
}
_AMBIGUOUS: Final = frozenset({"was", "has", "am", "es"})
_CLEAR_WORDS: Final = 2
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
    """Function words of each language, an ambiguous one for half; an ß is as good as one."""
    counted = Counter(words)
    score = {
        language: sum(
            (0.5 if word in _AMBIGUOUS else 1.0) * n for word, n in counted.items() if word in known
        )
        for language, known in _FUNCTION_WORDS.items()
    }
    score["de"] += sum("ß" in word for word in words)
    return score


def _clear_winner(counts: dict[Language, float]) -> Language | None:
    first, second = sorted(counts, key=lambda language: -counts[language])
    if counts[first] >= _CLEAR_WORDS and counts[first] >= 3 * counts[second]:
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
