"""How search behaves as a collection grows, in the stores of a home and in PostgreSQL.

    python -m tests.benchmarks.scale --pairs FILE --cache-embeddings CACHE --stores postgres \
        --sizes 10000 100000

Each size is measured once it is reached: milliseconds and processor of searches, recall of the
vector index, memory, disk, and how fast 1,000 more passages are written. PostgreSQL runs for this
alone, with its catalog there too and everything written through to the disk.

*Texts*: FILE has questions with passages (``{"q", "s": sentences, "g": which answer, "lang"}``, a
line each, gzipped or not). Documents have ten chunks, each two or three of the passages of one
language drawn at random; in each document one long word in four is another one. The questions are
those that passages answer. *The first size* is ingested by the product. What comes on top are
copies of it, in the catalog row by row; their vectors in PostgreSQL are indexed at the end.
*Vectors* are not embedded: those of CACHE (of an earlier ``rabbithole eval retrieval
--cache-embeddings CACHE``) drawn at random, turned a little (``--turn 0.3`` leaves a cosine of
about .96). So this says nothing about quality. ``--home HOME`` keeps a home for other measurements.
"""

import argparse
import json
import random
import re
import resource
import sqlite3
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from services.build import Services
from services.domain import (
    IngestReport,
    ParsedDocument,
    Principal,
    Scope,
    SearchFilter,
    SectionSpan,
)
from services.ingestion.indexing import ReadyDocument, TextIngestor
from services.retrieval.embedders import BundledEmbedder, Calibration, Progress, Vectors
from services.retrieval.indexes import LexicalDocument
from tests.benchmarks import common, scale_copies
from tests.benchmarks.stores import settings_of
from tests.support import postgres

