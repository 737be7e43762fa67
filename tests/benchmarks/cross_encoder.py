"""How well the shipped cross-encoder judges what it was never trained on.

    python -m tests.benchmarks.cross_encoder BENCH

XQuAD (de, en): is the best sentence of the gold paragraph one that answers (1,190 questions each).
CLAPNQ: are answerable questions told from the others by the best of the ten nearest passages.
Contrasts held back: is the best sentence right. Shares come with their 95 % bootstrap interval.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from services.cross_encoder import WEIGHTS, TrainedCrossEncoder
from services.evaluation.statistics import mean_interval
from services.language.text.sentences import sentences as spans
from services.retrieval.embedders import BundledEmbedder
from services.retrieval.embedders.e5_tokens import weights_path
from tests.benchmarks.common import DATA, Row, arguments, auc, read_lines

NEAREST = 10
CONTRASTS = DATA / "written" / "contrasts.jsonl.gz"
HELD_BACK = 6
"""One passage of so many of the contrasts, by its text, was never trained on."""


def held_back(passage: Row) -> bool:
    return int(hashlib.md5(" ".join(passage["s"]).encode()).hexdigest(), 16) % HELD_BACK == 0


def shown(passage: Row) -> list[str]:
    """The passage as it is read: its heading is the first sentence."""
    return [passage["heading"] or "-", *passage["s"]]


def interval(values: Sequence[float]) -> dict[str, float]:
    """Mean and its 95 % percentile-bootstrap interval."""
    found = mean_interval(np.array(values, float))
    return {name: round(value, 4) for name, value in asdict(found).items()}


def qrels(path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in path.read_text().splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            found.setdefault(query, set()).add(document)
    return found


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in spans(text)]


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


def clapnq(folder: Path, model: TrainedCrossEncoder, limit: int) -> dict[str, Any]:
    """AUC of answerable against unanswerable by features of the ten nearest passages."""
    files = ("clapnq_dev_answerable.jsonl", "clapnq_dev_unanswerable.jsonl")
    records = [(n == 0, r) for n, name in enumerate(files) for r in read_lines(folder / name)]
    found = ((r["passages"][0]["title"], r["passages"][0]["text"]) for _, r in records)
    passages = list(dict.fromkeys(found))
    embedder = BundledEmbedder()
    matrix = embedder.embed_passages([f"{title}\n{text}" for title, text in passages])
    questions = [(answerable, record["input"]) for answerable, record in records][:limit]
    rows = []
    for answerable, asked in questions:
        cosines = matrix @ embedder.embed_query(asked)
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
    parser = arguments(__doc__)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--limit", type=int, default=10_000)
    options = parser.parse_args()
    model = TrainedCrossEncoder(weights_path(), options.weights)
    for lang in ("de", "en"):
        print("xquad", lang, xquad(options.bench / "xquad", lang, model, options.limit), flush=True)
    print("contrasts", contrasts(model), flush=True)
    print("clapnq", clapnq(options.bench / "clapnq", model, options.limit))


if __name__ == "__main__":
    main()
