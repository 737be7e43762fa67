"""What the cross-encoder learns from: questions with passages.

Every file is gzipped JSON lines: ``q, s, g, src, lang, grp``; ``g`` are the sentences
that answer, ``[]`` where the passage does not, ``[-1]`` where it does and which is not known; lines
of one question make a list of passages, or it has ``passages`` with ``s`` and ``g`` each.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from services.retrieval.embedders.e5_tokens import Tokenizer, weights_path
from tests.benchmarks import common

LONGEST = 160
"""Tokens of a sequence; what is scored later is cut into windows of this length, too."""
LONGEST_QUESTION = 56
NEW = "contrast"
"""How a source begins whose questions are not held (``--hold``)."""
BESIDE = 4
"""Passages that do not answer, of those that were found for a question."""
ALONE = 0.2
"""Share of the passages of which one sentence is shown alone."""
DAMPING = 0.7
"""A source of n records counts n to this power."""


@dataclass(frozen=True)
class Tokens:
    """A sequence: token ids and, for each token, the segment that it belongs to.

    Segment 0 is the question, 1 and up the sentences; -1 are marks and prefixes.
    """

    ids: list[int]
    segments: list[int]


class Words:
    """Token ids and frozen word vectors of the package's model file."""

    def __init__(self) -> None:
        self._tokens = Tokenizer(weights_path())
        self.file = self._tokens.file
        self._prefixes = {p: self._tokens.ids(p) for p in ("query:", "passage:")}

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._tokens.ids(text) for text in texts]

    def sequence(self, first: list[int], sentences: Sequence[list[int]]) -> Tokens:
        begin, end = self.file.begin, self.file.end
        query, passage = self._prefixes["query:"], self._prefixes["passage:"]
        ids = [begin, *query, *first, end, *passage]
        segments = [-1] * (1 + len(query)) + [0] * len(first) + [-1] * (1 + len(passage))
        for number, sentence in enumerate(sentences, 1):
            ids += sentence
            segments += [number] * len(sentence)
        return Tokens([*ids, end], [*segments, -1])

    def vectors(self, ids: np.ndarray) -> np.ndarray:
        """Word vectors, shape (*ids.shape, width)."""
        return self._tokens.vectors(ids)


class Passage(NamedTuple):
    """Sentences, and which of them answer."""

    sentences: tuple[str, ...]
    gold: tuple[int, ...] = ()


@dataclass(frozen=True)
class Example:
    """A question with passages."""

    first: str
    passages: tuple[Passage, ...]
    source: str = ""

    @property
    def texts(self) -> list[str]:
        return [self.first, *(text for each in self.passages for text in each.sentences)]


@dataclass
class Pool:
    """Examples by source, drawn by damped size times a weight."""

    train: dict[str, list[Example]] = field(default_factory=lambda: defaultdict(list))

    def draw(self, count: int, rng: random.Random, weights: dict[str, float]) -> list[Example]:
        names = sorted(self.train)
        shares = [len(self.train[n]) ** DAMPING * _weight(n, weights) for n in names]
        return [rng.choice(self.train[n]) for n in rng.choices(names, shares, k=count)]


def _weight(name: str, weights: dict[str, float]) -> float:
    return next((value for start, value in weights.items() if name.startswith(start)), 1.0)


def read(paths: Iterable[Path]) -> Pool:
    """Questions, each with all its passages."""
    questions = Pool()
    asked: dict[tuple[str, str], list[Passage]] = {}
    for path in paths:
        for record in common.read_lines(path):
            source = f"{record['src'].removesuffix('+bm25')}/{record['lang']}"
            passages = asked.setdefault((source, record["q"]), [])
            for each in record.get("passages", (record,)):
                passages.append(Passage(tuple(each["s"]), tuple(each["g"])))
    for (source, text), passages in asked.items():
        example = Example(text, tuple(passages), source)
        if all(each.strip() for each in example.texts):
            questions.train[source].append(example)
    return questions


@dataclass(frozen=True)
class Target:
    """A sequence and what is right about it; gold is as in `Passage`, by the sentences shown."""

    tokens: Tokens
    gold: tuple[int, ...]
    new: bool = False
    """Whether it is to be learned, where the rest is held as it was."""


Row = list[Target]
"""What is judged together: the passages of a question."""


def targets(examples: Sequence[Example], words: Words, rng: random.Random) -> list[Row]:
    """Sequences of each example; of many passages those that answer and `BESIDE` others."""
    drawn = [replace(each, passages=_drawn(each.passages, rng)) for each in examples]
    ids: Iterator[list[int]] = iter(words.ids([text for each in drawn for text in each.texts]))
    made = []
    for each in drawn:
        first = next(ids)[:LONGEST_QUESTION]
        passages = [[next(ids) for _ in passage.sentences] for passage in each.passages]
        room = LONGEST - len(first) - 8
        alone = len(passages) == 1
        made.append([])
        for sentences, (_, known) in zip(passages, each.passages, strict=True):
            start, stop, gold = _window(sentences, known, room, rng, alone)
            shown = [sentence[:room] for sentence in sentences[start:stop]]
            new = each.source.startswith(NEW)
            made[-1].append(Target(words.sequence(first, shown), gold, new))
    return made


def _drawn(passages: Sequence[Passage], rng: random.Random) -> tuple[Passage, ...]:
    """One or two that answer, and some that do not."""
    right = [each for each in passages if each.gold]
    wrong = [each for each in passages if not each.gold]
    kept = rng.sample(right, min(2, len(right))) + rng.sample(wrong, min(BESIDE, len(wrong)))
    return tuple(kept)


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
