"""How search behaves as a collection grows: latency, recall of the vector index, memory, disk.

    python -m tests.benchmarks.scale --beir DIR --cache-embeddings FILE --size 10000 [--json]

DIR and FILE are those of an earlier ``rabbithole eval retrieval --beir DIR --cache-embeddings
FILE``. Documents of ten chunks are composed of the corpus' sentences at random. A chunk's vector
is a stored one of the corpus, turned a little at random: ``--turn 0.3`` leaves a cosine of about
.96 to the original. Everything else is the product: catalog, indexes, retriever. Queries are
the question set's own, embedded beforehand. Run one size a process: memory is the peak.

With ``--real DIR...`` instead of ``--size`` the corpora of these folders are taken as they are,
each chunk with its own vector: from FILE, or embedded now and kept there.
"""

import asyncio
import json
import random
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from services.build import Services, build_services
from services.domain import (
    ParsedDocument,
    Principal,
    Scope,
    SearchFilter,
    SearchRequest,
    SectionSpan,
)
from services.evaluation.beir import read_corpus, read_questions
from services.evaluation.retrieval import MeasuredEmbedder, as_document, open_cache
from services.ingestion.pipeline import Ingestor, ReadyDocument
from services.language.text import sentences
from services.library.search import Search
from services.retrieval.embedders import BundledEmbedder, Calibration, Embedder, Progress, Vectors
from services.settings import Settings
from tests.benchmarks import common

COLLECTION = "scale"
CHUNKS_A_DOCUMENT = 10
CHARACTERS = 850
"""Of a chunk's text; two of them do not fit into one chunk."""
RECALL_AT = 50
SEED = 1


class StoredVectors:
    """Stands for the bundled embedder: its queries, and passages near stored vectors of it."""

    def __init__(self, stored: Vectors, turn: float) -> None:
        self._stored, self._turn = stored, turn
        self._random = np.random.default_rng(SEED)
        self._real = BundledEmbedder()
        self._queries: dict[str, Vectors] = {}
        self.fingerprint, self.dimension = self._real.fingerprint, self._real.dimension
        self.max_tokens = self._real.max_tokens

    @property
    def calibration(self) -> Calibration:
        return self._real.calibration

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def prepare(self, queries: Sequence[str]) -> None:
        self._queries = {query: self._real.embed_query(query) for query in queries}

    def embed_query(self, text: str) -> Vectors:
        return self._queries[text]

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        chosen = self._stored[self._random.integers(len(self._stored), size=len(texts))]
        return common.turned(chosen, self._random, self._turn)


def compose(pool: Sequence[str], number: int) -> ParsedDocument:
    """A document of ``CHUNKS_A_DOCUMENT`` sections, each about as long as a chunk."""
    dice = random.Random(number)
    text, sections = "", []
    for n in range(CHUNKS_A_DOCUMENT):
        start = len(text)
        text += f"§ {n + 1} Section {number}\n\n"
        while len(text) < start + CHARACTERS:
            text += dice.choice(pool) + " "
        text = text.rstrip() + "\n\n"
        label = f"§ {n + 1}"
        path = (f"{label} Section {number}",)
        sections.append(
            SectionSpan(
                label=label, title=path[0], level=0, start=start, end=len(text), heading_path=path
            )
        )
    return ParsedDocument(
        title=f"Document {number}",
        text=text,
        pages=(),
        sections=tuple(sections),
        language="en",
        parser_version="scale",
    )


def documents(corpus: Path, count: int) -> Iterator[ReadyDocument]:
    pool = [
        record.text[start:end]
        for record in read_corpus(corpus)
        for start, end in sentences(record.text)
    ]
    for number in range(count):
        yield ReadyDocument(f"document-{number}.txt", compose(pool, number))


def stored_vectors(cache: Path) -> Vectors:
    """All passage vectors that an evaluation has kept, shape (n, 384)."""
    with closing(sqlite3.connect(cache)) as connection:
        rows = [vector for (vector,) in connection.execute("SELECT vector FROM embeddings")]
    return np.stack([np.frombuffer(row, dtype="<f4") for row in rows])


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def quantiles(ms: Sequence[float]) -> dict[str, float]:
    return {
        "n": len(ms),
        "p50": round(statistics.median(ms), 2),
        "p95": round(common.quantile(ms, 0.95), 2),
        "max": round(max(ms), 2),
    }


def recall(services: Services, collection_id: str, queries: Sequence[Vectors]) -> float:
    """Share of the exact nearest ``RECALL_AT`` chunks that the index finds."""
    ids, matrix = common.stored_vectors(services, collection_id)
    position, shares = {name: n for n, name in enumerate(ids)}, []
    for query in queries:
        cosines = matrix @ query
        nearest = services.vectors.search(collection_id, query, 100)
        found = [name for name, _ in nearest][:RECALL_AT]
        last = np.sort(cosines)[-RECALL_AT]
        shares.append(np.mean([cosines[position[name]] >= last - 1e-6 for name in found]))
    return float(np.mean(shares))


