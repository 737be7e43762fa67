"""A sentence beside its quote, for reading: which words of each the other has."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from services.text import compound_match, stem_sequence
from services.types import Language

_PIECE: Final = re.compile(r"\w+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Piece:
    """A run of a text. ``marked``: in the sentence what the quote lacks, in the quote what both
    have."""

    text: str
    marked: bool


def sides(
    sentence: str, quote: str, language: Language, decisive: Sequence[str] = ()
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The sentence with the words marked that its quote lacks, and the quote with those it has.

    Words of grammar are never marked.

    Args:
        sentence: of an answer.
        quote: with its case, where it has one.
        language: of both.
        decisive: words that decided what the sentence is worth; those of the sentence are marked.
    """
    said, stated = stem_sequence(sentence, language), stem_sequence(quote, language)
    decided = frozenset(" ".join(decisive).casefold().split())

    def lacks(word: str) -> bool:
        return word.casefold() in decided or _has(word, stated, language) is False

    def shares(word: str) -> bool:
        return _has(word, said, language) is True

    return (
        tuple(_pieces(sentence, [m for m in _words(sentence) if lacks(m[0])])),
        tuple(_pieces(quote, [m for m in _words(quote) if shares(m[0])])),
    )


def _words(text: str) -> Iterator[re.Match[str]]:
    return _PIECE.finditer(text)


def _has(word: str, stems: Sequence[str], language: Language) -> bool | None:
    """Whether a text has a word, itself or in a compound; None of a word of grammar."""
    own = stem_sequence(word, language)
    if not own:
        return None
    return all(stem in stems or any(compound_match(stem, each) for each in stems) for stem in own)


def _pieces(text: str, marked: Sequence[re.Match[str]]) -> Iterator[Piece]:
    done = 0
    for match in marked:
        if match.start() > done:
            yield Piece(text[done : match.start()], False)
        yield Piece(match[0], True)
        done = match.end()
    if done < len(text):
        yield Piece(text[done:], False)
