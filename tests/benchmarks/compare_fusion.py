"""Fusion methods on BEIR-format question sets: nDCG@10 of each, beside its parts.

    python -m tests.benchmarks.compare_fusion DIR... --language de [--queries 300] [--cache FOLDER]

DIR holds corpus.jsonl, queries.jsonl and qrels/test.tsv. Queries are a fixed random sample.
Passages are embedded once and kept as .npy in the cache folder, when one is given.
"""

import argparse
import json
import math
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from services.retrieval.embedders import BundledEmbedder, Embedder, Vectors
from services.retrieval.embedders.base import E5_CALIBRATION
from services.retrieval.lexical import LexicalDocument, LexicalIndex
from services.retrieval.scoring import evidence_sum, min_max, ordered, reciprocal_rank

DEPTH = 100
SEED = 1
Ranking = Sequence[tuple[str, float]]


def min_max_sum(found: Mapping[str, Ranking], weight: float) -> Ranking:
    """Scores stretched to 0-1 within each ranking, vectors ``weight`` times (Bruch, TOIS 2023)."""
    fused: dict[str, float] = {}
    for strategy, share in (("vector", weight), ("keyword", 1.0)):
        stretched = min_max([score for _, score in found[strategy]])
        for (identifier, _), score in zip(found[strategy], stretched, strict=True):
            fused[identifier] = fused.get(identifier, 0.0) + share * score
    return ordered(fused)


METHODS: Mapping[str, Callable[[Mapping[str, Ranking]], Ranking]] = {
    "vector": lambda found: found["vector"],
    "keyword": lambda found: found["keyword"],
    "rrf 1:1": lambda found: reciprocal_rank(found, {}),
    "rrf 2:1": lambda found: reciprocal_rank(found, {"vector": 2}),
    "min-max 1:1": lambda found: min_max_sum(found, 1),
    "min-max 2:1": lambda found: min_max_sum(found, 2),
    "evidence": lambda found: evidence_sum(
        found["vector"], found["keyword"], E5_CALIBRATION, depth=DEPTH
    ),
}


@dataclass(frozen=True)
class QuestionSet:
    documents: Mapping[str, str]
    queries: Mapping[str, str]
    relevant: Mapping[str, frozenset[str]]


def load(folder: Path) -> QuestionSet:
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            relevant.setdefault(query, set()).add(document)
    return QuestionSet(
        documents=read_texts(folder / "corpus.jsonl"),
        queries=read_texts(folder / "queries.jsonl"),
        relevant={query: frozenset(documents) for query, documents in relevant.items()},
    )


def read_texts(path: Path) -> dict[str, str]:
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {row["_id"]: f"{row.get('title', '')} {row['text']}".strip() for row in rows}


def embedded(embedder: Embedder, texts: Sequence[str], cache: Path | None) -> Vectors:
    if cache is not None and cache.exists():
        vectors: Vectors = np.load(cache)
        return vectors
    vectors = embedder.embed_passages(texts)
    if cache is not None:
        np.save(cache, vectors)
    return vectors


def ndcg_at_10(ranking: Ranking, relevant: frozenset[str]) -> float:
    """Binary nDCG (Järvelin and Kekäläinen, TOIS 2002)."""
    gain = sum(1 / math.log2(n + 2) for n, (i, _) in enumerate(ranking[:10]) if i in relevant)
    return gain / sum(1 / math.log2(n + 2) for n in range(min(10, len(relevant))))


def compare(folder: Path, language: str, limit: int, cache: Path | None) -> dict[str, float]:
    data, embedder = load(folder), BundledEmbedder()
    ids = list(data.documents)
    saved = cache / f"{folder.parent.name}-{folder.name}.npy" if cache else None
    vectors = embedded(embedder, list(data.documents.values()), saved)
    queries = [query for query in data.queries if query in data.relevant]
    sample = random.Random(SEED).sample(queries, min(limit, len(queries)))
    totals = dict.fromkeys(METHODS, 0.0)
    with tempfile.TemporaryDirectory() as temporary:
        lexical = LexicalIndex(Path(temporary))
        lexical.upsert("bench", [document(i, text, language) for i, text in data.documents.items()])
        for query in sample:
            text = data.queries[query]
            cosines = vectors @ embedder.embed_query(text)
            nearest = np.argsort(-cosines)[:DEPTH]
            found = {
                "vector": [(ids[i], float(cosines[i])) for i in nearest],
                "keyword": lexical.search("bench", text, DEPTH),
            }
            for name, method in METHODS.items():
                totals[name] += ndcg_at_10(method(found), data.relevant[query])
    return {name: total / len(sample) for name, total in totals.items()}


def document(identifier: str, text: str, language: str) -> LexicalDocument:
    return LexicalDocument(chunk_id=identifier, language=language, title="", heading="", text=text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--language", required=True)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    for folder in options.folders:
        figures = compare(folder, options.language, options.queries, options.cache)
        print(folder, " ".join(f"{name} {value:.3f}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
