"""Indexes in PostgreSQL against those in the home: how they rank, how long they take.

    python -m tests.benchmarks.stores ranking --beir DIR --language de [--cache-embeddings FILE]
    python -m tests.benchmarks.stores words --home HOME --size 100000
    python -m tests.benchmarks.stores vectors --home HOME --size 100000

``ranking`` asks a question set in both; without FILE by keywords alone, and no vectors are made.
``words`` fills the indexes with texts composed of a home's sentences at random, and asks the
questions of tests/benchmarks; ``vectors`` with vectors of the home, turned a little at random (a
cosine of about .96), and asks 200 that are turned further. The stores take turns; ratios are of
pairs.
The server is the tests' own, on this machine.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from services.build import build_services
from services.domain import Principal
from services.evaluation.beir import read_corpus, read_questions
from services.evaluation.retrieval import MeasuredEmbedder, ModeResult, Trial, open_cache
from services.evaluation.statistics import difference_interval, mean_interval
from services.language.text import sentences
from services.parts import Parts
from services.retrieval.embedders import BundledEmbedder, Embedder
from services.retrieval.indexes import LexicalDocument
from services.retrieval.stores import open_lexical, open_vectors
from services.settings import Settings
from tests.benchmarks import common
from tests.support import postgres
from tests.support.fakes_retrieval import HashEmbedder

MEASURES = ("ndcg@10", "recall@50")
BATCH = 500
DEPTH = 100
RECALL_AT = 50
CHARACTERS = 850
QUESTIONS = ("questions_strahlenschutz.jsonl", "questions_dev.jsonl")


def settings_of(home: Path, url: str | None) -> Settings:
    where = {"vectors": "postgres", "lexical": "postgres", "database": url} if url else {}
    return Settings(home=home, llm="none", **where)  # type: ignore[arg-type]


def ranked(options: argparse.Namespace, url: str | None) -> dict[str, ModeResult]:
    kept = options.cache_embeddings
    embedder: Embedder = BundledEmbedder() if kept else HashEmbedder()
    measured = MeasuredEmbedder(embedder, open_cache(kept) if kept else None)
    questions = read_questions(options.beir).sample(options.limit)
    measured.prepare(questions.queries.values())
    with tempfile.TemporaryDirectory() as home:
        parts = Parts(settings_of(Path(home), url), embedder=lambda: measured)
        with closing(parts):
            trial = Trial(parts)
            trial.ingest(read_corpus(options.beir), options.language, lambda event: None)
            return dict(
                trial.ask(questions, ["hybrid", "vector", "keyword"] if kept else ["keyword"])
            )


def ranking(options: argparse.Namespace, url: str) -> dict[str, Any]:
    here, there = ranked(options, None), ranked(options, url)
    result: dict[str, Any] = {}
    for mode, name in ((mode, name) for mode in here for name in MEASURES):
        ours, theirs = here[mode].values[name], there[mode].values[name]
        result[f"{mode} {name}"] = {
            "home": round(mean_interval(ours).mean, 4),
            "postgres": round(mean_interval(theirs).mean, 4),
            "difference": vars(difference_interval(theirs, ours)),
        }
    return result


def texts(home: Path, size: int) -> Iterator[LexicalDocument]:
    """Passages of one language each, composed of the sentences of a home."""
    dice, pools = random.Random(1), dict[str, list[str]]()
    services = build_services(Settings(home=home))
    for info in services.catalog.documents.list(
        services.catalog.collections.scope(Principal(), None)
    ):
        whole = services.catalog.documents.parsed(info.document_id).text
        cut = (whole[start:end] for start, end in sentences(whole))
        pools.setdefault(info.language, []).extend(each for each in cut if 30 < len(each) < 400)
    services.close()
    languages = sorted(language for language, pool in pools.items() if len(pool) > 1000)
    for number in range(size):
        language, text = dice.choice(languages), ""
        while len(text) < CHARACTERS:
            text += dice.choice(pools[language]) + " "
        heading, label = dice.choice(pools[language])[:60], f"§ {number % 10 + 1}"
        yield LexicalDocument(
            chunk_id=f"{number:032x}",
            language=language,
            title=f"Document {number // 10}",
            heading=heading,
            text=text,
            label=label,
        )


def filled(add: Callable[[int, int], object], size: int) -> float:
    """Entries a second."""
    started = time.perf_counter()
    for start in range(0, size, BATCH):
        add(start, min(size, start + BATCH))
    return round(size / (time.perf_counter() - started))


def pairs(
    ours: Callable[[Any], object], theirs: Callable[[Any], object], asked: Sequence[Any]
) -> Any:
    """Milliseconds of both for each question, in turns, after a round that opens everything."""
    ms: dict[str, list[float]] = {"home": [], "postgres": []}
    for each in [*asked[:20], *asked]:
        for name, search in (("home", ours), ("postgres", theirs)):
            started = time.perf_counter()
            search(each)
            ms[name].append((time.perf_counter() - started) * 1000)
    here, there = ms["home"][20:], ms["postgres"][20:]
    ratios = [b / a for a, b in zip(here, there, strict=True)]
    times = {name: [round(median(v), 1), round(common.quantile(v, 0.95), 1)] for name, v in
             (("home", here), ("postgres", there))}  # fmt: skip
    return times | {"ratio": round(median(ratios), 2)}


def words(options: argparse.Namespace, url: str) -> dict[str, Any]:
    docs, result = list(texts(options.home, options.size)), dict[str, Any]()
    asked = [
        each["q"] for name in QUESTIONS for each in common.read_lines(Path(__file__).parent / name)
    ]
    with tempfile.TemporaryDirectory() as folder:
        indexes = [open_lexical(settings_of(Path(folder), each)) for each in (None, url)]
        for name, index in zip(("home", "postgres"), indexes, strict=True):
            result[f"a second, {name}"] = filled(
                lambda a, b, index=index: index.upsert("c", docs[a:b]), len(docs)
            )
        searches = ((lambda q, i=i: i.search("c", q, DEPTH)) for i in indexes)
        return result | pairs(*searches, asked)


def vectors(options: argparse.Namespace, url: str) -> dict[str, Any]:
    noise, result = np.random.default_rng(1), dict[str, Any]()
    services = build_services(Settings(home=options.home))
    readable = services.catalog.collections.scope(Principal(), None).collections
    real = np.concatenate([common.stored_vectors(services, each)[1] for each in readable])
    services.close()
    ids = [f"{number:032x}" for number in range(options.size)]
    stored = common.turned(real[noise.integers(len(real), size=len(ids))], noise, 0.3)
    asked = list(common.turned(real[noise.integers(len(real), size=200)], noise, 0.8))
    nearest = [set(np.argsort(-(stored @ each))[:RECALL_AT]) for each in asked[:100]]
    with tempfile.TemporaryDirectory() as folder:
        indexes = [open_vectors(settings_of(Path(folder), each)) for each in (None, url)]
        for name, index in zip(("home", "postgres"), indexes, strict=True):
            result[f"a second, {name}"] = filled(
                lambda a, b, index=index: index.upsert("c", ids[a:b], stored[a:b]), len(ids)
            )
            found = [index.search("c", each, DEPTH)[:RECALL_AT] for each in asked[:100]]
            right = [
                len({int(i, 16) for i, _ in f} & n) for f, n in zip(found, nearest, strict=True)
            ]
            result[f"recall, {name}"] = round(float(np.mean(right)) / RECALL_AT, 4)
        searches = ((lambda q, i=i: i.search("c", q, DEPTH)) for i in indexes)
        return result | pairs(*searches, asked)


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("what", choices=("ranking", "words", "vectors"))
    parser.add_argument("--beir", type=Path)
    parser.add_argument("--language", default="auto")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--cache-embeddings", type=Path)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--size", type=int, default=100_000)
    options = parser.parse_args()
    with postgres.server() as server, postgres.database(server) as url:
        measured = {"ranking": ranking, "words": words, "vectors": vectors}[options.what](
            options, url
        )
    print(json.dumps(measured, indent=1))


if __name__ == "__main__":
    main()
