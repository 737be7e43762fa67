"""Record the research that `rabbithole demo --recorded` shows, with the model that is set.

    RABBITHOLE_LLM=openai:MODEL python -m tests.benchmarks.reading.record [--language de]

The sample is researched in a home of its own, with a window and a speed that are written down, and
without the relations and summaries that a model reads at ingestion, so that a replay gathers the
same sections. Its vectors are kept, for other processors compute others. The model is named as
``--name`` says.
"""

import datetime
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast
from unittest.mock import patch

import numpy as np

from app.cli.common import make_settings, open_engine
from app.cli.ingest import research_sample, take_in_sample
from app.samples import SAMPLES
from services.home import open_catalog
from services.models.recording import RECORDING, Recording
from services.retrieval.embedders import BundledEmbedder, Vectors
from services.retrieval.embedding import SHIPPED, encode, key_of, query_key, shipped_vectors
from tests.benchmarks import common
from tests.support.sample_vectors import ship

SPEED: Final = 1_000.0
"""Tokens a second that a replay takes the model to read; a slow one would be shown less."""
PATIENCE_S: Final = 3_000.0


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--language", choices=sorted(SAMPLES), action="append")
    parser.add_argument("--name", help="how the model is called; as it calls itself if not given")
    options = parser.parse_args()
    for language in options.language or sorted(SAMPLES):
        vectors_file = SHIPPED / f"{SAMPLES[language].folder}.npz"
        with tempfile.TemporaryDirectory() as folder, kept_vectors() as vectors:
            vectors_file.unlink(missing_ok=True)
            shipped_vectors.cache_clear()
            changes = {
                "home": Path(folder),
                "reads": "yes",
                "summaries": False,
                "deterministic": True,
                "model_deadline_s": PATIENCE_S,
                "model_first_word_s": PATIENCE_S,
            }
            settings = make_settings().model_copy(update=changes)
            without_model = settings.model_copy(update={"llm": "none"})
            with open_engine("local", without_model) as engine:
                take_in_sample(engine, settings, SAMPLES[language])
            with open_engine("local", settings) as engine:
                report = cast(
                    dict[str, Any], research_sample(engine, settings, SAMPLES[language]).value
                )
            with open_catalog(settings) as catalog:
                replies = catalog.replies.of_thread(report["thread_id"])
        recording = Recording(
            model=options.name or report["usage"]["model"],
            day=datetime.date.today().isoformat(),
            question=SAMPLES[language].question,
            documents=tuple(str(each) for each in SAMPLES[language].documents),
            replies=tuple(
                each.model_copy(update={"speed": SPEED, "model": options.name or each.model})
                for each in replies
            ),
        )
        file = settings.samples / SAMPLES[language].folder / RECORDING
        file.write_text(recording.model_dump_json(indent=0) + "\n")
        ship(vectors_file, BundledEmbedder.fingerprint, vectors.items())


@contextmanager
def kept_vectors() -> Iterator[dict[str, bytes]]:
    """Yield what questions and sentences are embedded to, in the precision that is shipped."""
    vectors: dict[str, bytes] = {}
    of_query, of_sentences = BundledEmbedder.embed_query, BundledEmbedder.embed_sentences

    def embed_query(embedder: BundledEmbedder, text: str) -> Vectors:
        vector: Vectors = of_query(embedder, text).astype(np.float16).astype(np.float32)
        vectors[query_key(text)] = encode(vector)
        return vector

    def embed_sentences(embedder: BundledEmbedder, texts: list[str], *more: Any) -> Vectors:
        rows: Vectors = of_sentences(embedder, texts, *more).astype(np.float16).astype(np.float32)
        vectors.update(zip(map(key_of, texts), map(encode, rows), strict=True))
        return rows

    with (
        patch.object(BundledEmbedder, "embed_query", embed_query),
        patch.object(BundledEmbedder, "embed_sentences", embed_sentences),
    ):
        yield vectors


if __name__ == "__main__":
    main()
