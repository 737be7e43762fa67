"""Every occurrence of a word or phrase in a text, and what kind it is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from services.errors import InvalidInput
from services.scan.forms import folded, relation, roots
from services.scan.values import KINDS, MatchKind
from services.text import Normalised, normalise, normalise_mapped
from services.types import Language

LONGEST_TERM = 200

_PIECE = re.compile(r"(?P<gap>\s*)(?P<piece>\w+|[^\w\s])")
_QUOTES = "\"' "
_HYPHENS = frozenset("-‐‑")
"""Marks that join words; other dashes, which normalised texts write alike, part them."""


@dataclass(frozen=True)
class Occurrence:
    """Where a term stands: characters of the source, end exclusive, and as what."""

    start: int
    end: int
    kind: MatchKind
    form: str


@dataclass(frozen=True)
class ScannedText:
    """A text in the form in which terms are looked for."""

    normal: Normalised

    @classmethod
    def of(cls, text: str) -> "ScannedText":
        return cls(normalise_mapped(text))

    @cached_property
    def folded(self) -> str:
        return folded(self.normal.text)

    def is_hyphen(self, place: int) -> bool:
        """Whether a hyphen, and no dash, stands at a place of the normalised text."""
        text = self.normal.text
        if not 0 <= place < len(text) or text[place] != "-":
            return False
        return self.normal.source[self.normal.original(place)] in _HYPHENS


@dataclass(frozen=True)
class _Piece:
    text: str
    spaced: bool

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum() or self.text[0] == "_"


class Matcher:
    """Finds a term; of a phrase every word may be inflected.

    A word joined to others by hyphens is a compound. Raises InvalidInput for a term without any
    letter or digit, or a very long one.
    """

    def __init__(self, term: str, languages: Sequence[Language]) -> None:
        self.term = normalise(term).strip(_QUOTES)
        if not any(map(str.isalnum, self.term)) or len(self.term) > LONGEST_TERM:
            raise InvalidInput(
                f"A scan needs a word or phrase of up to {LONGEST_TERM} characters, not {term!r}."
            )
        self._languages = tuple(languages)
        self._pieces = [
            _Piece(match["piece"], bool(match["gap"])) for match in _PIECE.finditer(self.term)
        ]
        first = self._pieces[0]
        beginnings = roots(first.text, self._languages) if first.is_word else (first.text,)
        self._beginning = re.compile("|".join(map(re.escape, beginnings)))
        before = ["", *(piece.text for piece in self._pieces)]
        self._phrase = re.compile("".join(map(_pattern, self._pieces, before)))

    def find(self, text: ScannedText) -> Iterator[Occurrence]:
        """The occurrences in the order of the text, which do not overlap."""
        done = judged = 0
        for beginning in self._beginning.finditer(text.folded):
            start = place = beginning.start()
            if self._pieces[0].is_word:
                if place < judged:  # the same word again: hostile ones are as long as the text
                    continue
                start, judged = _word_start(text.folded, place), _word_end(text.folded, place)
            found = self._phrase.match(text.normal.text, start) if start >= done else None
            kind = self._kind(text, found) if found is not None else None
            if found is not None and kind is not None:
                begin, end = _whole(text, *found.span())
                end += _is_suspended(text, end)
                done = end
                form = text.normal.text[begin:end].lower()
                yield Occurrence(*text.normal.span(begin, end), kind, form)

    def _kind(self, text: ScannedText, found: re.Match[str]) -> MatchKind | None:
        """The farthest of what its words are; None where one of them is another word."""
        words = [piece for piece in self._pieces if piece.is_word]
        kinds: list[MatchKind] = []
        for piece, word in zip(words, found.groups(), strict=True):
            kind = relation(piece.text, word, self._languages)
            if kind is None:
                return None
            kinds.append(kind)
        if _is_part_of_number(text.normal.text, *found.span()):
            return None
        if self._pieces[-1].is_word and _is_possessive(text.normal.text, found.end()):
            kinds.append("inflection")
        if _whole(text, *found.span()) != found.span() or _is_suspended(text, found.end()):
            kinds.append("compound")
        return max(kinds, key=KINDS.index, default="exact")


def _pattern(piece: _Piece, before: str) -> str:
    gap = " ?" if before == "§" else " " if piece.spaced else ""
    return gap + (r"(\w+)" if piece.is_word else re.escape(piece.text))


def _word_start(text: str, place: int) -> int:
    while place > 0 and (text[place - 1].isalnum() or text[place - 1] == "_"):
        place -= 1
    return place


def _word_end(text: str, place: int) -> int:
    while place < len(text) and (text[place].isalnum() or text[place] == "_"):
        place += 1
    return place


def _whole(text: ScannedText, start: int, end: int) -> tuple[int, int]:
    """The span with the words that hyphens join to it."""
    letters = text.normal.text
    while start > 1 and text.is_hyphen(start - 1) and letters[start - 2].isalnum():
        start = _word_start(letters, start - 1)
    while end < len(letters) - 1 and text.is_hyphen(end) and letters[end + 1].isalnum():
        end = _word_end(letters, end + 1)
    return start, end


def _is_suspended(text: ScannedText, end: int) -> bool:
    """``Freigrenzen- und Grenzwertregelung``: half of a compound."""
    return text.is_hyphen(end) and text.normal.text[end + 1 : end + 2] == " "


def _is_possessive(text: str, end: int) -> bool:
    return re.match(r"'s(?!\w)", text[end : end + 3]) is not None


def _is_part_of_number(text: str, start: int, end: int) -> bool:
    """``20`` in ``20,5`` or ``1.020`` is another number."""
    after = text[end - 1 : end + 2]
    before = text[max(start - 2, 0) : start + 1]
    return bool(re.match(r"\d[.,]\d", after) or re.match(r"\d[.,]\d", before))
