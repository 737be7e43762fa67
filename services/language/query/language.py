"""Identify the language of texts, including short questions.

Function words decide most. The rest go to py3langid, a naive Bayes classifier over byte n-grams,
which takes a third of a second and 80 MB to load. If it is not certain, the default stays.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from services.domain.value import Language
from services.language.vocabulary import GRAMMAR, NAMES

_PRIOR: Final[dict[Language, float]] = {"de": 3.0, "en": 3.0}
_CLEAR_SCORE: Final = 2.0
_CLEAR_LEAD: Final = 2.0
_MINIMUM_CONFIDENCE: Final = 0.5
_SHORTEST: Final = 4
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


def language_by_words(text: str) -> Language | None:
    """Return the language that the function words of a text show, without a model; else None."""
    return _by_function_words(_WORD.findall(_NOT_PROSE.sub(" ", text[:_SAMPLE])))


def detect_language(text: str, default: Language = "en") -> Language:
    """Return the language of a question or a document: one of `NAMES`, or ``default``."""
    words = _WORD.findall(_NOT_PROSE.sub(" ", text[:_SAMPLE]))
    if clear := _by_function_words(words):
        return clear
    if any(mark in text[:_SAMPLE] for mark in "¿¡"):
        return "es"
    prose = " ".join(words)
    if len(prose) < _SHORTEST:
        return default
    weighted = {
        language: float(probability) * _PRIOR.get(language, 1.0)
        for language, probability in _identifier().rank(prose)
    }
    best = max(weighted, key=weighted.__getitem__)
    return best if weighted[best] / sum(weighted.values()) >= _MINIMUM_CONFIDENCE else default


def _by_function_words(words: Sequence[str]) -> Language | None:
    """Return the language with far more function words; those of several languages do not count."""
    counts: Counter[Language] = Counter()
    for word in words:
        folded = word.casefold().replace("’", "'")
        users = [language for language, grammar_words in GRAMMAR.items() if folded in grammar_words]
        counts.update(users if len(users) == 1 else ())
    (first, most), (_, next_) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    return first if most >= _CLEAR_SCORE and most >= _CLEAR_LEAD * next_ else None


@lru_cache(maxsize=1)
def _identifier() -> Any:
    """Return the classifier, loaded on first use since that takes most of a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(NAMES)
    return identifier
