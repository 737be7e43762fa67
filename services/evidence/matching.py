"""What code compares between a claim and its evidence: words, section labels, and numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import numpy as np

from services.domain import DetectedReference, EvidenceSentence, Language
from services.ingestion.references import detect_references
from services.language.quantities import Quantity, agreement, quantities
from services.language.text import best_match, clauses, stem_sequence, tokens

_ABBREVIATION = re.compile(r"[A-ZÄÖÜ][A-Za-zÄÖÜäöü]*[A-ZÄÖÜ][A-Za-zÄÖÜäöü]*")
_NUMBERED = re.compile(r"(?:PEP|RFC|BCP) \d+")


@dataclass(frozen=True)
class Mention:
    """A label as a section is called, and the abbreviation of the law that follows it."""

    label: str
    law: str | None = None


@lru_cache(maxsize=4_096)
def _references(text: str) -> tuple[DetectedReference, ...]:
    """Those to sections and to documents of a series."""
    found = detect_references(text)
    return tuple(each for each in found if each.label or _NUMBERED.fullmatch(each.document or ""))


def mentions(text: str) -> tuple[Mention, ...]:
    """Labels in a text in order, one for each section of a list; subdivisions are left out."""
    found: list[Mention] = []
    for reference in _references(text):
        document = reference.document or ""
        if _NUMBERED.fullmatch(document):
            found.append(Mention(document))
        if reference.label:
            law = document if _ABBREVIATION.fullmatch(document) else None
            found.append(Mention(reference.label, law))
    return tuple(found)


def without_labels(text: str) -> str:
    """A text without the labels, whose words are no statement of their own."""
    for start, end in sorted({(each.start, each.end) for each in _references(text)}, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


def other_labels(
    sentence: str, quote: str, sections: Sequence[str], documents: Sequence[str]
) -> list[str]:
    """Labels and laws of the sentence that are neither the quote's own nor mentioned in it."""
    named = mentions("\n".join((*sections, quote)))
    known = {*sections, *(mention.label for mention in named)}
    own = {abbreviation for document in documents if (abbreviation := _abbreviation(document))}
    laws = own | {mention.law for mention in named}
    others = []
    for mention in mentions(sentence):
        if mention.label not in known:
            others.append(mention.label)
        elif own and mention.law and mention.law not in laws:
            others.append(mention.law)
    return others


def _abbreviation(document: str) -> str | None:
    """The law that a file is named for, ``StrlSchG`` for ``StrlSchG.pdf``."""
    stem = re.sub(r"\.\w{1,5}$", "", document)
    return stem if _ABBREVIATION.fullmatch(stem) else None


_SHORTLIST: Final = 40
_NUMBER_WEIGHT: Final = 0.5


def nearest(
    claim: str, evidence: Sequence[EvidenceSentence], language: Language, limit: int
) -> list[EvidenceSentence]:
    """Evidence that shares words with a claim, rare ones counting more, and numbers; best first."""
    table = strengths(content_words(claim, language), [each.whole for each in evidence], language)
    rarity = np.log(1 + len(evidence) / (1 + table.sum(0)))
    scores = table @ rarity / (rarity.sum() or 1.0)
    claims = quantities(claim, language)
    shortlist = sorted(range(len(evidence)), key=lambda index: -scores[index])[:_SHORTLIST]
    final = {
        index: scores[index]
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
    known = _stems(source, language)
    return tuple(word for word in content_words(claim, language) if not best_match(word, known))


def as_written(text: str, stems: Sequence[str], language: Language) -> tuple[str, ...]:
    """Words of a text with these stems, each once, as they stand there."""
    words = (word for word in tokens(text) if set(stem_sequence(word, language)) & set(stems))
    return tuple(dict.fromkeys(words))


def strengths(words: Sequence[str], texts: Sequence[str], language: Language) -> np.ndarray:
    """How well each text has each word, itself or in a compound, shape (texts, words)."""
    rows = {text: [best_match(word, _stems(text, language)) for word in words] for text in {*texts}}
    return np.array([rows[text] for text in texts], dtype=float).reshape(len(texts), len(words))


@lru_cache(maxsize=4_096)
def _stems(text: str, language: Language) -> frozenset[str]:
    return frozenset(stem_sequence(text, language))


def _number_share(claims: Sequence[Quantity], text: str, language: Language) -> float:
    """Share of the claim's numbers that a text has, 0-1."""
    if not claims:
        return 0.0
    found = quantities(text, language)
    return sum(agreement(claim, found) in ("full", "weak") for claim in claims) / len(claims)


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
    problems = [claim.text for claim, finding in findings if finding != "there"]
    contradicts = any(finding == "other" for _, finding in findings)
    if not problems:
        problems = _mismatched(sentence, quote, language)
        contradicts = bool(problems)
    return NumberCheck(tuple(problems), contradicts)


def _find(
    claim: Quantity, claims: Sequence[Quantity], quote: str, context: str, language: Language
) -> Literal["there", "other", "missing"]:
    """Whether a quote has a number of a claim, or states another in its place."""
    quoted = quantities(quote, language)
    agreed = agreement(claim, quoted)
    if agreed in ("full", "weak"):
        return "there"
    alike = _alike(claim, quoted, language)
    if agreed != "bound" and not alike and not claim.measured:
        around = _alike(claim, quantities(context, language), language)
        stated = claim.article or agreement(claim, around) == "full"
        return "there" if stated else "missing"
    rivals = [number for number in alike if agreement(number, claims) != "full"]
    return "other" if rivals or agreed in ("bound", "unit") else "missing"


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
