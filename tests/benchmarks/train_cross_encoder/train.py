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

from tests.benchmarks.train_cross_encoder.data import Pool, Target, read, targets
from tests.benchmarks.train_cross_encoder.network import Network, Words, batched, load_e5, score

RATE, HEAD_RATE, DECAY = 1.5e-4, 1e-3, 0.9
TOKENS = 2_048
POOL = 768
WARM_UP = 4_000
SAVE_EVERY = 4_000
CLAIMS = 0.5
"""Share of claims among the sequences; they are shorter than passages."""
WEIGHTS = {
    "snli": 0.2,
    "mnli": 0.6,
    "stsb": 0.3,
    "med": 0.4,
    "help": 0.3,
    "negation": 0.5,
    "wice": 2.0,
    "attributionbench": 2.0,
    "factcheck": 1.5,
    "constructed": 2.0,
    "near-dewiki": 5.0,
    "dewiki": 0.5,
    "germanquad": 4.0,
    "germandpr": 3.0,
    "mlqa": 1.0,
    "htwg": 2.0,
    "written": 12.0,
}


def batches(items: list[Target], rng: random.Random) -> Iterator[list[Target]]:
    """Sequences of like length and kind, about `TOKENS` padded tokens each."""
    items = sorted(items, key=lambda each: (each.label >= 0, len(each.tokens.ids)))
    made: list[list[Target]] = [[]]
    for item in items:
        last = made[-1]
        mixed = last and (last[0].label >= 0) != (item.label >= 0)
        if mixed or len(item.tokens.ids) * (len(last) + 1) > TOKENS:
            made.append([])
        made[-1].append(item)
    rng.shuffle(made)
    yield from (each for each in made if each)


def loss_of(network: Network, items: list[Target], words: Words) -> Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        passages, sentences, claims = score(
            network, batched([item.tokens for item in items], words)
        )
    if items[0].label >= 0:
        return claim_loss(claims.float(), torch.tensor([item.label for item in items]))
    right = torch.tensor([float(bool(item.gold)) for item in items])
    loss = functional.binary_cross_entropy_with_logits(passages.float(), right)
    parts = [
        sentence_loss(logits.float(), item.gold)
        for logits, item in zip(sentences, items, strict=True)
    ]
    return loss + torch.stack(parts).mean()


def claim_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy; of what is only known not to be said, that it is one of the other two."""
    logs = functional.log_softmax(logits, -1)
    rest = torch.logsumexp(logs[:, 1:], -1, keepdim=True)
    return -torch.cat([logs, rest], -1).gather(1, labels[:, None]).mean()


def sentence_loss(logits: Tensor, gold: tuple[int, ...]) -> Tensor:
    """Binary for each sentence, and a softmax over them where one answers.

    Nothing where it is not known which.
    """
    if gold == (-1,):
        return logits.sum() * 0.0
    right = torch.zeros_like(logits)
    right[list(gold)] = 1.0
    loss = functional.binary_cross_entropy_with_logits(logits, right)
    if gold and len(logits) > 1:
        chosen = torch.logsumexp(logits[list(gold)], 0) - torch.logsumexp(logits, 0)
        loss = loss - chosen
    return loss


def optimizer_of(network: Network) -> torch.optim.Optimizer:
    """Lower layers learn more slowly."""
    count = len(network.layers)
    groups = [
        {"params": layer.parameters(), "lr": RATE * DECAY ** (count - 1 - number)}
        for number, layer in enumerate(network.layers)
    ]
    base = [network.places, *network.first_norm.parameters()]
    groups.append({"params": base, "lr": RATE * DECAY**count})
    heads = [
        p for head in (network.passage, network.sentence, network.claim) for p in head.parameters()
    ]
    groups.append({"params": heads, "lr": HEAD_RATE})
    for group in groups:
        group["base"] = group["lr"]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=True, betas=(0.9, 0.98))


class Training:
    """State of a training: weights, optimizer, sequences seen, curve."""

    def __init__(self, out: Path, seed: int) -> None:
        self.out, self.words, self.network = out, Words(), Network()
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
        warm = self.peak * min(1.0, (self.seen + 1) / WARM_UP)
        if self.cool_for:
            return warm * max(0.0, 1 - (self.seen - self.cool_from) / self.cool_for)
        return warm

    def step(self, items: list[Target]) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = group["base"] * self.rate()
        loss = loss_of(self.network, items, self.words)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.seen += len(items)
        return float(loss.detach())


def run(training: Training, data: Path, until: int, name: str) -> None:
    questions, claims = load(data)
    rng = random.Random(f"{training.seed}:{training.seen}")
    files, saved, losses = known_files(data), training.seen, {True: [], False: []}
    while training.seen < until:
        drawn = questions.draw(round(POOL * (1 - CLAIMS)), rng, WEIGHTS)
        if claims.train:
            drawn += claims.draw(round(POOL * CLAIMS), rng, WEIGHTS)
        for items in batches(targets(drawn, training.words, rng), rng):
            losses[items[0].label >= 0].append(training.step(items))
        if training.seen - saved >= SAVE_EVERY or training.seen >= until:
            saved = training.seen
            training.save(name)
            note(training, questions, claims, losses)
            losses = {True: [], False: []}
            if known_files(data) != files:
                files, (questions, claims) = known_files(data), load(data)


def known_files(data: Path) -> list[tuple[Path, int]]:
    return [(path, path.stat().st_size) for path in sorted(data.rglob("*.jsonl.gz"))]


def load(data: Path) -> tuple[Pool, Pool]:
    return read(path for path, _ in known_files(data))


def note(
    training: Training, questions: Pool, claims: Pool, losses: dict[bool, list[float]]
) -> None:
    """A point of the learning curve, on held-out groups."""
    from tests.benchmarks.train_cross_encoder.curve import point

    means = {"question": losses[False], "claim": losses[True]}
    record = {
        "seen": training.seen,
        "cpu_minutes": round((training.used + time.process_time() - training.began) / 60, 1),
        "rate": round(training.rate(), 3),
        **{f"{k}_loss": round(sum(v) / len(v), 4) for k, v in means.items() if v},
        **point(training.network, training.words, questions, claims),
    }
    with (training.out / "curve.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")
    print(json.dumps(record), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sequences", type=int, default=100_000)
    parser.add_argument("--cool", type=int, default=0)
    parser.add_argument("--rate", type=float, default=1.0, help="share of the full rate")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    training = Training(options.out, options.seed)
    training.peak = options.rate
    if options.cool:
        training.cool_from, training.cool_for = training.seen, options.cool
        run(training, options.data, training.seen + options.cool, "cooled.pt")
    else:
        run(training, options.data, options.sequences, "last.pt")


if __name__ == "__main__":
    main()
