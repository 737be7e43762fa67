"""A sentence beside its quote, for reading: which words of each the other lacks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from services.domain import Language
from services.language.text import best_match, stems

_WORD: Final = re.compile(r"\w+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Piece:
    """A run of a text; what is ``marked`` the other text lacks."""

    text: str
    marked: bool


def sides(
    sentence: str, quote: str, language: Language, decisive: Sequence[str] = ()
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The sentence and its quote, each with the words marked that the other lacks.

    Words of grammar are marked only where they were decisive.

    Args:
        sentence: of an answer.
        quote: with its case, where it has one.
        language: of both.
        decisive: words that decided what the sentence is worth; those of the sentence are marked.
    """
    decided = frozenset(" ".join(decisive).casefold().split())
    return (
        tuple(_pieces(sentence, quote, language, decided)),
        tuple(_pieces(quote, sentence, language)),
    )


def _pieces(
    text: str, other: str, language: Language, decided: frozenset[str] = frozenset()
) -> Iterator[Piece]:
    """The text in order; marked words that stand side by side are one piece."""
    there = frozenset(stems(other, language))
    runs: list[tuple[int, int]] = []
    for word in _WORD.finditer(text):
        lacks = any(not best_match(stem, there) for stem in stems(word[0], language))
        if lacks or word[0].casefold() in decided:
            begin = word.start()
            if runs and not text[runs[-1][1] : begin].strip():
                begin = runs.pop()[0]
            runs.append((begin, word.end()))
    done = 0
    for begin, end in runs:
        if done < begin:
            yield Piece(text[done:begin], False)
        yield Piece(text[begin:end], True)
        done = end
    if done < len(text):
        yield Piece(text[done:], False)
