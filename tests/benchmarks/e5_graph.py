"""Writes the graph of the query encoder, without weights; needs the package ``onnx``.

    python -m tests.benchmarks.e5_graph

Sizes are those of multilingual-e5-small; extra ``train`` installs the package.
"""

from typing import Any, Final

import onnx
from onnx import TensorProto, helper

from services.retrieval.embedders.bundled import GRAPH

WIDTH: Final = 384
INNER: Final = 4 * WIDTH
HEADS: Final = 12
LAYERS: Final = 12
EPSILON: Final = 1e-12
BLOCK: Final = 32
OWN: Final = "com.microsoft"
"""Domain of the operators that onnxruntime adds to the standard."""


class Graph:
    """BERT with post-normalisation, mean of its tokens, products of 4-bit weights."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        thirds = helper.make_tensor("thirds", TensorProto.INT64, [3], [WIDTH] * 3)
        self._weights = [thirds]

    def model(self) -> Any:
        x = self._norm("words", "places", "emb.ln")
        for number in range(LAYERS):
            x = self._layer(x, f"l{number}.")
        self._node("ReduceMean", [x], "mean", axes=[1], keepdims=0)
        rows = [1, "tokens", WIDTH]
        inputs = [self._value(name, rows) for name in ("words", "places")]
        outputs = [self._value("mean", [1, WIDTH])]
        graph = helper.make_graph(self._nodes, "e5-small", inputs, outputs, self._weights)
        operators = [helper.make_opsetid("", 17), helper.make_opsetid(OWN, 1)]
        return helper.make_model(graph, opset_imports=operators, ir_version=8)

    def _layer(self, x: str, at: str) -> str:
        heads = [at + name for name in ("query", "key", "value")]
        projected = self._linear(x, at + "qkv", WIDTH, 3 * WIDTH)
        self._nodes.append(helper.make_node("Split", [projected, "thirds"], heads, axis=-1))
        seen = self._node("MultiHeadAttention", heads, at + "seen", OWN, num_heads=HEADS)
        x = self._norm(x, self._linear(seen, at + "ao", WIDTH, WIDTH), at + "aln")
        inner = self._node("Gelu", [self._linear(x, at + "fi", WIDTH, INNER)], at + "gelu", OWN)
        return self._norm(x, self._linear(inner, at + "fo", INNER, WIDTH), at + "oln")

    def _linear(self, x: str, name: str, width: int, out: int) -> str:
        blocks = width // BLOCK
        weights = self._weight(f"{name}.w", TensorProto.UINT8, out, blocks, BLOCK // 2)
        scale = self._weight(f"{name}.scale", TensorProto.FLOAT, out * blocks)
        bias = self._weight(f"{name}.b", TensorProto.FLOAT, out)
        inputs = [x, weights, scale, "", "", bias]
        sizes = {"K": width, "N": out, "bits": 4, "block_size": BLOCK, "accuracy_level": 4}
        return self._node("MatMulNBits", inputs, name, OWN, **sizes)

    def _norm(self, x: str, other: str, name: str) -> str:
        norm = [self._weight(f"{name}.{kind}", TensorProto.FLOAT, WIDTH) for kind in "wb"]
        return self._node("SkipLayerNormalization", [x, other, *norm], name, OWN, epsilon=EPSILON)

    def _node(self, kind: str, inputs: list[str], out: str, domain: str = "", **given: Any) -> str:
        node = helper.make_node(kind, inputs, [out], domain=domain, **given)
        self._nodes.append(node)
        return out

    def _weight(self, name: str, kind: int, *shape: int) -> str:
        """One that is handed in when the graph is opened."""
        outside = TensorProto.EXTERNAL
        weight = TensorProto(name=name, data_type=kind, dims=shape, data_location=outside)
        weight.external_data.add(key="location", value="handed-in")
        self._weights.append(weight)
        return name

    def _value(self, name: str, shape: list[Any]) -> Any:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


if __name__ == "__main__":
    GRAPH.write_bytes(onnx.ModelProto.SerializeToString(Graph().model()))
