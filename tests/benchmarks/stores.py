"""Indexes in PostgreSQL against those in the home: how they rank.

    python -m tests.benchmarks.stores --beir DIR --language de [--cache-embeddings FILE]

A question set is asked in both; without FILE by keywords alone, and no vectors are made. The server
is the tests' own, on this machine. How long they take is measured by ``scale``.
"""

import argparse
import json
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from services.components import Components
from services.evaluation.datasets import read_corpus, read_questions
from services.evaluation.retrieval import MeasuredEmbedder, ModeResult, TrialCollection, open_cache
from services.evaluation.statistics import mean_interval
from services.retrieval.embedders import BundledEmbedder, Embedder
from services.settings import Settings
from tests.benchmarks import common
from tests.support import postgres
from tests.support.fakes_retrieval import HashEmbedder

MEASURES = ("ndcg@10", "recall@50")


def settings_of(home: Path, url: str | None) -> Settings:
    where = {"vectors": "postgres", "lexical": "postgres", "database": url} if url else {}
    return Settings(home=home, llm="none", **where)  # type: ignore[arg-type]


def ranked(options: argparse.Namespace, url: str | None) -> dict[str, ModeResult]:
    kept = options.cache_embeddings
    embedder: Embedder = BundledEmbedder() if kept else HashEmbedder()
    measured = MeasuredEmbedder(embedder)
    questions = read_questions(options.beir).sample(options.limit)
    measured.prepare(questions.queries.values())
    with tempfile.TemporaryDirectory() as home:
        parts = Components(settings_of(Path(home), url), embedder=lambda: measured)
        with closing(parts):
            if kept:
                parts.catalog.embeddings = open_cache(kept).embeddings
            trial = TrialCollection(parts)
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
            "difference": vars(mean_interval(theirs - ours)),
        }
    return result


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--beir", type=Path, required=True)
    parser.add_argument("--language", default="auto")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--cache-embeddings", type=Path)
    options = parser.parse_args()
    with postgres.server() as server, postgres.database(server) as url:
        print(json.dumps(ranking(options, url), indent=1))


if __name__ == "__main__":
    main()
