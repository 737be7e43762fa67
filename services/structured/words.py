"""Which piece of a question a text is about, by the words that tell it from the others."""

from collections.abc import Sequence

from services.text import compound_match, stem_sequence
from services.value import Language


def words_of(item: str, language: Language) -> tuple[str, ...]:
    """The stems of a piece, each once."""
    return tuple(dict.fromkeys(stem_sequence(item, language)))


def own_words(item: str, items: Sequence[str], language: Language) -> tuple[str, ...]:
    """The words of a piece that no other piece has; all of its words where none is left."""
    others = {word for each in items if each != item for word in words_of(each, language)}
    words = words_of(item, language)
    return tuple(word for word in words if word not in others) or words


def share_of_words(words: Sequence[str], text: str, language: Language) -> float:
    """Share of the words that a text has, 0-1; a part of a compound counts partly."""
    if not words:
        return 0.0
    found = frozenset(stem_sequence(text, language))
    best = (
        1.0 if word in found else max((compound_match(word, stem) for stem in found), default=0.0)
        for word in words
    )
    return sum(best) / len(words)
