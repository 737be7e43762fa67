"""Fit the tagger that tells the parts of a message apart, and measure it on what it has not seen.

    python -m tests.benchmarks.parts_tagger.train [--seeds N] [--show] [--write]

Messages and their parts: ``data/parts/train.jsonl`` (its README says how they are marked); every
fifth is kept for development. Questions of ``tests/data/question_kinds`` that ask one thing are
added as such, with half the weight. The tagger is a bidirectional gated recurrent layer with a
chain of tags (a conditional random field) on it; weights are fitted with torch and used without.
A message is *exact* when all its parts have the stems of the gold parts and no others.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from services.language.text import stems
from tests.benchmarks import common
from tests.benchmarks.parts_tagger import split, tagger
from tests.benchmarks.parts_tagger.contextual import layers, words_of
from tests.benchmarks.parts_tagger.tagger import TAGS, shapes

DATA = common.DATA / "parts" / "train.jsonl"
KINDS = Path(__file__).parents[2] / "data" / "question_kinds" / "questions.txt"
WEIGHTS = Path(tagger.__file__).with_name("parts.npz")
STATE = {"]": "", "}": "", ">": "", "{": "O", "<": "S", "[": "B", "[+": "I"}
DIMENSION, SHAPE, HIDDEN, DROPPED = 64, 16, 48, 0.3
EPOCHS, BATCH, RATE, OF_KINDS, MARGIN = 30, 32, 3e-3, 0.5, 0.5


@dataclass
class Message:
    """A message with the tag of each of its words."""

    text: str
    language: str
    tags: str
    weight: float = 1.0
    words: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.words = [self.text[start:end] for start, end in words_of(self.text)]


def unmarked(marked: str) -> tuple[str, str]:
    """The text of a marked message, and the tag of each word."""
    text, state, tags, left = "", "", "", len(re.findall(r"\[", marked))
    for piece in re.findall(r"\[\+|[\[\]{}<>]|[^\[\]{}<>]+", marked):
        if piece in STATE:
            state, left = STATE[piece], left - piece.startswith("[")
            continue
        between = "O" if "B" in tags and left else "S"
        each = (state or between) * len(piece)
        tags += each.replace("B", "I").replace("I", "B", 1) if state == "B" else each
        text += piece
    return text, "".join(tags[start] for start, _ in words_of(text))


def messages() -> Iterator[Message]:
    for record in common.read_lines(DATA):
        text, tags = unmarked(record["m"])
        yield Message(text, record["lang"], tags)


def single_questions() -> Iterator[Message]:
    """Those that neither ask several things nor compare."""
    language = ""
    for line in KINDS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            language = line.split()[-1]
        elif " | " in line:
            labels, question = line.split(" | ", 1)
            text = question.replace("[", "").replace("]", "")
            if "n" not in labels and labels[0] != "C":
                yield Message(text, language, "S" * len(words_of(text)), OF_KINDS)


class Net(nn.Module):
    def __init__(self, mean: Tensor, scale: Tensor) -> None:
        super().__init__()
        self.mean, self.scale = mean, scale
        self.vectors = nn.Linear(len(mean), DIMENSION)
        self.shapes = nn.Linear(13, SHAPE)
        self.layer = nn.GRU(DIMENSION + SHAPE, HIDDEN, bidirectional=True, batch_first=True)
        self.tags = nn.Linear(2 * HIDDEN, len(TAGS))
        self.follow = nn.Parameter(torch.zeros(len(TAGS), len(TAGS)))
        self.first = nn.Parameter(torch.zeros(len(TAGS)))
        self.last = nn.Parameter(torch.zeros(len(TAGS)))
        self.drop = nn.Dropout(DROPPED)

    def forward(self, vectors: Tensor, shape: Tensor, lengths: list[int]) -> Tensor:
        known = self.vectors(self.drop((vectors - self.mean) / self.scale))
        read = self.drop(torch.tanh(torch.cat([known, self.shapes(shape)], -1)))
        packed = nn.utils.rnn.pack_padded_sequence(
            read, lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(self.layer(packed)[0], batch_first=True)
        scores: Tensor = self.tags(self.drop(states))
        return scores

    def loss(self, scores: Tensor, gold: Tensor, lengths: list[int]) -> Tensor:
        """Minus the log likelihood of each message's path."""
        ends = torch.tensor(lengths)
        total = self.first + scores[:, 0]
        path = (self.first + scores[:, 0]).gather(1, gold[:, :1])[:, 0]
        for n in range(1, scores.shape[1]):
            inside = n < ends
            ways = torch.logsumexp(total[:, :, None] + self.follow, 1) + scores[:, n]
            total = torch.where(inside[:, None], ways, total)
            step = (
                self.follow[gold[:, n - 1], gold[:, n]]
                + scores[:, n].gather(1, gold[:, n : n + 1])[:, 0]
            )
            path = path + torch.where(inside, step, torch.zeros(()))
        closing = self.last[gold.gather(1, ends[:, None] - 1)[:, 0]]
        return torch.logsumexp(total + self.last, 1) - path - closing


