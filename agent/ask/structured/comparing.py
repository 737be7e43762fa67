"""What two sides say of the same: sentences in pairs, and what holds one against the other."""

from collections.abc import Sequence
from itertools import product
from typing import Final

from agent.ask.structured.passages import Place, place_of
from agent.ask.structured.sentences import ItemBest
from services.evidence import EvidenceSentence
from services.extractive.definitions import defines
from services.structured.coverage import own_words, share_of_words
from services.structured.form import contrasts, tells_itself
from services.text import stem_sequence
from services.types import Language

PAIRED: Final = 16
"""Sentences of each side that are held against those of the other."""

SHARED: Final = 0.5
"""What a pair of sentences is worth more whose other words are all the same."""

LEAST_SHARED: Final = 0.25
"""Share of their other words that two sentences have in common if they compare."""

OF_A_PAIR: Final = 0.65
"""Share of the best sentence's worth that a sentence of a pair has."""

NAMED: Final = 0.7
"""Share of what the best sentence has of a side's own words that those of a pair have."""


def contrasting(
    first: ItemBest, second: ItemBest, language: Language
) -> list[tuple[ItemBest, EvidenceSentence]]:
    """The best sentence that holds one side against the other, with the side it says most to."""
    sides = [first.item, second.item]
    worth: dict[Place, tuple[float, ItemBest, EvidenceSentence]] = {}
    for side in (second, first):
        for score, sentence in side.ranked[:PAIRED]:
            both = all(
                share_of_words(own_words(each, sides, language), sentence.text, language) >= NAMED
                for each in sides
            )
            known = worth.get(place_of(sentence))
            if both and contrasts(sentence.text) and (known is None or score >= known[0]):
                worth[place_of(sentence)] = score, side, sentence
    best = sorted(worth.values(), key=lambda each: (-each[0], place_of(each[2])))
    return [(side, sentence) for _, side, sentence in best[:1]]


def pairs(
    first: ItemBest, second: ItemBest, language: Language
) -> list[tuple[EvidenceSentence, EvidenceSentence]]:
    """What both sides say of the same, best first; two definitions always belong together."""
    sides = [first.item, second.item]
    ones, others = _naming(first, sides, language), _naming(second, sides, language)
    words = {place_of(s): _other_words(s.text, sides, language) for _, s in (*ones, *others)}
    defining = {
        place_of(s)
        for side, naming in ((first, ones), (second, others))
        for _, s in naming
        if defines(s.text, side.item, language) or tells_itself(s.text)
    }
    found = []
    for (worth, one), (other_worth, other) in product(ones, others):
        a, b = place_of(one), place_of(other)
        share = 1.0 if {a, b} <= defining else _shared(words[a], words[b])
        if a != b and share >= LEAST_SHARED:
            found.append((worth + other_worth + SHARED * share, one, other))
    found.sort(key=lambda pair: (-pair[0], place_of(pair[1]), place_of(pair[2])))
    return [(one, other) for _, one, other in found]


def _naming(
    side: ItemBest, sides: Sequence[str], language: Language
) -> list[tuple[float, EvidenceSentence]]:
    """The best sentences of a side that name it, as far as any does."""
    own = own_words(side.item, sides, language)
    shares = [
        share_of_words(own, f"{s.section}\n{s.text}", language) for _, s in side.ranked[:PAIRED]
    ]
    least, worth = NAMED * max(shares), OF_A_PAIR * side.ranked[0][0]
    return [
        pair
        for pair, share in zip(side.ranked, shares, strict=False)
        if share >= least and pair[0] >= worth
    ]


def _other_words(text: str, sides: Sequence[str], language: Language) -> frozenset[str]:
    """The words of a sentence but those that name what is compared, and numbers."""
    own = {w for side in sides for w in own_words(side, sides, language)}
    return frozenset(w for w in stem_sequence(text, language) if w not in own and w.isalpha())


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of the words of the sentence with fewer that the other has, too; 0-1."""
    fewer = min(len(one), len(other))
    return len(one & other) / fewer if fewer > 1 else 0.0
