"""What code compares between a claim and its evidence: words, section labels, and numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from services.domain import DetectedReference, EvidenceSentence, Language
from services.evidence.units import COUNTED
from services.ingestion.references import detect_references
from services.language.quantities import Quantity, agreement, quantities
from services.language.text import best_match, clauses, stems, tokens

_ABBREVIATION = re.compile(r"[A-ZÄÖÜ][A-Za-zÄÖÜäöü]*[A-ZÄÖÜ][A-Za-zÄÖÜäöü]*")
_NUMBERED = re.compile(r"(?:PEP|RFC|BCP) \d+")
_DIGITS = re.compile(r"\d+(?:[^\W\d_](?!\w))?")


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


def other_names(sentence: str, source: str, language: Language) -> tuple[str, ...]:
    """Numbers in names of a sentence (``Radon-220``, ``Tabelle 5``) that a source has nowhere.

    They are what is left beside amounts, section labels and what counts items.
    """
    known = {each.casefold() for each in _DIGITS.findall(source)}
    items = (COUNTED.match(sentence, *item) for item in clauses(sentence, 0, len(sentence)))
    covered = [item.span() for item in items if item]
    covered += [(each.start, each.end) for each in _references(sentence)]
    covered += [(each.start, each.end) for each in quantities(sentence, language)]
    return tuple(
        match[0]
        for match in _DIGITS.finditer(sentence)
        if match[0].casefold() not in known
        and not any(start <= match.start() < end for start, end in covered)
    )


def nearest(
    claim: str, evidence: Sequence[EvidenceSentence], language: Language, limit: int
) -> list[EvidenceSentence]:
    """Evidence that shares words with a claim, rare ones counting more; best first."""
    texts = [each.whole for each in evidence]
    scores = word_shares(content_words(claim, language), texts, language)
    best = sorted(range(len(evidence)), key=lambda index: -scores[index])[:limit]
    return [evidence[index] for index in best if scores[index] > 0.0]


def word_shares(
    words: Sequence[str], quotes: Sequence[str], language: Language, around: Sequence[str] = ()
) -> np.ndarray:
    """Share of the words in each quote, or in what is around it, rare ones counting more."""
    table = strengths(words, quotes, language)
    rarity = np.log(1 + len(quotes) / (1 + table.sum(0)))
    table = strengths(words, around, language) if around else table
    return np.asarray(table @ rarity / (rarity.sum() or 1.0))


@lru_cache(maxsize=4_096)
def content_words(text: str, language: Language) -> tuple[str, ...]:
    """Distinct stems without section labels and numbers with their units."""
    text = without_labels(text)
    for number in reversed(quantities(text, language)):
        text = f"{text[: number.start]} {text[number.end :]}"
    return tuple(dict.fromkeys(stem for stem in stems(text, language) if not stem[0].isdigit()))


def ungrounded(claim: str, source: str, language: Language) -> tuple[str, ...]:
    """Words of a claim that a source has neither themselves nor as part of a compound."""
    known = _stems(source, language)
    return tuple(word for word in content_words(claim, language) if not best_match(word, known))


def shares_word(text: str, other: str, language: Language) -> bool:
    """Whether another text has one of a text's words; a text without any says nothing of it."""
    words = content_words(text, language)
    return not words or len(ungrounded(text, other, language)) < len(words)


def as_written(text: str, wanted: Sequence[str], language: Language) -> tuple[str, ...]:
    """Words of a text with these stems, each once, as they stand there."""
    words = (word for word in tokens(text) if set(stems(word, language)) & set(wanted))
    return tuple(dict.fromkeys(words))


def strengths(words: Sequence[str], texts: Sequence[str], language: Language) -> np.ndarray:
    """How well each text has each word, itself or in a compound, shape (texts, words)."""
    rows = {text: [best_match(word, _stems(text, language)) for word in words] for text in {*texts}}
    return np.array([rows[text] for text in texts], dtype=float).reshape(len(texts), len(words))


@lru_cache(maxsize=4_096)
def _stems(text: str, language: Language) -> frozenset[str]:
    return frozenset(stems(text, language))


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
    mostly conditions, which may stand in the context unless the quote states another.
    """
    claims = quantities(sentence, language)
    findings = [(claim, _find(claim, claims, quote, context, language)) for claim in claims]
    problems = [claim.text for claim, finding in findings if finding != "there"]
    contradicts = any(finding == "other" for _, finding in findings)
    return NumberCheck(tuple(problems), contradicts)


def _find(
    claim: Quantity, claims: Sequence[Quantity], quote: str, context: str, language: Language
) -> Literal["there", "other", "missing"]:
    """Whether a quote has a number of a claim, or states another in its place."""
    quoted = quantities(quote, language)
    agreed = agreement(claim, quoted)
    if agreed in ("full", "weak"):
        return "there"
    alike = [number for number in quoted if number.unit == claim.unit]
    if not alike and not claim.measured:
        stated = claim.article or agreement(claim, quantities(context, language)) == "full"
        return "there" if stated else "missing"
    rivals = [number for number in alike if agreement(number, claims) != "full"]
    return "other" if rivals or agreed == "unit" else "missing"
