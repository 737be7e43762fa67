"""Embedding models of the package sentence-transformers."""

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from services.domain.errors import NoModel
from services.retrieval.embedders.base import (
    PrefixedEmbedder,
    Vectors,
    clean,
    family_of,
)

SETTING = "RABBITHOLE_EMBEDDING"
Model = TypeVar("Model")


def load_model(make: Callable[[str], Model], name: str, setting: str) -> Model:
    """Return the model; NoModel if it is missing. ``setting`` is the variable that names it."""
    try:
        return make(name)
    except (OSError, ValueError) as error:
        raise NoModel(
            "The model {name!r} cannot be loaded: {said} Set {setting} to the name "
            "or folder of a model that sentence-transformers can load.",
            name=name,
            said=" ".join(str(error).split())[:300],
            setting=setting,
        ) from error


class SentenceTransformerEmbedder(PrefixedEmbedder):
    """Any sentence-transformers model by name or folder, with the prefixes of its family."""

    def __init__(self, model: str) -> None:
        self.name = model
        self.family = family_of(model)
        self._lock = threading.Lock()

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import SentenceTransformer

        return load_model(SentenceTransformer, self.name, SETTING)

    @cached_property
    def fingerprint(self) -> str:
        return f"{self.name}/{self.dimension}/{self.family.prefixes}/v1"

    @cached_property
    def dimension(self) -> int:
        return len(self.embed_query("dimension"))

    @cached_property
    def max_tokens(self) -> int:
        with self._lock:
            return int(self._model.max_seq_length or 512)

    def count_tokens(self, text: str) -> int:
        with self._lock:
            prefixed = self.family.passage + clean(text)
            encoded = self._model.tokenizer(prefixed, truncation=False, verbose=False)
        return len(encoded["input_ids"])

    def _encode(self, texts: list[str]) -> Vectors:
        with self._lock:
            vectors = self._model.encode(
                texts, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
            )
        return np.asarray(vectors, dtype=np.float32)
