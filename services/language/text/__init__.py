"""Text processing: normalisation, sentences, words and stems."""

from services.language.text.normal import normalise, normalise_mapped
from services.language.text.sentences import clauses, is_heading, sentences, sentences_between
from services.language.text.words import (
    addresses,
    best_match,
    compound_match,
    has_stem,
    is_stop_word,
    stem,
    stems,
    tokens,
)

__all__ = [
    "addresses",
    "best_match",
    "clauses",
    "compound_match",
    "has_stem",
    "is_heading",
    "is_stop_word",
    "normalise",
    "normalise_mapped",
    "sentences",
    "sentences_between",
    "stem",
    "stems",
    "tokens",
]
