"""How well the shipped cross-encoder judges what it was never trained on.

    python -m tests.benchmarks.train_cross_encoder.evaluate BENCH [--cache DIR]

XQuAD (de, en): is the best sentence of the gold paragraph one that answers (1,190 questions each);
order of the ten nearest paragraphs. CLAPNQ: are answerable questions told from the others by the
best of the ten nearest passages. Every share comes with its 95 % bootstrap interval.
"""

import argparse
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from services.cross_encoder.model import WEIGHTS, TrainedCrossEncoder
from services.language.text import sentences as spans
from services.retrieval.embedders import BundledEmbedder
from services.retrieval.embedders.e5_tokens import weights_path
from tests.benchmarks.common import read_lines
from tests.benchmarks.train_cross_encoder.curve import auc
from tests.benchmarks.train_cross_encoder.written import CONTRASTS, held_back, shown

NEAREST = 10
DRAWS = 2_000


class Vectors:
    """Embeddings that are computed once."""

    def __init__(self, cache: Path | None) -> None:
        self._cache, self._embedder = cache, BundledEmbedder()

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return self._kept("p", texts, lambda: self._embedder.embed_passages(texts))

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return self._kept(
            "q", texts, lambda: np.stack([self._embedder.embed_query(t) for t in texts])
        )

    def _kept(self, kind: str, texts: Sequence[str], make: Callable[[], Any]) -> np.ndarray:
        if self._cache is None:
            return np.asarray(make())
        name = hashlib.sha256("\0".join([kind, *texts]).encode()).hexdigest()[:16]
        path = self._cache / f"{name}.npy"
        if not path.exists():
            self._cache.mkdir(parents=True, exist_ok=True)
            np.save(path, make())
        return np.load(path)


