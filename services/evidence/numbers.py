"""Whether the numbers of a sentence are those of the quote, and belong to the same things."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from services.domain import Language
from services.language.quantities import Quantity, agreement, quantities
from services.language.text import clauses, stem_sequence

Finding = Literal["full", "weak", "context", "bound", "unit", "other", "missing"]

_WRONG: Final = ("missing", "other", "unit", "bound")
_CONTRARY: Final = ("other", "unit", "bound")
_BORDER = re.compile(r"[,;]\s|\s(?:und|sowie|oder|and|or|but)\s")
_ENUMERATED_MARGIN: Final = 1
_RUNNING_MARGIN: Final = 2


@dataclass(frozen=True)
class NumberCheck:
    """What came of comparing the numbers.

    ``problems`` are the numbers of the sentence that are not those of the quote, as written.
    ``contradicts`` tells that the quote states others.
    """

    problems: tuple[str, ...]
    contradicts: bool


def check_numbers(sentence: str, quote: str, context: str, language: Language) -> NumberCheck:
    """Look for each number of a sentence in the quote.

    Amounts must be in the quote itself, since a passage holds many. Counts, ages and dates are
    mostly conditions, which may stand in the context unless the quote states another. Where the
    quote has several amounts, each must go with the same words as in the sentence.
    """
    claims = quantities(sentence, language)
    findings = [(claim, _find(claim, claims, quote, context, language)) for claim in claims]
    problems = [claim.text for claim, found in findings if found in _WRONG]
    contradicts = any(found in _CONTRARY for _, found in findings)
    if not problems:
        problems = _mismatched(sentence, quote, language)
        contradicts = bool(problems)
    return NumberCheck(tuple(problems), contradicts)


def _find(
    claim: Quantity, claims: Sequence[Quantity], quote: str, context: str, language: Language
) -> Finding:
    quoted = quantities(quote, language)
    found = agreement(claim, quoted)
    if found in ("full", "weak", "bound"):
        return found
    alike = _alike(claim, quoted, language)
    if not alike and not claim.measured:
        around = _alike(claim, quantities(context, language), language)
        known = claim.article or agreement(claim, around) == "full"
        return "context" if known else "missing"
    if found == "unit":
        return "unit"
    rivals = [number for number in alike if agreement(number, claims) != "full"]
    return "other" if rivals else "missing"


def _alike(claim: Quantity, numbers: Sequence[Quantity], language: Language) -> list[Quantity]:
    """Numbers of the same unit, or that count the same things."""
    kind = _kind(claim, language)
    return [number for number in numbers if _kind(number, language) == kind]


def _kind(quantity: Quantity, language: Language) -> str:
    if quantity.unit:
        return quantity.unit
    return " ".join(stem_sequence(quantity.noun or "", language))


@dataclass(frozen=True)
class _Segment:
    """Part of a sentence with the amounts in it and the stems that go with them."""

    amounts: tuple[Quantity, ...]
    stems: frozenset[str]


def _mismatched(sentence: str, quote: str, language: Language) -> list[str]:
    """Amounts that go with words which in the quote belong to another amount.

    ``1. für die Augenlinse 20 Millisievert, 2. für die Haut 500 Millisievert`` does not support
    20 Millisievert for the skin.
    """
    spans = clauses(quote, 0, len(quote))
    margin = _ENUMERATED_MARGIN if len(spans) > 1 else _RUNNING_MARGIN
    parts = _segments([quote[start:end] for start, end in spans], language)
    if len(spans) == 1:
        parts = _segments(_BORDER.split(quote), language)
    if len({amount.value for part in parts for amount in part.amounts}) < 2:
        return []
    common = frozenset.intersection(*(part.stems for part in parts))
    return [
        claim.text
        for claims in _segments(_BORDER.split(sentence), language)
        for claim in claims.amounts
        if _elsewhere(claim, claims.stems - common, parts, margin)
    ]


def _segments(parts: Sequence[str], language: Language) -> list[_Segment]:
    """Parts with amounts; those without go to the part before, the first of them to none."""
    segments: list[_Segment] = []
    for part in parts:
        amounts = tuple(number for number in quantities(part, language) if number.measured)
        stems = frozenset(stem for stem in stem_sequence(part, language) if stem.isalpha())
        if amounts:
            segments.append(_Segment(amounts, stems))
        elif segments:
            last = segments[-1]
            segments[-1] = _Segment(last.amounts, last.stems | stems)
    return segments


def _elsewhere(
    claim: Quantity, words: frozenset[str], parts: Sequence[_Segment], margin: int
) -> bool:
    """Whether the words of a claim stand clearly more with another amount than with its own."""
    own = [part for part in parts if agreement(claim, part.amounts) == "full"]
    others = [part for part in parts if part not in own]
    if not own or not others:
        return False
    return max(len(words & part.stems) for part in others) >= margin + max(
        len(words & part.stems) for part in own
    )
