"""Finding a quote on a page by its letters and digits alone.

The text of a PDF and the text for reading differ in white space, hyphenation, ligatures, separate
accents and running headers.
"""

import re
import unicodedata
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import Final

SEED: Final = 12
"""Fewest letters of a piece of an interrupted quote."""
BETWEEN: Final = " | "
ENOUGH: Final = 0.9
"""Share of an interrupted quote that its pieces must cover."""


@dataclass(frozen=True)
class Letters:
    """The letters and digits of a text in their simplest form, with their offsets."""

    text: str
    offsets: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source, end exclusive, from which these letters come."""
        return self.offsets[start], self.offsets[end - 1] + 1


def letters(source: str) -> Letters:
    """Simplify letters: ``ﬁ`` becomes ``fi``, ``ä`` (however composed) ``a``, ``²`` ``2``."""
    plain = [_plain(character) for character in source]
    return Letters("".join(plain), tuple(n for n, some in enumerate(plain) for _ in some))


def _plain(character: str) -> str:
    if character.isascii():
        return character if character.isalnum() else ""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", character)))


def locate(page: str, quote: str, before: str = "", after: str = "") -> list[tuple[int, int]]:
    """Return the spans of a quote's letters on a page, end exclusive.

    There are several if something else, such as a running header, interrupts the quote. ``before``
    and ``after`` are the letters around it, which select among equal occurrences.
    """
    if not quote:
        return []
    starts = [match.start() for match in re.finditer(f"(?={re.escape(quote)})", page)]
    if not starts:
        return _pieces(page, quote)

    def context_length(start: int) -> int:
        end = start + len(quote)
        preceding = page[max(0, start - len(before)) : start]
        following = page[end : end + len(after)]
        contexts = (preceding[::-1], before[::-1]), (following, after)
        return sum(len(commonprefix(pair)) for pair in contexts)  # noqa: RUF071 (characters)

    best = max(starts, key=context_length)
    return [(best, best + len(quote))]


def locate_lines(source: str, page: Letters, quote: str) -> list[tuple[int, int]]:
    """Return the spans of a quote's lines on a page, where some are rows of a table.

    A row is written as ``Nuklid: H-3 | Grenze: 1000``; the page has only ``H-3 1000``. The first
    cells may be missing if the row shares them with rows above. Returns nothing if a line is not
    found.
    """
    spans: list[tuple[int, int]] = []
    for line in filter(str.strip, quote.splitlines()):
        cells = line.split(BETWEEN)
        candidates = (_row_span(source, page, cells[start:]) for start in range(len(cells) - 1))
        row = next(filter(None, candidates), None)
        located = [row] if row else locate(page.text, letters(line).text)
        if not located:
            return []
        spans += located
    return spans


def _row_span(source: str, page: Letters, cells: Sequence[str]) -> tuple[int, int] | None:
    """Return the first span where the cells follow one another, between word boundaries."""
    pattern = "".join(f"(?:{'|'.join(map(re.escape, _readings(cell)))})" for cell in cells)
    for match in re.finditer(pattern, page.text):
        if match.end() > match.start():
            start, end = page.span(*match.span())
            if (
                not source[max(start - 1, 0) : start].isalnum()
                and not source[end : end + 1].isalnum()
            ):
                return match.span()
    return None


def _readings(cell: str) -> list[str]:
    """Return the letters of a cell, with and without the text before each colon."""
    after = (match.end() for match in re.finditer(r": ", cell))
    return list(dict.fromkeys(letters(cell[start:]).text for start in (0, *after)))


def _pieces(page: str, quote: str) -> list[tuple[int, int]]:
    """Return the spans of the quote's pieces in order, each as long as possible."""
    spans: list[tuple[int, int]] = []
    page_offset = offset = 0
    while offset < len(quote):
        length = _longest(page, quote[offset:], page_offset)
        if length < min(SEED, len(quote) - offset):
            offset += 1
            continue
        start = page.index(quote[offset : offset + length], page_offset)
        page_offset = start + length
        spans.append((start, page_offset))
        offset += length
    covered = sum(end - start for start, end in spans)
    return spans if covered >= ENOUGH * len(quote) else []


def _longest(page: str, quote: str, after: int) -> int:
    """Return the length of the longest beginning of the quote on the page behind ``after``."""
    lengths = range(1, len(quote) + 1)
    return bisect(lengths, False, key=lambda length: page.find(quote[:length], after) < 0)
