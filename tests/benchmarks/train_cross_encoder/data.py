"""What the cross-encoder learns from: questions with passages, claims with quotes.

Every file is gzipped JSON lines. Questions: ``q, s, g, src, lang, grp``; ``g`` are the sentences
that answer, ``[]`` where the passage does not, ``[-1]`` where it does and which is not known.
Claims: ``claim, quote, label, src, lang, grp``. Groups are held out whole, by hash.
"""

import gzip
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from services.text import sentences as split_sentences
from tests.benchmarks.train_cross_encoder.network import LABELS, Tokens, Words

LONGEST = 160
"""Tokens of a sequence; what is scored later is cut into windows of this length, too."""
LONGEST_QUESTION = 56
ALONE = 0.2
"""Share of the passages of which one sentence is shown alone."""
HELD_OUT = 50
"""One group of so many is kept for the learning curve."""
DAMPING = 0.7
"""A source of n records counts n to this power."""


@dataclass(frozen=True)
class Example:
    """A question with a passage, or a claim with a quote (then `label` is set)."""

    first: str
    sentences: tuple[str, ...]
    gold: tuple[int, ...] = ()
    label: int = -1
    source: str = ""
    lang: str = ""

    @property
    def is_claim(self) -> bool:
        return self.label >= 0


@dataclass
class Pool:
    """Examples by source, drawn by damped size times a weight."""

    train: dict[str, list[Example]] = field(default_factory=lambda: defaultdict(list))
    held: dict[str, list[Example]] = field(default_factory=lambda: defaultdict(list))

    def draw(self, count: int, rng: random.Random, weights: dict[str, float]) -> list[Example]:
        names = sorted(self.train)
        shares = [len(self.train[n]) ** DAMPING * _weight(n, weights) for n in names]
        return [rng.choice(self.train[n]) for n in rng.choices(names, shares, k=count)]


def _weight(name: str, weights: dict[str, float]) -> float:
    return next((value for start, value in weights.items() if name.startswith(start)), 1.0)


def read(paths: Iterable[Path]) -> tuple[Pool, Pool]:
    """Questions and claims."""
    questions, claims = Pool(), Pool()
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                pool = claims if "claim" in record else questions
                example = _claim(record) if "claim" in record else _question(record)
                if not all(text.strip() for text in (example.first, *example.sentences)):
                    continue
                held = int(hashlib.md5(record["grp"].encode()).hexdigest(), 16) % HELD_OUT == 0
                (pool.held if held else pool.train)[example.source].append(example)
    return questions, claims


def _question(record: dict) -> Example:
    source = f"{record['src'].removesuffix('+bm25')}/{record['lang']}"
    kind = "+" if record["g"] else "-"
    return Example(record["q"], tuple(record["s"]), tuple(record["g"]), -1, source + kind)


TWO_WAY = ("rte3", "forum", "med", "help", "pawsx", "stsb", "attributionbench")
"""Sources in which what is not said may be contradicted."""
NOT_SAID = len(LABELS)
"""The label of a claim that is not said, or contradicted: it is not known which."""


def _claim(record: dict) -> Example:
    label = LABELS.index(record["label"])
    if record["label"] == "not" and record["src"].startswith(TWO_WAY):
        label = NOT_SAID
    source = f"{record['src']}/{record['lang']}/{record['label']}"
    return Example(record["claim"], (record["quote"],), (), label, source, record["lang"])


@dataclass(frozen=True)
class Target:
    """A sequence and what is right about it; gold is as in `Example`, by the sentences shown."""

    tokens: Tokens
    gold: tuple[int, ...]
    label: int


def targets(
    examples: Sequence[Example], words: Words, rng: random.Random, *, augment: bool = True
) -> list[Target]:
    texts = [text for each in examples for text in (each.first, *each.sentences)]
    ids: Iterator[list[int]] = iter(words.ids(texts))
    made = []
    for each in examples:
        first = next(ids)[:LONGEST_QUESTION]
        sentences = [next(ids) for _ in each.sentences]
        room = LONGEST - len(first) - 8
        if each.is_claim:
            made.append(
                Target(words.sequence("claim:", first, [sentences[0][:room]]), (), each.label)
            )
            continue
        start, stop, gold = _window(sentences, each.gold, room, rng, augment)
        shown = [sentence[:room] for sentence in sentences[start:stop]]
        made.append(Target(words.sequence("query:", first, shown), gold, -1))
    return made


def _window(
    sentences: Sequence[Sequence[int]],
    gold: tuple[int, ...],
    room: int,
    rng: random.Random,
    augment: bool,
) -> tuple[int, int, tuple[int, ...]]:
    """Sentences that fit, around one that answers; sometimes one alone."""
    known = [n for n in gold if n >= 0]
    if augment and gold != (-1,) and rng.random() < ALONE:
        n = rng.choice(known) if known and rng.random() < 0.6 else rng.randrange(len(sentences))
        return n, n + 1, (0,) if n in known else ()
    at = rng.choice(known) if known else rng.randrange(len(sentences)) if not gold else 0
    start, stop, used = at, at + 1, len(sentences[at])
    while True:
        ways = [n for n in (start - 1, stop) if 0 <= n < len(sentences)]
        ways = [n for n in ways if used + len(sentences[n]) <= room]
        if not ways:
            break
        n = rng.choice(ways)
        used += len(sentences[n])
        start, stop = min(start, n), max(stop, n + 1)
    shown = tuple(n - start for n in known if start <= n < stop)
    return start, stop, (-1,) if gold == (-1,) else shown


def as_sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]
