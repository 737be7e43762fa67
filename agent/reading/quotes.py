"""Find a quote in the text that it was copied from.

A quote names a place; what readers see is the text that stands there. So white space, case,
hyphenation and typographic signs may differ between the two, and nothing else: a quote with
another digit, another word or a word less is not found.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from services.domain import Language
from services.language.text import stem

FEWEST_LETTERS: Final = 8
"""A shorter quote is found only where it stands once: else it names no place."""

_SIGNS: Final = re.compile(
    r"(?<![\w])[-−–](?=\d)"  # a minus, unlike the dash of a range
    r"|(?<=\d)[.,](?=\d)|(?<=\d)\s+(?=\d)"  # within and between numbers
    r"|[^\W_]|[\u0300-\u036f]"
)
_GAP: Final = re.compile(r"\s*\[?(?:…|\.\.\.)\]?\s*")
_EDGES: Final = re.compile(r"^[^\w\s]*")
"""Signs without white space at the beginning of a text."""
_WORD: Final = re.compile(r"(?:(?<!\w)[-−–](?=\d))?[^\W_]+(?:[.,]\d+)*")


class Span(NamedTuple):
    """Characters of a text, end exclusive."""

    start: int
    end: int


@lru_cache(maxsize=4_096)
def _plain(sign: str) -> str:
    if sign.isspace():
        return " "
    return "-" if sign in "-−–" else unicodedata.normalize("NFKD", sign).casefold()


class QuotedText:
    """A text in which quotes are looked for."""

    def __init__(self, text: str, language: Language) -> None:
        self._text, self._language = text, language

    @cached_property
    def _letters(self) -> tuple[str, list[int], list[int], list[bool]]:
        """The letters; of each where it stands, where it ends, and whether a word begins with it.

        One more entry closes the lists.
        """
        letters: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        begins: list[bool] = []
        last = -1
        for match in _SIGNS.finditer(self._text):
            plain = _plain(match.group())
            begin = match.start() != last or plain == " "
            last = -1 if plain == " " else match.end()
            for n, letter in enumerate(plain):
                letters.append(letter)
                starts.append(match.start())
                ends.append(match.end())
                begins.append(begin and n == 0)
        size = len(self._text)
        return "".join(letters), [*starts, size], [*ends, size], [*begins, True]

    @cached_property
    def _words(self) -> list[tuple[str, Span]]:
        """The stems of all words, with where these stand."""
        return [
            (stem(match.group(), self._language), Span(*match.span()))
            for match in _WORD.finditer(self._text)
        ]

    def find(self, quote: str) -> tuple[Span, ...]:
        """Where a quote stands: one span, or one for each part between its gaps; () if nowhere.

        A gap ("…") stands for anything, also nothing; the parts follow each other. Words in
        another form ("des Antrags" for "der Antrag") lead to the words that really stand there.
        """
        if whole := self._exact(quote, 0, alone=True) or self._in_other_forms(quote):
            return (self._with_signs(quote, whole),)
        parts = [part for part in _GAP.split(quote) if _WORD.search(part)]
        if len(parts) < 2:
            return ()
        spans: list[Span] = []
        for part in parts:
            found = self._exact(part, spans[-1].end if spans else 0)
            if found is None:
                return ()
            spans.append(self._with_signs(part, found))
        return tuple(spans)

    def _with_signs(self, quote: str, span: Span) -> Span:
        """The span with the signs that the quote begins and ends with, where they stand there."""
        first, last = _EDGES.findall(quote.strip())[0], _EDGES.findall(quote.strip()[::-1])[0][::-1]
        before, behind = self._text[: span.start].rstrip(), self._text[span.end :]
        start, end = span
        if first and before.endswith(first):
            start = len(before) - len(first)
        if last and behind.lstrip().startswith(last):
            end += len(behind) - len(behind.lstrip()) + len(last)
        return Span(start, end)

    def _exact(self, quote: str, offset: int, *, alone: bool = False) -> Span | None:
        """The first place from ``offset`` on with the letters of a quote, at ends of words."""
        wanted = "".join(map(_plain, _SIGNS.findall(quote)))
        text, starts, ends, begins = self._letters
        if not wanted:
            return None
        found: list[int] = []
        at = text.find(wanted, bisect_left(starts, offset))
        while at >= 0 and len(found) < 2:
            if begins[at] and begins[at + len(wanted)]:
                found.append(at)
            at = text.find(wanted, at + 1)
        if not found or (alone and len(wanted) < FEWEST_LETTERS and len(found) > 1):
            return None
        return Span(starts[found[0]], ends[found[0] + len(wanted) - 1])

    def _in_other_forms(self, quote: str) -> Span | None:
        """The only place where all words of a quote stand in a row, in whatever forms."""
        wanted = [stem(word, self._language) for word in _WORD.findall(quote)]
        stems = [word for word, _ in self._words]
        if len("".join(wanted)) < FEWEST_LETTERS:
            return None
        places = _runs(stems, wanted)
        if len(places) != 1:
            return None
        first, last = places[0], places[0] + len(wanted) - 1
        return Span(self._words[first][1].start, self._words[last][1].end)


def _runs(items: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where a sequence stands in another."""
    size = len(wanted)
    return [n for n in range(len(items) - size + 1) if items[n : n + size] == wanted]
