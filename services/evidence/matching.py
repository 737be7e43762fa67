"""Words of one text in others: themselves or in compounds, rare ones counting more."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from services.domain import Language
from services.evidence.stated import without_labels
from services.language.quantities import quantities
from services.language.text import best_match, stems


def word_shares(
    words: Sequence[str], quotes: Sequence[str], language: Language, around: Sequence[str]
) -> np.ndarray:
    """Share of the words in what is around each quote, those counting more that few quotes have."""
    rarity = np.log(1 + len(quotes) / (1 + _strengths(words, quotes, language).sum(0)))
    return np.asarray(_strengths(words, around, language) @ rarity / (rarity.sum() or 1.0))


def _strengths(words: Sequence[str], texts: Sequence[str], language: Language) -> np.ndarray:
    """How well each text has each word, itself or in a compound, shape (texts, words)."""
    rows = {text: [best_match(word, _stems(text, language)) for word in words] for text in {*texts}}
    return np.array([rows[text] for text in texts], dtype=float).reshape(len(texts), len(words))


@lru_cache(maxsize=4_096)
def content_words(text: str, language: Language) -> tuple[str, ...]:
    """Distinct stems without section labels and numbers with their units."""
    text = without_labels(text)
    for number in reversed(quantities(text, language)):
        text = f"{text[: number.start]} {text[number.end :]}"
    return tuple(dict.fromkeys(stem for stem in stems(text, language) if not stem[0].isdigit()))


def ungrounded(claim: str, source: str, language: Language) -> tuple[str, ...]:
    """Words of a claim that a source has neither themselves nor as part of a compound."""
    known = _stems(source, language)
    return tuple(word for word in content_words(claim, language) if not best_match(word, known))


@lru_cache(maxsize=4_096)
def _stems(text: str, language: Language) -> frozenset[str]:
    return frozenset(stems(text, language))