def interval(values: Sequence[float]) -> dict[str, float]:
    """Mean and its 95 % percentile-bootstrap interval."""
    drawn = np.random.default_rng(0).choice(np.asarray(values, float), (DRAWS, len(values)))
    low, high = np.percentile(drawn.mean(1), [2.5, 97.5])
    return {
        "mean": round(float(np.mean(values)), 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "n": len(values),
    }


def qrels(path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in path.read_text().splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            found.setdefault(query, set()).add(document)
    return found


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in spans(text)]


def ndcg(ranked: Sequence[str], gold: set[str]) -> float:
    gains = sum(1 / np.log2(n + 2) for n, name in enumerate(ranked[:NEAREST]) if name in gold)
    return float(gains / sum(1 / np.log2(n + 2) for n in range(min(len(gold), NEAREST))))


def xquad(folder: Path, lang: str, model: TrainedCrossEncoder, limit: int) -> dict[str, Any]:
    """Share of questions whose best sentence of the gold paragraph is one that answers."""
    pool: dict[str, list[tuple[str, str]]] = {}
    for record in read_lines(folder / "beir-sentence" / lang / "corpus.jsonl"):
        pool.setdefault(record["_id"].split("s")[0], []).append((record["_id"], record["text"]))
    gold = qrels(folder / "beir-sentence" / lang / "qrels" / "test.tsv")
    hits = []
    for record in list(read_lines(folder / "beir-sentence" / lang / "queries.jsonl"))[:limit]:
        right = gold[record["_id"]]
        names, texts = zip(*pool[next(iter(right)).split("s")[0]], strict=True)
        (reading,) = model.read(record["text"], [texts])
        hits.append(float(names[int(np.argmax(reading.sentences))] in right))
    return {"sentence": interval(hits)}


def reranked(
    corpus: dict[str, str],
    queries: dict[str, str],
    gold: dict[str, set[str]],
    model: TrainedCrossEncoder,
    vectors: Vectors,
    limit: int,
    weights: Sequence[float],
) -> dict[str, Any]:
    """nDCG@10 of the nearest passages by cosine, and with so much of the logit added."""
    names = list(corpus)
    matrix = vectors.passages([corpus[name] for name in names])
    asked = [name for name in queries if name in gold][:limit]
    wanted = vectors.queries([queries[name] for name in asked])
    found: dict[float, list[float]] = {0.0: [], **{w: [] for w in weights}}
    for name, vector in zip(asked, wanted, strict=True):
        cosines = matrix @ vector
        near = np.argsort(-cosines)[: 2 * NEAREST]
        read = model.read(queries[name], [cut(corpus[names[n]]) for n in near])
        logits = np.array([max(r.passage, max(r.sentences, default=-9.0)) for r in read])
        for weight in found:
            order = near[np.argsort(-(cosines[near] + weight * logits), kind="stable")]
            found[weight].append(ndcg([names[n] for n in order], gold[name]))
    return {f"ndcg@10 +{weight}": interval(values) for weight, values in found.items()}


def clapnq(
    folder: Path, model: TrainedCrossEncoder, vectors: Vectors, limit: int
) -> dict[str, Any]:
    """AUC of answerable against unanswerable by features of the ten nearest passages."""
    files = ("clapnq_dev_answerable.jsonl", "clapnq_dev_unanswerable.jsonl")
    records = [(n == 0, r) for n, name in enumerate(files) for r in read_lines(folder / name)]
    found = ((r["passages"][0]["title"], r["passages"][0]["text"]) for _, r in records)
    passages = list(dict.fromkeys(found))
    matrix = vectors.passages([f"{title}\n{text}" for title, text in passages])
    questions = [(answerable, record["input"]) for answerable, record in records][:limit]
    wanted = vectors.queries([text for _, text in questions])
    rows = []
    for (answerable, asked), vector in zip(questions, wanted, strict=True):
        cosines = matrix @ vector
        near = np.argsort(-cosines)[:NEAREST]
        near_ones = [passages[n] for n in near]
        read = model.read(asked, [[title, *cut(text)] for title, text in near_ones])
        passage = np.array([r.passage for r in read])
        sentence = np.array([max(r.sentences) for r in read])
        rows.append(
            (
                answerable,
                cosines[near[0]],
                passage.max(),
                sentence.max(),
                (passage + sentence).max(),
                (passage + sentence + 20 * cosines[near]).max(),
            )
        )
    table = np.array(rows, float)
    yes, no = table[table[:, 0] == 1], table[table[:, 0] == 0]
    columns = ("cosine", "passage", "sentence", "both", "both+cosine")
    return {c: round(auc(list(yes[:, n]), list(no[:, n])), 4) for n, c in enumerate(columns, 1)}


def contrasts(model: TrainedCrossEncoder) -> dict[str, Any]:
    """By kind of question, on the contrasts held back: is the best sentence right; by kind of what
    is missing, the AUC of questions that are answered against it, by the best sentence."""
    kept = [each for each in read_lines(CONTRASTS) if held_back(each)]
    hits: dict[str, list[float]] = {}
    best: dict[str, list[float]] = {"answered": []}
    for passage in kept:
        for (text, gold), kind in zip(passage["q"], passage["kinds"]["q"], strict=True):
            logits = model.read(text, [shown(passage)])[0].sentences[1:]
            hits.setdefault(kind, []).append(float(int(np.argmax(logits)) in gold))
            best["answered"].append(max(logits))
        for text, kind in zip(passage["n"], passage["kinds"]["n"], strict=True):
            logits = model.read(text, [shown(passage)])[0].sentences[1:]
            best.setdefault(kind, []).append(max(logits))
    right = {kind: interval(values) for kind, values in hits.items()}
    told = {k: round(auc(best["answered"], v), 4) for k, v in best.items() if k != "answered"}
    return {**right, "auc": told}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--limit", type=int, default=10_000)
    parser.add_argument("--only", default="xquad,clapnq,rerank,contrasts")
    options = parser.parse_args()
    model = TrainedCrossEncoder(weights_path(), options.weights)
    vectors = Vectors(options.cache)
    for lang in ("de", "en") if "xquad" in options.only else ():
        print("xquad", lang, xquad(options.bench / "xquad", lang, model, options.limit), flush=True)
    if "contrasts" in options.only:
        print("contrasts", contrasts(model), flush=True)
    if "clapnq" in options.only:
        print("clapnq", clapnq(options.bench / "clapnq", model, vectors, options.limit), flush=True)
    if "rerank" in options.only:
        folder = options.bench / "xquad" / "beir-paragraph"
        for asked, read in (("de", "de"), ("en", "en"), ("de", "en")):
            corpus = {r["_id"]: r["text"] for r in read_lines(folder / read / "corpus.jsonl")}
            queries = {r["_id"]: r["text"] for r in read_lines(folder / asked / "queries.jsonl")}
            gold = qrels(folder / read / "qrels" / "test.tsv")
            result = reranked(
                corpus, queries, gold, model, vectors, options.limit, (0.005, 0.01, 0.02, 0.05)
            )
            print("rerank paragraphs", asked, read, result, flush=True)


if __name__ == "__main__":
    main()
