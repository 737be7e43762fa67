"""Trains the cross-encoder; interrupted, it goes on from its last checkpoint.

    python -m tests.benchmarks.train_cross_encoder.train --data DIR --out DIR --sequences 100000
    python -m tests.benchmarks.train_cross_encoder.train … --cool 20000

The learning rate warms up and then stays (so that a night can be added to another) until
``--cool N``: from the last checkpoint, N more sequences in which it falls to zero.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from services.cross_encoder.model import WEIGHTS as SHIPPED
from tests.benchmarks.train_cross_encoder.data import Pool, Row, Words, read, targets
from tests.benchmarks.train_cross_encoder.network import (
    Batch,
    Network,
    batched,
    load_e5,
    load_shipped,
    score,
)

RATE, HEAD_RATE, DECAY = 1.5e-4, 1e-3, 0.9
TOKENS = 4_096
POOL = 384
WARM_UP = 3_000
SAVE_EVERY = 4_000
KEPT = 0.3
"""Weight of the distance to the order of before, beside what is learned (``--hold``)."""
WEIGHTS = {
    "contrast": 40.0,
    "near-dewiki": 5.0,
    "dewiki": 0.5,
    "germanquad": 4.0,
    "germandpr": 3.0,
    "mlqa": 1.0,
    "htwg": 2.0,
    "written": 12.0,
    "found-none": 4.0,
    "found": 14.0,
    "policyqa": 0.3,
}


def batches(rows: list[Row], rng: random.Random) -> Iterator[list[Row]]:
    """Rows of like length, about `TOKENS` padded tokens each."""
    made: list[list[Row]] = [[]]
    for row in sorted(rows, key=longest):
        if longest(row) * (sum(map(len, made[-1])) + len(row)) > TOKENS:
            made.append([])
        made[-1].append(row)
    rng.shuffle(made)
    yield from (each for each in made if each)


def longest(row: Row) -> int:
    return max(len(item.tokens.ids) for item in row)


def loss_of(network: Network, rows: list[Row], words: Words, teacher: Network | None) -> Tensor:
    """What is to be learned; with a teacher, and how far all else is from what that says."""
    items = [item for row in rows for item in row]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        passages, sentences = score(network, batched([item.tokens for item in items], words))
    parts, start = [], 0
    for row in rows:
        here = slice(start, start + len(row))
        start += len(row)
        gold = [item.gold for item in row]
        parts.append(list_loss(passages[here].float(), [s.float() for s in sentences[here]], gold))
    loss = torch.stack(parts).mean()
    old = [n for n, item in enumerate(items) if not item.new]
    if teacher is None or not old:
        return loss
    before = batched([items[n].tokens for n in old], words)
    now = passages[old].float(), [sentences[n].float() for n in old]
    return loss + KEPT * len(old) / len(items) * kept_order(teacher, before, *now)


@torch.no_grad()
def said_before(teacher: Network, batch: Batch) -> tuple[Tensor, list[Tensor]]:
    """What the weights say that training began with."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return score(teacher, batch)


def kept_order(teacher: Network, batch: Batch, passages: Tensor, sentences: list[Tensor]) -> Tensor:
    """How far the logits are from those before: their mean squared distance."""
    before, each_before = said_before(teacher, batch)
    now, then = torch.cat(sentences), torch.cat([each.float() for each in each_before])
    return functional.mse_loss(passages, before.float()) + functional.mse_loss(now, then)


def list_loss(passages: Tensor, sentences: list[Tensor], gold: list[tuple[int, ...]]) -> Tensor:
    """Of one question: each passage and sentence by itself, and which of all of them answer."""
    right = torch.tensor([float(bool(each)) for each in gold])
    loss = functional.binary_cross_entropy_with_logits(passages, right)
    if 0 < right.sum() < len(right):
        loss = loss - chosen(passages, right > 0)
    marks = [_marks(logits, each) for logits, each in zip(sentences, gold, strict=True)]
    logits, mark = torch.cat(sentences), torch.cat(marks)
    known = torch.cat([m if g != (-1,) else m * 0 - 1 for m, g in zip(marks, gold, strict=True)])
    sure = known >= 0
    if sure.any():
        loss = loss + functional.binary_cross_entropy_with_logits(logits[sure], known[sure])
    if 0 < mark.sum() < len(mark):
        loss = loss - chosen(logits, mark > 0)
    return loss


def _marks(logits: Tensor, gold: tuple[int, ...]) -> Tensor:
    """Which sentences answer; where it is not known which of a passage, any may."""
    if gold == (-1,):
        return torch.ones_like(logits)
    marks = torch.zeros_like(logits)
    marks[list(gold)] = 1.0
    return marks


