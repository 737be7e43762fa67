"""The sentence of another place that shares the most rare words with a sentence."""

import math
import re
from collections import Counter, defaultdict

from tests.benchmarks.train_cross_encoder.construct.passages import Passage
from tests.benchmarks.train_cross_encoder.construct.places import anaphoric, base, fit, shared

COMMON = 400


class Near:
    """An index of fit sentences by their words."""

    def __init__(self, passages: list[Passage]) -> None:
        self.places: list[tuple[int, str, frozenset[str]]] = []
        self.where: dict[str, list[int]] = defaultdict(list)
        self.numbers = {id(passage): number for number, passage in enumerate(passages)}
        for number, passage in enumerate(passages):
            for index in range(0, len(passage.sentences), 2):
                self.add(number, passage, index)

    def add(self, number: int, passage: Passage, index: int) -> None:
        sentence = base(passage, index)
        if fit(sentence) and not anaphoric(sentence, passage.lang):
            words = content(sentence)
            for word in words:
                self.where[word].append(len(self.places))
            self.places.append((number, sentence, words))

    def to(self, passage: Passage, index: int) -> str | None:
        """The nearest sentence of another passage, not the same in other words."""
        words, number = content(base(passage, index)), self.numbers[id(passage)]
        scores: Counter[int] = Counter()
        for word in words:
            holders = self.where.get(word, [])
            if 0 < len(holders) <= COMMON:
                weight = round(100 * math.log(len(self.places) / len(holders)))
                for place in holders:
                    scores[place] += weight
        best = [self.places[place] for place, _ in scores.most_common(12)]
        quote = base(passage, index)
        other = [
            (shared(sentence, quote), sentence)
            for at, sentence, its in best
            if at != number and len(words & its) <= 0.55 * len(its)
        ]
        return max(other)[1] if other and max(other)[0] >= 0.4 else None


def content(sentence: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"\w+", sentence.lower()) if len(word) > 3)
