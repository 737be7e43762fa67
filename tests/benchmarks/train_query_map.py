"""Fits the linear map that a question's vector gets before passages are searched with it.

    python -m tests.benchmarks.train_query_map WRITTEN.jsonl.gz… --home HOME --pairs PAIRS [--write]

``WRITTEN`` is as in ``data/written``; its documents are ingested in HOME, each as ``<path with __
for />.md``. A line of PAIRS has a question ``q``, a passage by sentences ``s``, those that answer
``g``, and the set ``src``. Passages keep their vectors, so that no index
changes. Two losses: the softmax of what answers among all passages of its collection, and the
logistic loss of calibrated cosines (what answers against what was drawn at random, and against the
nearest of something else), so that relevance means after the map what it meant before. One
collection of eight is held out; recall there and on the held-out pairs is printed.
"""

import argparse
import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from services.build import Services
from services.domain import Principal
from services.retrieval.embedders import BundledEmbedder
from services.retrieval.embedders.base import E5_CALIBRATION
from services.retrieval.embedding import QUERY_MAP
from services.settings import Settings
from tests.benchmarks.common import read_lines
from tests.benchmarks.train_ranking import plain

STEPS, RATE, DECAY = 600, 1e-3, 0.01
ASKED_AT_ONCE, PAIRS_AT_ONCE, DRAWN = 24, 48, 16
SHARPNESS = 0.02
CALIBRATED = 0.6
SHARE = 0.7
"""Of the fitted map that is kept: the rest cost near wordings more than it gave far ones."""
HELD_OUT = 8
LONGEST = 900
SHORTEST = 15
END = 50
SOURCES = {"dewiki-q": 4_000, "squad-du": 1_500, "selqa": 900, "covidqa": 500, "germanquad": 999}


@dataclass
class Asked:
    """A question's vector, and the rows of its collection's matrix that answer."""

    vector: Tensor
    rows: list[int]
    matrix: Tensor
    held: bool


def is_held(name: str) -> bool:
    return int(hashlib.md5(name.encode()).hexdigest(), 16) % HELD_OUT == 0


def written(home: Path, files: Sequence[Path]) -> list[Asked]:
    """Questions beside the chunks of the collection that their document is in."""
    services = Services(Settings(home=home))
    catalog, embedder = services.catalog, BundledEmbedder()
    where: dict[str, tuple[str, Tensor, dict[int, str]]] = {}
    for collection in catalog.collections.list(Principal()):
        scope = catalog.collections.scope(Principal(), (collection.name,))
        ids = catalog.chunks.ids(scope.collections[0])
        vectors = services.retriever._stored_vectors(ids, scope)
        chunks = catalog.chunks.get(list(vectors), scope=scope)
        matrix = torch.tensor(np.stack(list(vectors.values())))
        texts: dict[str, dict[int, str]] = {}
        for row, identifier in enumerate(vectors):
            stem = Path(chunks[identifier].document).stem
            texts.setdefault(stem, {})[row] = plain(chunks[identifier].text)
        where |= {stem: (collection.name, matrix, rows) for stem, rows in texts.items()}
    made = []
    for file in files:
        for record in read_lines(file):
            stem = record["path"].rsplit(".", 1)[0].replace("/", "__")
            name, matrix, texts_of = where.get(stem, ("", torch.zeros(0), {}))
            for text, gold in record.get("q", ()):
                wanted = [plain(record["s"][n]) for n in gold]
                rows = [n for n, held in texts_of.items() if any(map(_in(held), wanted))]
                if rows:
                    vector = torch.tensor(embedder.embed_query(text))
                    made.append(Asked(vector, rows, matrix, is_held(name)))
    return made


def _in(text: str) -> Callable[[str], bool]:
    def found(sentence: str) -> bool:
        whole = len(sentence) >= SHORTEST and sentence in text
        cut = len(sentence) > END and (sentence[:END] in text or sentence[-END:] in text)
        return whole or cut

    return found


