"""Places of a text: a sentence, its subject, the pair with its neighbour, what is near it."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.benchmarks.train_cross_encoder.construct import english, german, says_de, says_en
from tests.benchmarks.train_cross_encoder.construct.passages import Passage

PLURAL = german.PLURAL | {"are", "were", "have"}
MARKER = re.compile(r"^\(\d+[a-z]?\) ?|^\d+\. ")


@dataclass(frozen=True)
class Made:
    """A claim and the sentences its quote must hold; `quote` where it is not whole sentences."""

    claim: str
    first: int
    last: int
    quote: str = ""


Context = Callable[[Passage, int, Random], Made | None]


def base(passage: Passage, index: int) -> str:
    """The sentence without the number of its paragraph."""
    return MARKER.sub("", passage.sentences[index]).strip()


def fit(sentence: str) -> bool:
    """A whole sentence of ordinary length that is no list."""
    return (
        30 <= len(sentence) <= 320
        and sentence.endswith(".")
        and sentence[0].isupper()
        and sentence.count(" ") >= 4
        and not re.search(
            r" 2\. |[|{}=<>\[\]\\]|https?:|\.\.\.|…|:$|[a-z]\. [A-Z][a-z]|^r\[|^I S\. |\bBGBl\.$",
            sentence,
        )
        and sentence.count("(") == sentence.count(")")
        and sentence.count('"') % 2 == 0
        and sentence.count("„") == sentence.count("“")
    )


def subject_of(sentence: str, lang: str) -> tuple[str, str] | None:
    """The subject and the finite verb, where they come first."""
    if lang == "de":
        parts = german.verb_second(sentence)
        return (parts[0], parts[1]) if parts and german.is_subject(parts[0]) else None
    found = english.main_clause(sentence)
    return (found[0], found[1]) if found and english.is_subject(found[0]) else None


def anaphoric(sentence: str, lang: str) -> bool:
    return says_de.anaphoric(sentence) if lang == "de" else says_en.anaphoric(sentence)


def pair(passage: Passage, index: int, reach: int = 1) -> tuple[str, str] | None:
    """Two sentences of the passage that stand on their own."""
    if index + reach >= len(passage.sentences):
        return None
    one, two = base(passage, index), base(passage, index + reach)
    alone = (
        fit(one)
        and fit(two)
        and not anaphoric(one, passage.lang)
        and not anaphoric(two, passage.lang)
    )
    return (one, two) if alone and len(one) + len(two) < 330 and one != two else None


def shared(claim: str, quote: str) -> float:
    """The share of the claim's words that stand in the quote."""
    words = set(re.findall(r"\w+", claim.lower()))
    return len(words & set(re.findall(r"\w+", quote.lower()))) / max(1, len(words))


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