def chosen(logits: Tensor, right: Tensor) -> Tensor:
    """The logarithm of the share that falls on what is right."""
    return torch.logsumexp(logits[right], 0) - torch.logsumexp(logits, 0)


def optimizer_of(network: Network) -> torch.optim.Optimizer:
    """Lower layers learn more slowly."""
    count = len(network.layers)
    groups = [
        {"params": layer.parameters(), "lr": RATE * DECAY ** (count - 1 - number)}
        for number, layer in enumerate(network.layers)
    ]
    base = [network.places, *network.first_norm.parameters()]
    groups.append({"params": base, "lr": RATE * DECAY**count})
    heads = [p for head in (network.passage, network.sentence) for p in head.parameters()]
    groups.append({"params": heads, "lr": HEAD_RATE})
    for group in groups:
        group["base"] = group["lr"]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=True, betas=(0.9, 0.98))


class Training:
    """State of a training: weights, optimizer, sequences seen."""

    def __init__(self, out: Path, seed: int) -> None:
        self.out, self.words, self.network = out, Words(), Network()
        self.teacher: Network | None = None
        load_e5(self.network, self.words.file)
        self.optimizer = optimizer_of(self.network)
        self.seen, self.began, self.used = 0, time.process_time(), 0.0
        self.seed, self.cool_from, self.cool_for, self.peak = seed, -1, 0, 1.0
        if (out / "last.pt").exists():
            self._resume(torch.load(out / "last.pt", weights_only=True))

    def _resume(self, state: dict) -> None:
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.seen, self.used = state["seen"], state["used"]

    def save(self, name: str) -> None:
        state = {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "seen": self.seen,
            "used": self.used + time.process_time() - self.began,
        }
        torch.save(state, self.out / "writing.pt")
        (self.out / "writing.pt").replace(self.out / name)

    def rate(self) -> float:
        """Share of the full learning rate."""
        warm_up = min(WARM_UP, self.cool_for // 6) or WARM_UP
        warm = self.peak * min(1.0, (self.seen + 1) / warm_up)
        if self.cool_for:
            return warm * max(0.0, 1 - (self.seen - self.cool_from) / self.cool_for)
        return warm

    def begin_with_shipped(self, *, hold: bool) -> None:
        """Goes on from the weights of the product; to hold is to keep to what these say."""
        if hold:
            self.teacher = Network().eval()
            load_shipped(self.teacher, SHIPPED)
        if not self.seen:
            load_shipped(self.network, SHIPPED)

    def step(self, rows: list[Row]) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = group["base"] * self.rate()
        loss = loss_of(self.network, rows, self.words, self.teacher)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.seen += sum(map(len, rows))
        return float(loss.detach())


def run(training: Training, data: Path, until: int, name: str) -> None:
    questions = load(data)
    rng = random.Random(f"{training.seed}:{training.seen}")
    files, saved, losses = known_files(data), training.seen, list[float]()
    while training.seen < until:
        drawn = questions.draw(POOL, rng, WEIGHTS)
        for rows in batches(targets(drawn, training.words, rng), rng):
            losses.append(training.step(rows))
        if training.seen - saved >= SAVE_EVERY or training.seen >= until:
            saved = training.seen
            training.save(name)
            note(training, losses)
            losses = []
            if known_files(data) != files:
                files, questions = known_files(data), load(data)


def known_files(data: Path) -> list[tuple[Path, int]]:
    return [(path, path.stat().st_size) for path in sorted(data.rglob("*.jsonl.gz"))]


def load(data: Path) -> Pool:
    return read(path for path, _ in known_files(data))


def note(training: Training, losses: list[float]) -> None:
    """Print how far the training is."""
    record = {
        "seen": training.seen,
        "cpu_minutes": round((training.used + time.process_time() - training.began) / 60, 1),
        "rate": round(training.rate(), 3),
        "question_loss": round(sum(losses) / len(losses), 4),
    }
    print(json.dumps(record), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sequences", type=int, default=100_000)
    parser.add_argument("--cool", type=int, default=0)
    parser.add_argument("--rate", type=float, default=1.0, help="share of the full rate")
    parser.add_argument("--go-on", action="store_true", help="from the weights of the product")
    parser.add_argument("--hold", action="store_true", help="all but contrasts as it was")
    parser.add_argument("--frozen", type=int, default=0, help="lower layers that stay as they are")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    training = Training(options.out, options.seed)
    training.peak = options.rate
    if options.go_on:
        training.begin_with_shipped(hold=options.hold)
    training.network.freeze(options.frozen)
    if options.cool:
        training.cool_from, training.cool_for = training.seen, options.cool
        run(training, options.data, training.seen + options.cool, "cooled.pt")
    else:
        run(training, options.data, options.sequences, "last.pt")


if __name__ == "__main__":
    main()
