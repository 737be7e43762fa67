"""Which evidence comes nearest to a claim by its words and numbers."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from services.domain.answers import EvidenceSentence
from services.domain.value import Language
from services.evidence.labels import without_labels
from services.language.quantities import Quantity, agreement, quantities
from services.language.text import compound_match, stem_sequence, tokens

_SHORTLIST: Final = 40
_NUMBER_WEIGHT: Final = 0.5


def nearest(
    claim: str, evidence: Sequence[EvidenceSentence], language: Language, limit: int
) -> list[EvidenceSentence]:
    """Evidence that shares words with a claim, rare ones counting more, and numbers; best first."""
    postings = _postings(tuple(item.whole for item in evidence), language)
    scores = [0.0] * len(evidence)
    total = 0.0
    for word in content_words(claim, language):
        strengths = _strengths(word, postings)
        rarity = math.log(1.0 + len(evidence) / (1.0 + sum(strengths.values())))
        total += rarity
        for index, strength in strengths.items():
            scores[index] += rarity * strength
    claims = quantities(claim, language)
    shortlist = sorted(range(len(evidence)), key=lambda index: -scores[index])[:_SHORTLIST]
    final = {
        index: scores[index] / total
        + _NUMBER_WEIGHT * _number_share(claims, evidence[index].whole, language)
        for index in shortlist
        if scores[index] > 0.0
    }
    return [evidence[index] for index in sorted(final, key=lambda i: -final[i])[:limit]]


@lru_cache(maxsize=4_096)
def content_words(text: str, language: Language) -> tuple[str, ...]:
    """Distinct stems without section labels and numbers with their units."""
    text = without_labels(text)
    for number in reversed(quantities(text, language)):
        text = f"{text[: number.start]} {text[number.end :]}"
    stems = stem_sequence(text, language)
    return tuple(dict.fromkeys(stem for stem in stems if not stem[0].isdigit()))


def ungrounded(claim: str, source: str, language: Language) -> tuple[str, ...]:
    """Words of a claim that a source has neither themselves nor as part of a compound."""
    stems = stem_sequence(source, language)
    known = frozenset(stems)
    return tuple(
        word
        for word in content_words(claim, language)
        if word not in known
        and not any(compound_match(word, stem) for stem in known if word in stem or stem in word)
    )


def as_written(text: str, stems: Sequence[str], language: Language) -> tuple[str, ...]:
    """Words of a text with these stems, each once, as they stand there."""
    words = (word for word in tokens(text) if set(stem_sequence(word, language)) & set(stems))
    return tuple(dict.fromkeys(words))


@lru_cache(maxsize=16)
def _postings(texts: tuple[str, ...], language: Language) -> dict[str, list[int]]:
    """Stem -> texts that have it; an answer's claims are all compared with the same evidence."""
    postings: dict[str, list[int]] = {}
    for index, text in enumerate(texts):
        for stem in dict.fromkeys(stem_sequence(text, language)):
            postings.setdefault(stem, []).append(index)
    return postings


def _strengths(word: str, postings: Mapping[str, Sequence[int]]) -> dict[int, float]:
    """How well each text that has a word, or a compound with it, has it."""
    found: dict[int, float] = {}
    for stem, indices in postings.items():
        if word in stem or stem in word:
            strength = compound_match(word, stem)
            for index in indices if strength else ():
                found[index] = max(found.get(index, 0.0), strength)
    return found


def _number_share(claims: Sequence[Quantity], text: str, language: Language) -> float:
    """Share of the claim's numbers that a text has, 0-1."""
    if not claims:
        return 0.0
    found = quantities(text, language)
    return sum(agreement(claim, found) in ("full", "weak") for claim in claims) / len(claims)