def fitted(rows: Sequence[Message], vectors: dict[str, np.ndarray], seed: int) -> Net:
    torch.manual_seed(seed)
    order, rng = list(rows), random.Random(seed)
    known = np.concatenate([vectors[row.text] for row in rows])
    net = Net(torch.from_numpy(known.mean(0)), torch.from_numpy(known.std(0) + 1e-6))
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=0.01)
    batches = -(-len(rows) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=EPOCHS * batches)
    for _ in range(EPOCHS):
        rng.shuffle(order)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            lengths = [len(row.words) for row in batch]
            x, shape, gold = (
                nn.utils.rnn.pad_sequence([torch.from_numpy(each) for each in of], True)
                for of in zip(*(_given(row, vectors) for row in batch), strict=True)
            )
            weights = torch.tensor([row.weight for row in batch])
            loss = (net.loss(net(x, shape, lengths), gold, lengths) * weights).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            schedule.step()
    return net


def _given(row: Message, vectors: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    gold = np.asarray([TAGS.index(tag) for tag in row.tags])
    return vectors[row.text], shapes(row.words), gold


def weights_of(net: Net) -> dict[str, np.ndarray]:
    """The weights as the tagger reads them; centring and scaling are part of the first."""
    layer, state = net.layer, {k: v.detach().numpy() for k, v in net.state_dict().items()}
    vectors = state["vectors.weight"] / net.scale.numpy()
    found = {
        "vectors": vectors, "vectors_bias": state["vectors.bias"] - vectors @ net.mean.numpy(),
        "shapes": state["shapes.weight"], "shapes_bias": state["shapes.bias"],
        "tags": state["tags.weight"], "tags_bias": state["tags.bias"],
        "follow": state["follow"], "first": state["first"], "last": state["last"],
        "margin": np.asarray(MARGIN),
    }  # fmt: skip
    for name, end in (("forward", "l0"), ("back", "l0_reverse")):
        found[f"{name}_in"] = getattr(layer, f"weight_ih_{end}").detach().numpy()
        found[f"{name}_in_bias"] = getattr(layer, f"bias_ih_{end}").detach().numpy()
        found[name] = getattr(layer, f"weight_hh_{end}").detach().numpy()
        found[f"{name}_bias"] = getattr(layer, f"bias_hh_{end}").detach().numpy()
    return {name: value.astype(np.float16) for name, value in found.items()}


def measured(rows: Sequence[Message], show: bool = False) -> tuple[int, ...]:
    """Exact, as many parts, messages with parts, single ones that were split, single ones."""
    counts = [0] * 5
    for row in rows:
        several = "B" in row.tags
        gold = split.told_apart(row.text, words_of(row.text), row.tags) if several else ()
        split.parts_of.cache_clear()
        found = split.parts_of(row.text)
        exact = [set(stems(each.complete, row.language)) for each in found] == [
            set(stems(each.complete, row.language)) for each in gold
        ]
        counts[2 if several else 4] += 1
        if several:
            counts[0] += exact
            counts[1] += len(found) == len(gold)
        else:
            counts[3] += len(found) > 1
        if show and (not exact if several else len(found) > 1):
            print(*(f"\n  {each.complete}" for each in found), "\n gold:",
                  *(f"\n  {each.complete}" for each in gold))  # fmt: skip
    return tuple(counts)


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=1, help="nets that are measured")
    parser.add_argument("--show", action="store_true", help="print what is missed")
    parser.add_argument("--write", action="store_true", help="keep the weights")
    options = parser.parse_args()
    torch.set_num_threads(1)
    read = layers()
    assert read is not None
    own, others = list(messages()), [row for row in single_questions() if row.words]
    vectors = {row.text: read(row.words) for row in [*own, *others]}
    kept = own[::5]
    seen = [row for n, row in enumerate(own) if n % 5] + others
    for seed in range(options.seeds):
        weights = weights_of(fitted(seen, vectors, seed))
        tagger.fitted = lambda weights=weights: {  # type: ignore[assignment,misc]
            name: value.astype(np.float32) for name, value in weights.items()
        }
        exact, many, several, split, single = measured(kept, options.show)
        print(f"seed {seed}: exact {exact}, as many {many} of {several}; split {split} of {single}")
    if options.write:  # what was measured is refitted with the development part
        _write(weights_of(fitted([*own, *others], vectors, 0)))


def _write(weights: dict[str, np.ndarray]) -> None:
    np.savez_compressed(WEIGHTS, **weights)  # type: ignore[arg-type]
    print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
