"""What a sentence names and its sources must state: numbers with units, and labels of sections."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Protocol

from services.domain import DetectedReference, Language
from services.evidence.arithmetic import uncalculated
from services.evidence.units import COUNTED
from services.ingestion.references import detect_references
from services.language.quantities import Quantity, agreement, quantities
from services.language.text import clauses

STATED: Final = ("full", "weak", "bound")
"""How a number may agree with one of a source; whether a limit is meant is left to the reading."""
_NUMBERED: Final = re.compile(r"(?:PEP|RFC|BCP) \d+")
_DIGITS: Final = re.compile(r"\d+(?:[^\W\d_](?!\w))?")


class SourceSection(Protocol):
    """A section that a sentence rests on; ``headings`` name its document, too."""

    @property
    def label(self) -> str: ...
    @property
    def headings(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def language(self) -> Language: ...


def unstated_numbers(
    text: str, question: str, sections: Sequence[SourceSection], language: Language
) -> tuple[str, ...]:
    """Numbers of a claim that neither its sections nor the question state, as written.

    A number that follows from others of the claim (`uncalculated`) is stated if these are.
    """
    claimed = [one for one in quantities(text, language) if _says_something(one, text)]
    source = "\n".join((question, *(f"{each.headings}\n{each.text}" for each in sections)))
    stated = [*quantities(question, language)]
    for each in sections:
        for part in (each.headings, each.text):
            stated += quantities(part, each.language)
    missing = [one for one in claimed if not _is_stated(one, stated, source)]
    operands = [one for one in claimed if one not in missing]
    unstated = [one.text for one in uncalculated(missing, operands)]
    return (*unstated, *other_names(text, source, language))


def _says_something(number: Quantity, text: str) -> bool:
    """Whether a number is neither an article nor the minutes of a full hour (``20:00``)."""
    full_hour = number.number == 0 and text[: number.start].endswith(":")
    return not full_hour and (number.unit is not None or not number.article)


def _is_stated(claimed: Quantity, stated: Sequence[Quantity], source: str) -> bool:
    """Whether a number stands there, with the same unit where both have one.

    One that is part of a name there ("lift 4") states no amount and stands there all the same.
    """
    if agreement(claimed, stated) in STATED:
        return True
    same = [each for each in stated if each.number == claimed.number]
    if not same:
        return re.search(rf"(?<![\w.,]){re.escape(claimed.text)}(?![\w.,]*\d)", source) is not None
    return any(claimed.unit is None or each.unit is None for each in same)


def unstated_labels(text: str, question: str, sections: Iterable[SourceSection]) -> tuple[str, ...]:
    """Labels of sections that a claim names, and neither its sections nor the question do."""
    source = [question]
    for each in sections:
        source += (each.label, each.headings, each.text)
    known = {*labels_in("\n".join(source)), *(each.label for each in sections)}
    return tuple(dict.fromkeys(label for label in labels_in(text) if label not in known))


@lru_cache(maxsize=4_096)
def _references(text: str) -> tuple[DetectedReference, ...]:
    """Those to sections and to documents of a series."""
    found = detect_references(text)
    return tuple(each for each in found if each.label or _NUMBERED.fullmatch(each.document or ""))


def labels_in(text: str) -> tuple[str, ...]:
    """Labels in a text in order, one for each section of a list; subdivisions are left out."""
    found: list[str] = []
    for reference in _references(text):
        if _NUMBERED.fullmatch(reference.document or ""):
            found.append(reference.document or "")
        if reference.label:
            found.append(reference.label)
    return tuple(found)


def without_labels(text: str) -> str:
    """A text without the labels, whose words are no statement of their own."""
    for start, end in sorted({(each.start, each.end) for each in _references(text)}, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


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
