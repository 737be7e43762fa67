"""Embedding passages through the cache, in batches that survive a kill."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np

from services.catalog import Catalog
from services.retrieval.embedders import Embedder, Vectors
from services.settings import WORKING_COPY

SHIPPED: Final = WORKING_COPY / "kb" / "samples" / "vectors.npz"
"""Vectors of the sample documents, so that these are ready in seconds: `make samples`."""

BATCH = 32
"""Passages between two writes to the cache: a few seconds of work on two cores."""


def embed_cached(
    texts: Sequence[str],
    *,
    embedder: Embedder,
    catalog: Catalog,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Vectors:
    """Vectors of passages, shape (n, dimension) float32, in the order of ``texts``.

    What neither the cache nor `SHIPPED` holds is embedded shortest first (batches of even length
    waste no padding) and cached batch by batch. ``on_progress`` is told how many of the n are
    done: first those found, then as often as the embedder tells, at last all.
    """
    hashes = [*map(key_of, texts)]
    by_hash = dict(zip(hashes, texts, strict=True))
    cached = catalog.embeddings.get(embedder.fingerprint, hashes)
    known = shipped(embedder.fingerprint)
    if came := {key: known[key] for key in by_hash.keys() - cached.keys() if key in known}:
        catalog.embeddings.put(embedder.fingerprint, came)
        cached |= came
    missing = sorted(by_hash.keys() - cached.keys(), key=lambda key: (len(by_hash[key]), key))
    done = sum(key in cached for key in hashes)
    on_progress(done)
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]

        def progress(n: int, before: int = done) -> None:
            on_progress(before + n)

        vectors = embedder.embed_passages([by_hash[key] for key in batch], progress)
        fresh = {key: encode(vector) for key, vector in zip(batch, vectors, strict=True)}
        catalog.embeddings.put(embedder.fingerprint, fresh)
        cached |= fresh
        done = sum(key in cached for key in hashes)
    on_progress(done)
    rows = [np.frombuffer(cached[key], dtype="<f4") for key in hashes]
    return np.stack(rows).astype(np.float32, copy=False)


def key_of(text: str) -> str:
    """Under which the cache keeps the vector of a passage."""
    return hashlib.sha256(text.encode()).hexdigest()


def encode(vector: Vectors) -> bytes:
    return vector.astype("<f4", copy=False).tobytes()


@cache
def shipped(fingerprint: str) -> Mapping[str, bytes]:
    """The vectors that come with the samples, by hash of the passage; none of another model."""
    if not SHIPPED.exists():
        return {}
    with np.load(SHIPPED) as kept:
        if str(kept["fingerprint"]) != fingerprint:
            return {}
        pairs = zip(kept["hashes"], kept["vectors"], strict=True)
        return {key.tobytes().hex(): encode(vector) for key, vector in pairs}
