"""Ships the samples indexed: as a program it embeds them, which takes minutes.

``python -m tests.support.sample_vectors [HOME]``: a home that has taken in the samples already;
else they are taken in anew.
"""

import hashlib
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from services.build import Services
from services.domain import Principal
from services.domain.collections import CollectionInfo
from services.ingestion.indexing import passage
from services.retrieval.embedding import SHIPPED
from services.settings import Settings

VECTORS = SHIPPED / "vectors.npz"
SAMPLES = ("strahlenschutz", "typing-peps", "contracts")


def main() -> None:
    """Writes the file of vectors that stands beside the samples."""
    if len(sys.argv) > 1:
        write(Services(Settings(home=Path(sys.argv[1]))))
        return
    VECTORS.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as home:
        write(taken_in(Services(Settings(home=Path(home))), *SAMPLES))


def taken_in(services: Services, *names: str) -> Services:
    for name in names:
        path, me = services.settings.samples / name, Principal(role="admin")
        services.library.ingest(me, [path], name.partition("/")[0])
    return services


def write(services: Services) -> None:
    collections = services.catalog.collections.list(Principal())
    keys = [key for info in collections if info.name in SAMPLES for key in _keys(services, info)]
    model = services.embedder.fingerprint
    vectors = services.catalog.embeddings.get(model, keys)
    assert set(keys) == set(vectors), "a passage has no vector"
    ship(VECTORS, model, vectors.items())
    print(f"{len(vectors)} vectors, {VECTORS.stat().st_size / 1e6:.1f} MB")


def ship(file: Path, fingerprint: str, vectors: Iterable[tuple[str, bytes]]) -> None:
    """Half precision moves a cosine by less than a ten-thousandth."""
    hashes, rows = zip(*sorted(vectors), strict=True)
    np.savez_compressed(
        file,
        fingerprint=fingerprint,
        hashes=np.stack([np.frombuffer(bytes.fromhex(key), dtype=np.uint8) for key in hashes]),
        vectors=np.stack([np.frombuffer(row, dtype="<f4") for row in rows]).astype(np.float16),
    )


def _keys(services: Services, info: CollectionInfo) -> list[str]:
    members = services.catalog.documents.ingested_members(info.collection_id)
    chunks = services.catalog.chunks
    return [
        hashlib.sha256(passage(chunk).encode()).hexdigest()
        for member in members
        for chunk in chunks.of_member(info.collection_id, member.document_id)
    ]


if __name__ == "__main__":
    main()
