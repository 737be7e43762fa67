"""Models of the package sentence-transformers: how settings name them, and loading them."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Literal, TypeVar, get_args
from urllib.parse import parse_qsl

from services.domain import Value
from services.domain.errors import InvalidInput, NoModel

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
                "{setting} asks for the backend {backend}, whose packages are missing: install "
                "them with pip install '{package}' (a release for the installed transformers), "
                "or take the model without ?backend={backend}.",
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
                "The model {name!r} cannot be loaded: {said} Set {setting} to the name or folder "
                "of a model that sentence-transformers can load.",
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
