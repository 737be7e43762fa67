"""Whether evidence speaks to a piece of required information: near enough, not merely found.

The thresholds were set on fifty items over the sample law, half of them answered there
(docs/structured-route.md).
"""

from collections.abc import Sequence
from typing import Final

from services.extractive import asks_amount
from services.quantities import quantities
from services.structured.values import Evidence, Status
from services.text import compound_match, stem_sequence
from services.value import Language

RELEVANCE_WEIGHT: Final = 0.6
WORDS_WEIGHT: Final = 0.4
NEAR: Final = 0.5
"""Evidence for an item from which on a passage speaks to it."""

CERTAIN: Final = 0.75
"""Evidence that covers an item though it has few of its words."""

MOST_WORDS: Final = 0.6
"""Share of an item's words with which a near passage covers it."""

NEAR_ACROSS_LANGUAGES: Final = 0.3
CERTAIN_ACROSS_LANGUAGES: Final = 0.6
"""Relevance alone, where question and passage share no words."""

UNKNOWN_SHARE: Final = 1 / 3
"""Share of the things that an item names; without so many of them it counts as not found."""

NEAR_WITHOUT_WORDS: Final = 0.85
"""Relevance with which an unknown word counts as another name for what a passage speaks of."""


def words_of(item: str, language: Language) -> tuple[str, ...]:
    """The stems of an item's content words, each once."""
    return tuple(dict.fromkeys(stem_sequence(item, language)))


def share_of_words(words: Sequence[str], text: str, language: Language) -> float:
    """Share of the words that a text has, 0-1; a part of a compound counts partly."""
    if not words:
        return 0.0
    found = frozenset(stem_sequence(text, language))
    best = (
        1.0 if word in found else max((compound_match(word, stem) for stem in found), default=0.0)
        for word in words
    )
    return sum(best) / len(words)


def weight_of(evidence: Evidence) -> float:
    """How much a passage says to an item, 0-1; a section that the item names says all."""
    if evidence.named:
        return 1.0
    return RELEVANCE_WEIGHT * evidence.relevance + WORDS_WEIGHT * evidence.words


def near(found: Sequence[Evidence], *, foreign: bool) -> tuple[Evidence, ...]:
    """The passages that speak to an item, best first, ties by id."""
    enough = [
        each
        for each in found
        if each.named
        or (each.relevance >= NEAR_ACROSS_LANGUAGES if foreign else weight_of(each) >= NEAR)
    ]
    return tuple(sorted(enough, key=lambda each: (-weight_of(each), each.chunk_id)))


def status_of(
    item: str,
    evidence: Sequence[Evidence],
    texts: Sequence[str],
    language: Language,
    *,
    things: int,
    unknown: int,
    foreign: bool,
    leaning: bool = False,
) -> Status:
    """How far the near passages cover an item.

    Args:
        item: a piece of required information.
        evidence: the passages that speak to it, as ``near`` gives them.
        texts: of these passages, in the same order.
        language: of the question.
        things: how many things the item names.
        unknown: how many of them no document names.
        foreign: whether the passages are in another language.
        leaning: whether it was judged with words of another part of the question, which make
            passages near that may say nothing of it.
    """
    if not evidence:
        return "missing"
    named = any(each.named for each in evidence)
    if unknown and unknown >= UNKNOWN_SHARE * things and not named:
        nearest = 0.0 if leaning else max(each.relevance for each in evidence)
        return "partial" if nearest >= NEAR_WITHOUT_WORDS else "missing"
    if unknown or named:
        return "partial" if unknown else "covered"
    wants_number = asks_amount(item)
    for each, text in zip(evidence, texts, strict=True):
        if _covers(each, foreign) and not (wants_number and not quantities(text, language)):
            return "covered"
    return "partial"


def _covers(evidence: Evidence, foreign: bool) -> bool:
    if foreign:
        return evidence.relevance >= CERTAIN_ACROSS_LANGUAGES
    return evidence.words >= MOST_WORDS or weight_of(evidence) >= CERTAIN
