"""Stems that are compounds of another, or parts of it."""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import islice, takewhile

SHORTEST_PART = 5
"""Letters; shorter stems stand by chance in too many words."""

MOST_RELATIVES = 24


class Vocabulary:
    """Known stems, asked for compounds of a stem and for the parts of a compound."""

    def __init__(self, stems: Iterable[str]) -> None:
        self._known = frozenset(stems)
        self._forward = sorted(self._known)
        self._backward = sorted(stem[::-1] for stem in self._known)

    def relatives(self, stem: str) -> list[str]:
        """Known stems that begin or end with ``stem``, or that it begins or ends with.

        The stem itself is not among them. At most ``MOST_RELATIVES``, those closest in length
        first (equally close ones in alphabetical order).
        """
        if len(stem) < SHORTEST_PART or not stem.isalpha():
            return []
        found = {*_with_prefix(self._forward, stem)}
        found.update(word[::-1] for word in _with_prefix(self._backward, stem[::-1]))
        for cut in range(SHORTEST_PART, len(stem)):
            found.update({stem[:cut], stem[-cut:]} & self._known)
        found.discard(stem)
        return sorted(found, key=lambda word: (abs(len(word) - len(stem)), word))[:MOST_RELATIVES]


def _with_prefix(words: list[str], prefix: str) -> list[str]:
    """The slice of sorted ``words`` that start with ``prefix``."""
    start = bisect_left(words, prefix)
    return [*takewhile(lambda word: word.startswith(prefix), islice(words, start, None))]
