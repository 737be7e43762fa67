"""Whether evidence speaks to a piece of required information: near enough, not merely found.

The thresholds were set on fifty items over the sample law, half of them answered there
(docs/structured-route.md).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

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


_CAPITALISED: Final = re.compile(r"(?<=[^.?!\s]\s)[A-Z]\w*")
_ASKING: Final[dict[Language, str]] = {
    "de": "nötig notwendig erforderlich gelten unterscheiden vergleichen eingeführt passiert"
    " folgen",
    "en": "introduced needed necessary required happens happen differ compare apply change changed"
    " difference develop",
}
"""Words that say what is asked of a thing, not which."""


def words_of(item: str, language: Language) -> tuple[str, ...]:
    """The stems of an item's content words, each once, without those that only ask.

    ``Why was X introduced?`` is about X alone; ``Required`` amid English is a name.
    """
    stems = tuple(dict.fromkeys(stem_sequence(item, language)))
    asking = _asking(language)
    if language == "en":
        asking -= set(stem_sequence(" ".join(_CAPITALISED.findall(item)), language))
    return tuple(stem for stem in stems if stem not in asking) or stems


@lru_cache(maxsize=8)
def _asking(language: Language) -> frozenset[str]:
    return frozenset(stem_sequence(_ASKING.get(language, ""), language))


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
    evidence: Sequence[Evidence],
    answers: Sequence[bool],
    *,
    things: int,
    unknown: int,
    foreign: bool,
    leaning: bool = False,
) -> Status:
    """How far the near passages cover a piece of required information.

    Args:
        evidence: the passages that speak to it, as ``near`` gives them.
        answers: of each, whether it has what is asked for: a number, a time, a reason, the words
            that tell this piece from the others.
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
    pairs = zip(evidence, answers, strict=True)
    return "covered" if any(ok and _covers(each, foreign) for each, ok in pairs) else "partial"


def own_words(item: str, items: Sequence[str], language: Language) -> tuple[str, ...]:
    """The words that tell an item from the others; none where there are no others."""
    others = {word for each in items if each != item for word in words_of(each, language)}
    return tuple(w for w in words_of(item, language) if w not in others) if others else ()


def _covers(evidence: Evidence, foreign: bool) -> bool:
    if foreign:
        return evidence.relevance >= CERTAIN_ACROSS_LANGUAGES
    return evidence.words >= MOST_WORDS or weight_of(evidence) >= CERTAIN