def paired(file: Path, rng: random.Random) -> list[Asked]:
    """Questions of public sets beside all their passages."""
    passages: dict[tuple[str, str], str] = {}
    for record in read_lines(file):
        if record["g"] and record["src"] in SOURCES:
            passages[record["src"], record["q"]] = "\n".join(record["s"])[:LONGEST]
    kept = []
    for source, most in SOURCES.items():
        keys = sorted(key for key in passages if key[0] == source)
        kept += rng.sample(keys, min(most, len(keys)))
    embedder = BundledEmbedder()
    texts = sorted({passages[key] for key in kept})
    matrix, rows = torch.tensor(embedder.embed_passages(texts)), {t: n for n, t in enumerate(texts)}
    made = []
    for source, text in kept:
        vector, row = torch.tensor(embedder.embed_query(text)), rows[passages[source, text]]
        made.append(Asked(vector, [row], matrix, is_held(text)))
    return made


def mapped(vectors: Tensor, weights: Tensor) -> Tensor:
    return functional.normalize(vectors + vectors @ weights, dim=-1)


def loss_of(asked: Asked, weights: Tensor, other: Tensor, rng: random.Random) -> Tensor:
    """Of one question; `other` are passages of other collections."""
    vector = mapped(asked.vector, weights)
    cosines = asked.matrix @ vector
    right = cosines[asked.rows]
    share = torch.logsumexp(right / SHARPNESS, 0) - torch.logsumexp(cosines / SHARPNESS, 0)
    drawn = cosines[torch.tensor(rng.choices(range(len(cosines)), k=DRAWN))]
    return -share + CALIBRATED * calibrated(right.max()[None], drawn, (other @ vector).max()[None])


def calibrated(right: Tensor, drawn: Tensor, elsewhere: Tensor) -> Tensor:
    def logits(cosines: Tensor) -> Tensor:
        return E5_CALIBRATION.slope * (cosines - E5_CALIBRATION.middle)

    wrong = (
        functional.softplus(logits(drawn)).mean() + functional.softplus(logits(elsewhere)).mean()
    )
    return functional.softplus(-logits(right)).mean() + wrong / 2


def fit(asked: list[Asked], pairs: list[Asked], rng: random.Random) -> Tensor:
    weights = torch.zeros(384, 384, requires_grad=True)
    optimizer = torch.optim.AdamW([weights], lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, STEPS)
    every = pairs[0].matrix
    for step in range(STEPS):
        chosen = rng.sample(asked, ASKED_AT_ONCE)
        far = every[torch.tensor(rng.sample(range(len(every)), 500))]
        loss = sum(loss_of(each, weights, far, rng) for each in chosen) / len(chosen)
        some = rng.sample(pairs, PAIRS_AT_ONCE)
        cosines = mapped(torch.stack([each.vector for each in some]), weights) @ every.T
        rows = torch.tensor([each.rows[0] for each in some])
        loss = loss + functional.cross_entropy(cosines / SHARPNESS, rows)
        right = cosines[torch.arange(len(rows)), rows]
        drawn = cosines[:, torch.tensor(rng.sample(range(len(every)), DRAWN))].flatten()
        loss = loss + CALIBRATED * calibrated(right, drawn, drawn)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(step, round(loss.item(), 3), flush=True)
    return weights.detach()


def report(name: str, asked: list[Asked], weights: Tensor) -> None:
    """Recall of what answers, and mean relevance of it and of what was drawn at random."""
    places, right, drawn = [], [], []
    rng = random.Random(1)
    for each in asked:
        cosines = each.matrix @ mapped(each.vector, weights)
        best = float(cosines[each.rows].max())
        places.append(int((cosines > best).sum()))
        right.append(E5_CALIBRATION.relevance(best))
        drawn.append(E5_CALIBRATION.relevance(float(rng.choice(cosines.tolist()))))
    shares = {k: round(float(np.mean([place < k for place in places])), 3) for k in (1, 10, 20, 50)}
    print(
        f"{name}: {len(asked)} questions, recall {shares}, relevance of what answers "
        f"{np.mean(right):.2f}, of others {np.mean(drawn):.2f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("written", type=Path, nargs="+")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(1)
    rng = random.Random(1)
    asked, pairs = written(options.home, options.written), paired(options.pairs, rng)
    weights = SHARE * fit([a for a in asked if not a.held], [p for p in pairs if not p.held], rng)
    for name, group in (("written", asked), ("pairs", pairs)):
        held = [each for each in group if each.held]
        report(f"{name}, before", held, torch.zeros(384, 384))
        report(f"{name}, after", held, weights)
    if options.write:
        np.save(QUERY_MAP, weights.numpy().astype(np.float16))


if __name__ == "__main__":
    main()
