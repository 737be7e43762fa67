"""By length: windows of the wanted size that overlap, cut between words."""

import re
from collections.abc import Iterator

from services.ingestion.chunking.packer import SCRAP, Packer, no_room
from services.ingestion.chunking.pieces import Span

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\S")


def cut(packer: Packer, overlap: int) -> Iterator[Span]:
    """The chunks of a region.

    Args:
        packer: the region and its limits.
        overlap: characters at the end of a chunk that the next one repeats, rounded down to
            whole words; less than the wanted size.
    """
    text, (start, end) = packer.text, packer.span
    covered = start
    while True:
        stop = _stop(packer, start, covered)
        if stop <= covered:  # the token limit took away what is new: do without the overlap
            start = covered
            continue
        yield start, start + len(text[start:stop].rstrip())
        if stop >= end:
            return
        start = _word(text, _overlapping(text, start, stop, overlap), end)
        covered = _word(text, stop, end)


def _stop(packer: Packer, start: int, covered: int) -> int:
    """Where a window ends that starts at ``start``; it fits the embedder and has no half word.

    One that starts with a heading reaches beyond it.
    """
    text, end = packer.text, packer.region.end
    heading = max(packer.region.heading_end - start, 0)
    room = packer.size + (heading if heading > (1 - SCRAP) * packer.size else 0)
    while True:
        stop = _between_words(text, max(start, covered), min(start + room, end), end)
        if packer.fits((start, stop)):
            return stop
        if room <= 1:
            raise no_room()
        room = min(room, stop - start) * 3 // 4 or 1


def _between_words(text: str, low: int, high: int, end: int) -> int:
    """The last white space after ``low`` up to ``high``, else ``high`` itself."""
    if high >= end or text[high].isspace():
        return high
    spaces = [match.end() for match in _SPACE.finditer(text, low + 1, high)] if low < high else []
    return spaces[-1] if spaces else high


def _overlapping(text: str, start: int, stop: int, overlap: int) -> int:
    """Where the next window starts: at a word, at least half a window on."""
    back = max(stop - overlap, (start + stop + 1) // 2)
    if back >= stop or text[back - 1].isspace():
        return back
    space = _SPACE.search(text, back, stop)
    return space.end() if space else back


def _word(text: str, place: int, end: int) -> int:
    """The first character at or after a place that is not white space."""
    found = _WORD.search(text, place, end)
    return found.start() if found else end