COLLECTION = "scale"
CHUNKS_A_DOCUMENT = 10
CHARACTERS = 850
"""Of a chunk's text; two of them do not fit into one chunk."""
RECALL_AT = 50
MORE = 1_000
"""Passages that are written on top, to see how fast; and as many in one call as the product."""
BATCH = 500
SEED = 1
LONG_WORD = re.compile(r"\b[^\W\d_]{8,}\b")
PREFIXES = ("Luft", "Boden", "Grund", "Haupt", "Umwelt", "inter", "multi", "super", "micro")
KINDS = ("hybrid", "vector", "keyword", "three documents", "one section in ten")
SERVER = (
    "-c shared_buffers=4GB -c maintenance_work_mem=4GB -c max_wal_size=8GB "
    "-c dynamic_shared_memory_type=posix"
)


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

    def embed_sentences(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        return self.embed_passages(texts, on_progress)


class Corpus:
    """Real passages by language, and questions that they answer."""

    def __init__(self, pairs: Path) -> None:
        passages: dict[str, dict[str, None]] = {}
        answered: dict[str, list[str]] = {}
        for row in common.read_lines(pairs):
            passages.setdefault(row["lang"], {})[" ".join(row["s"])] = None
            if row["g"]:
                answered.setdefault(row["lang"], []).append(row["q"])
        self._passages = {language: list(texts) for language, texts in passages.items()}
        self._answered = answered

    def questions(self, count: int) -> list[str]:
        """As many of each language, in turns."""
        dice, each = random.Random(SEED), count // len(self._answered)
        drawn = (dice.sample(asked, each) for asked in self._answered.values())
        return [question for several in zip(*drawn, strict=True) for question in several]

    def document(self, number: int) -> ReadyDocument:
        dice = random.Random(number)
        language = dice.choice(sorted(self._passages))
        text, sections = "", []
        for n in range(CHUNKS_A_DOCUMENT):
            start, label = len(text), f"§ {n + 1}"
            text += f"{label} Section {number}\n\n"
            while len(text) < start + CHARACTERS:
                text += varied(dice.choice(self._passages[language]), number) + " "
            text = text[: start + 1000].rstrip() + "\n\n"
            title = f"{label} Section {number}"
            sections.append(
                SectionSpan(
                    label=label,
                    title=title,
                    level=0,
                    start=start,
                    end=len(text),
                    heading_path=(title,),
                )
            )
        parsed = ParsedDocument(
            title=f"Document {number}",
            text=text,
            pages=(),
            sections=tuple(sections),
            language=language,
            parser_version="scale",
        )
        return ReadyDocument(f"document-{number}.txt", parsed)


def varied(text: str, number: int) -> str:
    """Put a prefix before one long word in four, the same ones in all of a document."""

    def other(match: re.Match[str]) -> str:
        chance = zlib.crc32(f"{number} {match[0]}".encode())
        prefix = PREFIXES[chance // 4 % len(PREFIXES)] if chance % 4 == 0 else ""
        return prefix + match[0].lower() if prefix else match[0]

    return LONG_WORD.sub(other, text)


def stored_vectors(cache: Path) -> Vectors:
    """All passage vectors that an evaluation has kept, shape (n, 384)."""
    with closing(sqlite3.connect(cache)) as connection:
        rows = [vector for (vector,) in connection.execute("SELECT vector FROM embeddings")]
    return np.stack([np.frombuffer(row, dtype="<f4") for row in rows])


def quantiles(ms: Sequence[float]) -> dict[str, float]:
    return {"p50": round(statistics.median(ms), 1), "p95": round(common.quantile(ms, 0.95), 1)}


class Measured:
    """What a size costs."""

    def __init__(self, services: Services, collection: str, queries: Sequence[str]) -> None:
        self._services, self._collection, self._queries = services, collection, queries
        self.kinds: Sequence[str] = KINDS
        self._server = scale_copies.Server(services.settings)

    def __call__(self, corpus: Corpus) -> Iterator[dict[str, Any]]:
        """First what searches cost, then what takes longer to find out."""
        yield {
            "passages": self._services.lexical.count(self._collection),
            "search": self._searches(),
            "peak MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
            "server MB": self._server.megabytes(),
            "bytes a passage": self._disk(),
            "load": common.load(),
        }
        yield {"written": self._written(corpus), "load": common.load()}
        if "vector" in self.kinds:
            yield {f"recall@{RECALL_AT}": self._recall()}

    def _searches(self) -> dict[str, Any]:
        """Searches for 10 hits, kinds taking turns: time, and processor here and of the server."""
        services = self._services
        scope = services.catalog.collections.scope(Principal(), [COLLECTION])
        search = partial(services.retriever.search, scope=scope)
        some = SearchFilter(documents=tuple(self._names(scope)))
        of_all = {
            "hybrid": search,
            "vector": partial(search, mode="vector"),
            "keyword": partial(search, mode="keyword"),
            "three documents": partial(search, only=some),
            "one section in ten": partial(search, only=SearchFilter(sections=("§ 3",))),
        }
        calls: dict[str, Callable[[str], object]] = {name: of_all[name] for name in self.kinds}
        for call in calls.values():
            for text in self._queries[:10]:
                call(text)
        took: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
        for text in self._queries:
            for name, call in calls.items():
                took[name].append(self._took(partial(call, text)))
        return {
            name: quantiles([ms for ms, _ in each])
            | {"cpu": round(statistics.mean(cpu for _, cpu in each), 1)}
            for name, each in took.items()
        }

    def _names(self, scope: Scope) -> list[str]:
        found = self._services.catalog.corpus.documents(scope, SearchFilter())
        return sorted(each.document for each in found)[:3]

    def _took(self, call: Callable[[], object]) -> tuple[float, float]:
        """Milliseconds, and those of processor: its own and the server's."""
        cpu = self._server.seconds() + time.process_time()
        started = time.perf_counter()
        call()
        ended = time.perf_counter()
        cpu = time.process_time() + self._server.seconds() - cpu
        return 1000 * (ended - started), 1000 * cpu

    def _recall(self) -> float:
        """Share of the exact nearest that the index finds, among a hundred."""
        index, queries = self._services.vectors, np.stack(self._asked())
        ids, best = index.ids(self._collection), np.full((RECALL_AT, len(queries)), -1.0)
        for start in range(0, len(ids), common.AT_ONCE):
            stored = index.vectors(self._collection, ids[start : start + common.AT_ONCE])
            cosines = np.stack(list(stored.values())) @ queries.T
            best = np.sort(np.concatenate([best, cosines]), axis=0)[-RECALL_AT:]
        shares = [
            np.mean([score >= last - 1e-5 for _, score in self._nearest(query)])
            for query, last in zip(queries, best[0], strict=True)
        ]
        return round(float(np.mean(shares)), 4)

    def _asked(self) -> list[Vectors]:
        return [self._services.embedder.embed_query(each) for each in self._queries]

    def _nearest(self, query: Vectors) -> list[tuple[str, float]]:
        return self._services.vectors.search(self._collection, query, 100)[:RECALL_AT]

    def _written(self, corpus: Corpus) -> dict[str, Any]:
        """Passages a second into each index, and processor of one; they are taken out again."""
        docs = [
            LexicalDocument(
                chunk_id=f"more{number:028x}",
                language=parsed.language,
                title=parsed.title,
                heading=section.title,
                text=parsed.text[section.start : section.end],
                label=section.label,
            )
            for number, (parsed, section) in enumerate(more(corpus))
        ]
        ids = [each.chunk_id for each in docs]
        vectors = self._services.embedder.embed_passages(ids)
        indexes = (self._services.vectors, self._services.lexical)
        writes: dict[str, Callable[[slice], object]] = {
            "vectors": lambda some: indexes[0].upsert(self._collection, ids[some], vectors[some]),
            "keywords": lambda some: indexes[1].upsert(self._collection, docs[some]),
        }
        result = {}
        for name, write in writes.items():
            took = [
                self._took(partial(write, slice(n, n + BATCH))) for n in range(0, len(ids), BATCH)
            ]
            ms, cpu = (sum(each) / len(ids) for each in zip(*took, strict=True))
            result[name] = {"a second": round(1000 / ms), "cpu": round(cpu, 2)}
        for index in indexes:
            index.delete(self._collection, ids)
        return result

    def _disk(self) -> dict[str, int]:
        count = self._services.lexical.count(self._collection)
        return {name: round(size / count) for name, size in self._server.disk().items()}


def more(corpus: Corpus) -> Iterator[tuple[ParsedDocument, SectionSpan]]:
    for number in range(MORE // CHUNKS_A_DOCUMENT):
        parsed = corpus.document(10_000_000 + number).parsed
        yield from ((parsed, section) for section in parsed.sections)


def opened(options: argparse.Namespace, home: Path, url: str | None) -> tuple[Services, Corpus]:
    """Services whose embedder stands in, on empty stores."""
    corpus = Corpus(options.pairs)
    embedder = StoredVectors(stored_vectors(options.cache_embeddings), options.turn)
    embedder.prepare(corpus.questions(options.queries))
    return Services(settings_of(home, url), embedder=lambda: embedder), corpus


def ingested(services: Services, corpus: Corpus, passages: int) -> tuple[str, IngestReport]:
    """The collection, with so many passages, and what their ingestion took."""
    parts = (services.catalog, services.embedder, services.vectors, services.lexical)
    collection = services.catalog.collections.ensure(Principal(), COLLECTION).collection_id
    source = (corpus.document(n) for n in range(passages // CHUNKS_A_DOCUMENT))
    report = TextIngestor(*parts).ingest(source, collection_id=collection)
    return collection, report


def run(options: argparse.Namespace, home: Path, url: str | None) -> Iterator[dict[str, Any]]:
    services, corpus = opened(options, home, url)
    first, *rest = options.sizes
    collection, report = ingested(services, corpus, first)
    took = {"parse": report.parse_s, "catalog and indexes": report.index_s}
    yield {f"{name}, ms a passage": round(1000 * s / report.chunks, 2) for name, s in took.items()}
    measured = Measured(services, collection, corpus.questions(options.queries))
    yield from measured(corpus)
    done = 1
    for size in rest:
        copies = range(done, round(size / report.chunks))
        if size > options.vectors_up_to:
            measured.kinds = ("keyword",)
        turn = options.turn if size <= options.vectors_up_to else None
        yield {"copied in s": scale_copies.grow(services, collection, copies, turn)}
        yield from measured(corpus)
        done = copies.stop
    services.close()


@contextmanager
def stores(options: argparse.Namespace) -> Iterator[tuple[Path, str | None]]:
    """An empty home, and where wanted the address of an empty database."""
    with tempfile.TemporaryDirectory() as home:
        if options.stores == "home":
            yield options.home or Path(home), None
            return
        with postgres.server(SERVER) as server, postgres.database(server) as url:
            yield Path(home), url


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--cache-embeddings", type=Path, required=True)
    parser.add_argument("--stores", choices=("home", "postgres"), default="home")
    parser.add_argument("--home", type=Path, help="a new home, which is kept")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--turn", type=float, default=0.3)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    parser.add_argument("--vectors-up-to", type=int, default=10**9, help="then keywords alone")
    options = parser.parse_args()
    with stores(options) as (home, url):
        for result in run(options, home, url):
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
