"""How models of sentence-transformers are named, and what is said where one is missing."""

from typing import Any

import pytest

from services.domain.errors import InvalidInput, NoModel
from services.retrieval.embedders.sentence_transformer import ModelSpec, is_installed


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("a/b", ModelSpec(name="a/b")),
        (" /models/x ", ModelSpec(name="/models/x")),
        ("a/b?backend=onnx", ModelSpec(name="a/b", backend="onnx")),
        ("a?backend=openvino&file=o.xml", ModelSpec(name="a", backend="openvino", file="o.xml")),
        ("a/b?backend=torch", ModelSpec(name="a/b")),
    ],
)
def test_a_name_with_its_options(text: str, spec: ModelSpec) -> None:
    assert ModelSpec.parse(text, "SET") == spec
    assert ModelSpec.parse(str(spec), "SET") == spec


@pytest.mark.parametrize("text", ["", "?backend=onnx", "a?backend=gpu", "a?backend=", "a?quick=1"])
def test_what_cannot_be_read_names_setting_and_choices(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"SET=.*torch, onnx, openvino"):
        ModelSpec.parse(text, "SET")


@pytest.mark.parametrize(
    ("backend", "package"),
    [("onnx", r"optimum-onnx\[onnxruntime\]"), ("openvino", r"optimum-intel\[openvino\]")],
)
def test_a_missing_backend_names_its_package(backend: Any, package: str) -> None:
    spec = ModelSpec(name="a", backend=backend)
    with pytest.raises(NoModel, match=rf"pip install '{package}'"):
        spec.load(dict, "SET", has_module=lambda module: False)


def test_a_model_is_made_with_its_backend_and_file() -> None:
    made: list[tuple[Any, ...]] = []

    def make(name: str, **options: Any) -> str:
        made.append((name, options))
        return "model"

    spec = ModelSpec(name="a", backend="onnx", file="int8.onnx")
    assert spec.load(make, "SET", has_module=lambda module: True) == "model"
    assert ModelSpec(name="b").load(make, "SET", has_module=lambda module: False) == "model"
    assert made == [
        ("a", {"backend": "onnx", "model_kwargs": {"file_name": "int8.onnx"}}),
        ("b", {"backend": "torch"}),
    ]


def test_a_model_that_is_not_there_is_named_with_its_setting() -> None:
    def make(name: str, **options: Any) -> str:
        raise OSError("no file\n here")

    with pytest.raises(NoModel, match=r"'a' cannot be loaded: no file here Set SET"):
        ModelSpec(name="a").load(make, "SET")


def test_modules_are_looked_for_without_importing_them() -> None:
    assert is_installed("services.domain")
    assert not is_installed("no_such_package.module")
