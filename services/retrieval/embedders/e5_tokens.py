"""Token ids and word vectors of multilingual-e5-small, without loading a library.

The ``tokenizers`` library needs 1.2 s to build its model of 250,000 pieces; a lookup by bytes is
there in a tenth of a second. No piece spans a space, so each word is cut by itself and remembered.
"""

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from services.retrieval.embedders.e5_file import E5File, dequantised
from services.retrieval.embedders.e5_pieces import Pieces

SPACE = "▁"
STRETCH: Final = re.compile(r".{1,4000}(?!\S)|\S{1,4000}", re.DOTALL)
"""What is read of a text at a time: as much as the longest passage. It ends at a space; a word
that is longer is read as several.
"""
LONGEST_TEXT: Final = 512 * 16
"""Characters of a text that the model may see: 512 of the longest pieces."""
LONGEST_REMEMBERED: Final = 80
"""Letters of a word that is remembered, so that those of a hostile text do not fill the memory."""


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