def search_times(services: Services, scope: Scope, queries: Sequence[str]) -> dict[str, Any]:
    """Milliseconds of a search for 10 hits, modes and filters taking turns."""
    search = services.retriever.search
    names = [each.document for each in services.catalog.documents.list(scope)][:3]
    some = SearchFilter(documents=tuple(names))
    calls: dict[str, Callable[[str], object]] = {
        "hybrid": lambda text: search(text, scope=scope),
        "vector": lambda text: search(text, scope=scope, mode="vector"),
        "keyword": lambda text: search(text, scope=scope, mode="keyword"),
        "three documents": lambda text: search(text, scope=scope, only=some),
        "one section in ten": lambda text: search(
            text, scope=scope, only=SearchFilter(sections=("§ 3",))
        ),
    }
    for call in calls.values():
        for text in queries[:5]:
            call(text)
    ms: dict[str, list[float]] = {name: [] for name in calls}
    for text in queries:
        for name, call in calls.items():
            ms[name].append(timed(lambda call=call, text=text: call(text)))  # type: ignore[misc]
    return {name: quantiles(values) for name, values in ms.items()}


async def cache_times(services: Services, query: str) -> dict[str, float]:
    """Milliseconds of a repeated search as the product does it, access and settings included."""
    request = SearchRequest(query=query, collections=(COLLECTION,))
    await Search(services, Principal(), request).find()
    ms = []
    for _ in range(300):
        started = time.perf_counter()
        found = await Search(services, Principal(), request).find()
        ms.append((time.perf_counter() - started) * 1000)
        assert found.from_cache
    return quantiles(ms)


def whole(corpora: Sequence[Path]) -> Iterator[ReadyDocument]:
    """Every record of the corpora, as ``eval retrieval`` reads it, each text once."""
    seen: set[str] = set()
    for corpus in corpora:
        for record in read_corpus(corpus):
            document = as_document(record, "auto")
            if document.parsed.text.strip() and document.document_id not in seen:
                seen.add(document.document_id)
                yield document


def fill(home: Path, embedder: Embedder, source: Iterable[ReadyDocument]) -> dict[str, Any]:
    """Ingest; what each stage took, by chunk, and the peak of memory."""
    services = build_services(Settings(home=home), embedder)
    parts = (services.catalog, services.embedder, services.vectors, services.lexical)
    target = services.catalog.collections.ensure(Principal(), COLLECTION)
    ingestor = Ingestor(*parts, services.settings)
    report = ingestor.ingest_texts(source, collection_id=target.collection_id)
    services.close()
    return {
        "chunks": report.chunks,
        "parse_ms_a_chunk": round(1000 * report.parse_s / report.chunks, 2),
        "index_ms_a_chunk": round(1000 * report.index_s / report.chunks, 2),
        "peak_mb": round(peak_mb()),
    }


def measure(
    home: Path, embedder: StoredVectors | MeasuredEmbedder, queries: Sequence[str]
) -> dict[str, Any]:
    """Open a filled home and search it."""
    embedder.prepare(queries)
    services = build_services(Settings(home=home), embedder)
    scope = services.catalog.collections.scope(Principal(), [COLLECTION])
    (collection_id,) = scope.collections
    opening = timed(lambda: services.retriever.search(queries[0], scope=scope))
    result = {
        "open_ms": round(opening),
        "search": search_times(services, scope, queries),
        "cache_hit": asyncio.run(cache_times(services, queries[0])),
        "recall@50": round(
            recall(services, collection_id, [embedder.embed_query(text) for text in queries]), 4
        ),
        "disk_mb": {each.name: round(megabytes(each)) for each in home.iterdir() if each.is_dir()}
        | {"catalog": round(sum(f.stat().st_size for f in home.glob("*.sqlite3*")) / 1e6)},
        "peak_mb": round(peak_mb()),
    }
    services.close()
    return result


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--beir", type=Path, required=True)
    parser.add_argument("--cache-embeddings", type=Path, required=True)
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--size", type=int, help="chunks")
    size.add_argument("--real", type=Path, nargs="+", help="folders of corpora")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--turn", type=float, default=0.3)
    parser.add_argument("--home", type=Path, help="filled before, or to be filled and kept")
    options = parser.parse_args()
    questions = list(read_questions(options.beir).sample(options.queries).queries.values())
    embedder: StoredVectors | MeasuredEmbedder
    if options.real:
        embedder = MeasuredEmbedder(BundledEmbedder(), open_cache(options.cache_embeddings))
        source = whole(options.real)
    else:
        embedder = StoredVectors(stored_vectors(options.cache_embeddings), options.turn)
        source = documents(options.beir, options.size // CHUNKS_A_DOCUMENT)
    with tempfile.TemporaryDirectory() as temporary:
        home = options.home or Path(temporary)
        result: dict[str, Any] = {}
        if not (home / "vectors").exists():
            result["fill"] = fill(home, embedder, source)
        print(json.dumps(result | measure(home, embedder, questions), indent=1))


if __name__ == "__main__":
    main()
