"""Finding a quote among the letters of a page, whatever spacing and hyphenation did to it.

Two texts of the same page differ in white space, divided words, ligatures, accents that stand
alone, and in running headers, which the text for reading leaves out. Letters and digits remain.
"""

import re
import unicodedata
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import Final

SEED: Final = 12
"""Fewest letters that are taken for a piece of an interrupted quote."""
_BARS: Final = " | "
ENOUGH: Final = 0.9
"""Share of an interrupted quote that must be found for it to count as found."""


@dataclass(frozen=True)
class Letters:
    """The letters and digits of a text in their plainest form, each with its offset there."""

    text: str
    offsets: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the source, end exclusive, from which these letters come."""
        return self.offsets[start], self.offsets[end - 1] + 1


def letters(source: str) -> Letters:
    """``ﬁ`` becomes ``fi``, ``ä`` becomes ``a`` however it is composed, ``²`` becomes ``2``."""
    plain = [_plain(character) for character in source]
    return Letters("".join(plain), tuple(n for n, some in enumerate(plain) for _ in some))


def _plain(character: str) -> str:
    if character.isascii():
        return character if character.isalnum() else ""
    return "".join(each for each in unicodedata.normalize("NFKD", character) if each.isalnum())


def locate(page: str, quote: str, before: str = "", after: str = "") -> list[tuple[int, int]]:
    """Spans of a page's letters, end exclusive, where the letters of a quote stand.

    They are several where something that is not the quote's, such as a running header, stands
    amid it. ``before`` and ``after`` are letters around it, which tell equal places apart.
    """
    if not quote:
        return []
    places = [match.start() for match in re.finditer(f"(?={re.escape(quote)})", page)]
    if not places:
        return _pieces(page, quote)

    def fit(at: int) -> int:
        end = at + len(quote)
        behind = page[max(0, at - len(before)) : at]
        ahead = page[end : end + len(after)]
        around = (behind[::-1], before[::-1]), (ahead, after)
        return sum(len(commonprefix(pair)) for pair in around)  # noqa: RUF071 (characters)

    best = max(places, key=fit)
    return [(best, best + len(quote))]


def locate_rows(source: str, page: Letters, quote: str) -> list[tuple[int, int]]:
    """Spans of a page's letters where the cells of quoted rows stand, without what names them.

    A line of the quote is a row, ``Nuklid: H-3 | Grenze: 1000``; on the page stands ``H-3 1000``,
    in the text for reading the heads of the columns besides. Cells that a row shares with rows
    above it may be missing ahead. Empty if any line is no row, or is not found.
    """
    spans: list[tuple[int, int]] = []
    for line in filter(str.strip, quote.splitlines()):
        cells = line.split(_BARS)
        starts = range(max(len(cells) - 1, 0))
        found = (_row_span(source, page, cells[start:]) for start in starts)
        span = next(filter(None, found), None)
        if span is None:
            return []
        spans.append(span)
    return spans


def _row_span(source: str, page: Letters, cells: Sequence[str]) -> tuple[int, int] | None:
    """The first place where the cells stand one after another, at the borders of words."""
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
    """The letters of a cell, with and without what stands before its colons, longest first."""
    after = (match.end() for match in re.finditer(r": ", cell))
    return list(dict.fromkeys(letters(cell[start:]).text for start in (0, *after)))


def _pieces(page: str, quote: str) -> list[tuple[int, int]]:
    """The quote in parts, in its order, each as long as it can be."""
    spans: list[tuple[int, int]] = []
    done = at = 0
    while at < len(quote):
        length = _longest(page, quote[at:], done)
        if length < min(SEED, len(quote) - at):
            at += 1
            continue
        start = page.index(quote[at : at + length], done)
        done = start + length
        spans.append((start, done))
        at += length
    covered = sum(end - start for start, end in spans)
    return spans if covered >= ENOUGH * len(quote) else []


def _longest(page: str, quote: str, after: int) -> int:
    """How many letters of the quote's beginning stand together somewhere behind ``after``."""
    lengths = range(1, len(quote) + 1)
    return bisect(lengths, False, key=lambda length: page.find(quote[:length], after) < 0)
