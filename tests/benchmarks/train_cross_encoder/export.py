"""A trained network as one ONNX file of 8-bit weights, without the word vectors.

    python -m tests.benchmarks.train_cross_encoder.export RUN/cooled.pt OUT.onnx

Needs the packages ``onnx`` and ``onnxscript`` (extra ``train``).
"""

import argparse
import tempfile
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

from tests.benchmarks.train_cross_encoder.network import Network

NAMES = ["words", "mask", "pooling"], ["passages", "sentences"]


def export(weights: Path, out: Path) -> None:
    network = Network().eval()
    network.load_state_dict(torch.load(weights, weights_only=True)["network"])
    n, length, most = 3, 20, 4
    example = (
        torch.randn(n, length, 384),
        torch.zeros(n, 1, 1, length),
        torch.rand(n, most, length),
    )
    axes = {
        "words": {0: "n", 1: "length"},
        "mask": {0: "n", 3: "length"},
        "pooling": {0: "n", 1: "rows", 2: "length"},
    }
    with tempfile.TemporaryDirectory() as folder:
        plain, ready = Path(folder) / "plain.onnx", Path(folder) / "ready.onnx"
        torch.onnx.export(
            network,
            example,
            str(plain),
            input_names=NAMES[0],
            output_names=NAMES[1],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        quant_pre_process(str(plain), str(ready), skip_symbolic_shape=True)
        quantize_dynamic(
            str(ready),
            str(out),
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=["MatMul", "Gemm"],
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    export(options.weights, options.out)


if __name__ == "__main__":
    main()
