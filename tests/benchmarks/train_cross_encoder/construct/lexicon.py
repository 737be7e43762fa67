"""What the texts themselves teach of words: which are small, which forms exist, of which gender."""

import re
from collections import Counter
from collections.abc import Iterable

from tests.benchmarks.train_cross_encoder.construct.words import (
    INSEPARABLE_DE,
    SEPARABLE_DE,
    SMALL_DE,
    SMALL_EN,
    STRONG_DE,
)

STRONG = dict(STRONG_DE)
INSEPARABLE = tuple(INSEPARABLE_DE)
SEPARABLE = tuple(SEPARABLE_DE)


class Lexicon:
    """Counts of words inside sentences, and of article and noun at their head."""

    def __init__(self, small: Iterable[str] = ()) -> None:
        self.words: Counter[str] = Counter({word.lower(): 3 for word in small})
        self.heads: Counter[tuple[str, str]] = Counter()

    def learn(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            found = re.findall(r"[\wäöüÄÖÜß-]+", sentence)
            self.words.update(found[1:])
            self.heads.update([(found[0], found[1])] if len(found) > 1 else [])

    def lower_first(self, text: str) -> str:
        """The text as it reads inside a sentence: the first word loses a capital not its own."""
        first, space, rest = text.partition(" ")
        bare = first.rstrip(",")
        small = (
            self.words[bare.lower()] > self.words[bare]
            and first[1:] == first[1:].lower()
            and bare != "I"
        )
        return (first.lower() if small else first) + space + rest

    def participle(self, infinitive: str) -> str | None:
        """The second participle of a German verb, if the texts have it."""
        for candidate in participles(infinitive):
            if self.words[candidate] >= 2:
                return candidate
        return None

    def to_infinitive(self, infinitive: str) -> str | None:
        """aufbewahren -> aufzubewahren, erteilen -> zu erteilen; None where it is not clear."""
        for prefix in SEPARABLE:
            if (
                infinitive.startswith(prefix)
                and self.words[f"{prefix}zu{infinitive[len(prefix) :]}"]
            ):
                return f"{prefix}zu{infinitive[len(prefix) :]}"
        clear = infinitive.startswith(INSEPARABLE) or not infinitive.startswith(SEPARABLE)
        return f"zu {infinitive}" if clear and infinitive.endswith("n") else None

    def nominative(self, noun: str) -> str | None:
        """The article of a German noun in the singular, where the texts leave no doubt."""
        counts = {article: self.heads[article, noun] for article in ("Der", "Die", "Das")}
        best = max(counts, key=lambda article: counts[article])
        return best if counts[best] >= 2 and counts[best] > 0.9 * sum(counts.values()) else None


def participles(infinitive: str) -> list[str]:
    """Forms the participle may have, the likeliest first."""
    for prefix in ("", *SEPARABLE, *INSEPARABLE):
        stem = infinitive[len(prefix) :]
        if infinitive.startswith(prefix) and stem in STRONG:
            past = STRONG[stem]
            return [prefix + (past[2:] if prefix in INSEPARABLE else past), prefix + past]
    if infinitive.endswith("ieren"):
        return [infinitive[:-2] + "t"]
    found = []
    for prefix in SEPARABLE:
        if infinitive.startswith(prefix) and len(infinitive) > len(prefix) + 4:
            stem = infinitive[len(prefix) :]
            past = weak(stem) if stem.startswith(("be", "ver", "er", "ent")) else "ge" + weak(stem)
            found.append(prefix + past)
    if infinitive.startswith(INSEPARABLE):
        return [*found, weak(infinitive)]
    return found or ["ge" + weak(infinitive)]


def weak(infinitive: str) -> str:
    stem = infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]
    return stem + ("et" if stem.endswith(("t", "d", "fn", "chn", "gn")) else "t")


LEXICONS = {"de": Lexicon(SMALL_DE), "en": Lexicon(SMALL_EN)}


def lower_first(text: str, lang: str) -> str:
    return LEXICONS[lang].lower_first(text)


def upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]
