"""The pieces that words are cut into, found by their bytes.

A dictionary of the 250,000 takes 45 MB and 0.2 s to fill; sorted hashes take 9 MB.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from services.retrieval.embedders.e5_file import E5File

BASIS: Final = 2166136261
PRIME: Final = 16777619
"""Of FNV-1a, a hash of 32 bits that grows byte by byte."""
UNKNOWN_PENALTY: Final = 10.0
"""What an unknown letter costs beside the rarest piece, as in sentencepiece."""


class Pieces:
    """Numbers and scores of the pieces of a model file."""

    def __init__(self, file: E5File) -> None:
        self._blob, borders, scores = file.pieces()
        hashes = _hashes(self._blob, borders)
        order = np.argsort(hashes, kind="stable").astype(np.uint32)
        self._hashes, self._numbers = _packed(hashes[order]), _packed(order)
        self._borders = _packed(borders)
        self.scores = array("f", scores.tobytes())
        self.scores[file.unknown] = min(self.scores) - UNKNOWN_PENALTY
        letters = np.frombuffer(self._blob, np.uint8) & 0xC0 != 0x80
        self._longest = int(np.add.reduceat(letters, borders[:-1], dtype=np.int64).max())

    def at(self, text: bytes, letter: int, ends: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Ends and numbers of the pieces that begin at a letter, given where each letter ends."""
        start = hashed_to = ends[letter - 1] if letter else 0
        hashed = BASIS
        for end in ends[letter : letter + self._longest]:
            for byte in text[hashed_to:end]:
                hashed = (hashed ^ byte) * PRIME & 0xFFFFFFFF
            hashed_to = end
            number = self._number(hashed, text[start:end])
            if number is not None:
                yield end, number
            elif end == ends[letter]:  # a letter that is no piece begins none
                return

    def _number(self, hashed: int, piece: bytes) -> int | None:
        place = bisect_left(self._hashes, hashed)
        while place < len(self._hashes) and self._hashes[place] == hashed:
            number = self._numbers[place]
            if self._blob[self._borders[number] : self._borders[number + 1]] == piece:
                return number
            place += 1
        return None


def _packed(values: NDArray[np.uint32]) -> "array[int]":
    return array("I", values.tobytes())


def _hashes(blob: bytes, borders: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Of every piece, all at once: the first byte of each, then the second of those that go on."""
    letters = np.frombuffer(blob, np.uint8)
    starts, lengths = borders[:-1].astype(np.int64), np.diff(borders)
    hashes = np.full(len(starts), BASIS, dtype=np.uint32)
    going = np.arange(len(starts))
    for place in range(int(lengths.max())):
        going = going[lengths[going] > place]
        hashes[going] = (hashes[going] ^ letters[starts[going] + place]) * np.uint32(PRIME)
    return hashes
