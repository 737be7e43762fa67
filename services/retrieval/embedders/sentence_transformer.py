"""Models of the package sentence-transformers: how settings name them, and embedding by them."""

import threading
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args
from urllib.parse import parse_qsl

import numpy as np

from services.domain import Value
from services.domain.errors import InvalidInput, NoModel
from services.retrieval.embedders.base import (
    NONE,
    PrefixedEmbedder,
    Vectors,
    calibration_of,
    clean,
    prefixes_of,
)

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

SETTING = "RABBITHOLE_EMBEDDING"

Backend = Literal["torch", "onnx", "openvino"]
PACKAGES: dict[Backend, tuple[str, str]] = {
    "onnx": ("optimum.onnxruntime", "optimum-onnx[onnxruntime]"),
    "openvino": ("optimum.intel", "optimum-intel[openvino]"),
}
"""What a backend needs besides sentence-transformers: a module, and the package that has it."""

Model = TypeVar("Model")


class ModelSpec(Value):
    """A model by name or folder, and how it is run.

    ``file`` names one of several weight files of a model, such as ``onnx/model_qint8_avx2.onnx``.
    """

    name: str
    backend: Backend = "torch"
    file: str | None = None

    @classmethod
    def parse(cls, text: str, setting: str) -> "ModelSpec":
        """``MODEL``, ``MODEL?backend=onnx`` or ``MODEL?backend=onnx&file=FILE``.

        ``setting`` is the environment variable that has the text, for messages.

        Raises:
            InvalidInput: there is no name, or an option or backend is unknown.
        """
        name, _, options = text.strip().partition("?")
        chosen = dict(parse_qsl(options, keep_blank_values=True))
        known = chosen.keys() <= {"backend", "file"}
        if not name or not known or chosen.get("backend", "torch") not in get_args(Backend):
            raise InvalidInput(
                "{setting}={value!r} cannot be used: write MODEL or "
                "MODEL?backend=BACKEND&file=FILE, where BACKEND is one of {backends}.",
                setting=setting,
                value=text,
                backends=", ".join(get_args(Backend)),
            )
        return cls.model_validate({"name": name, **chosen})

    def __str__(self) -> str:
        """The canonical form; of a model on torch its name alone."""
        file = f"&file={self.file}" if self.file else ""
        return f"{self.name}?backend={self.backend}{file}" if self != self.plain else self.name

    @property
    def plain(self) -> "ModelSpec":
        """The same model on torch, with its default weights."""
        return ModelSpec(name=self.name)

    def load(
        self,
        make: Callable[..., Model],
        setting: str,
        has_module: Callable[[str], bool] | None = None,
    ) -> Model:
        """The model, made by a class of sentence-transformers.

        Raises:
            NoModel: a package or the model is missing.
        """
        module, package = PACKAGES.get(self.backend, (None, None))
        if module is not None and not (has_module or is_installed)(module):
            raise NoModel(
                "{setting} asks for the backend {backend}, whose packages are missing: "
                "install them with pip install '{package}' (a release for the installed "
                "transformers), or take the model without ?backend={backend}.",
                setting=setting,
                backend=self.backend,
                package=package,
            )
        options = {"model_kwargs": {"file_name": self.file}} if self.file else {}
        try:
            return make(self.name, backend=self.backend, **options)
        except (OSError, ValueError) as error:
            said = " ".join(str(error).split())[:300]
            raise NoModel(
                "The model {name!r} cannot be loaded: {said} Set {setting} to the name "
                "or folder of a model that sentence-transformers can load.",
                name=self.name,
                said=said,
                setting=setting,
            ) from error


def is_installed(module: str) -> bool:
    """Whether a module could be imported; it is not."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


class SentenceTransformerEmbedder(PrefixedEmbedder):
    """Any sentence-transformers model; e5 models get the prefixes they need.

    Args:
        model: name or folder, with the options of ``ModelSpec.parse``.
    """

    def __init__(self, model: str) -> None:
        self.spec = ModelSpec.parse(model, SETTING)
        self.calibration = calibration_of(self.spec.name)
        self.prefixes = prefixes_of("e5") if "e5" in self.spec.name.lower() else NONE
        self._lock = threading.Lock()

    @cached_property
    def _model(self) -> "SentenceTransformer":
        from sentence_transformers import SentenceTransformer

        return self.spec.load(SentenceTransformer, SETTING)

    @cached_property
    def fingerprint(self) -> str:
        return f"{self.spec}/{self.dimension}/{self.prefixes.name}/v1"

    @cached_property
    def dimension(self) -> int:
        return len(self.embed_query("dimension"))

    @cached_property
    def max_tokens(self) -> int:
        with self._lock:
            return int(self._model.max_seq_length or 512)

    def count_tokens(self, text: str) -> int:
        with self._lock:
            tokenizer: Any = self._model.tokenizer
            prefixed = self.prefixes.passage + clean(text)
            encoded = tokenizer(prefixed, truncation=False, verbose=False)
        return len(encoded["input_ids"])

    def _encode(self, texts: list[str]) -> Vectors:
        with self._lock:
            vectors = self._model.encode(
                texts, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
            )
        return np.asarray(vectors, dtype=np.float32)
