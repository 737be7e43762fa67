"""What a sentence should not be quoted without: the lead-in of its list, the sentence before it."""

import re
from itertools import pairwise
from typing import Final, Literal

from services.evidence import refers_back
from services.quantities import quantities
from services.structured.form import is_code, is_item
from services.text import is_heading, sentences
from services.value import Language, Value

LONGEST: Final = 450
"""Characters of a lead; a longer one is left where it stands."""

FEWEST_WORDS: Final = 7
"""Words of a lead-in of code that is a statement."""

_POINTING: Final = re.compile(
    r"\b(?:examples?|as\s+follows|following|like\s+(?:this|so)|e\.g\.|instance|below|consider|beispiel\w*|folgend\w*)\b",
    re.IGNORECASE,
)
_PARAGRAPH: Final = re.compile(r"\s*\(\d+[a-z]?\)\s+")
Kind = Literal["list", "before", "cut"]


class Lead(Value):
    """What leads to a sentence: ``text`` from ``start`` of the same text on.

    ``kind`` tells whether it leads in the list that the sentence is an item of, is the sentence
    before it, or the beginning of the sentence itself, which a page cut off. ``first``: nothing
    stands between.
    """

    start: int
    text: str
    kind: Kind
    first: bool


def leads(text: str, spans: list[tuple[int, int]]) -> dict[int, Lead]:
    """What leads to each span of a passage that does not begin a paragraph, by its start.

    Args:
        text: of a passage.
        spans: sentences of it and items of long ones, in order, without paragraph numbers.
    """
    whole = sentences(text)
    found = {}
    for start, _ in spans:
        index = next((n for n, (a, b) in enumerate(whole) if a <= start < b), None)
        if index is None:
            continue
        lead = _of_clause(text, whole[index], start, spans) or _before(text, whole, index, start)
        if lead is not None and len(lead.text) <= LONGEST:
            found[start] = lead
    return found


def before_code(text: str) -> list[tuple[int, int]]:
    """Lead-ins of code that say something by themselves: ``An alias is made by assignment::``."""
    whole = sentences(text)
    return [
        (start, end)
        for (start, end), (a, b) in pairwise(whole)
        if text[start:end].endswith(":")
        and len(text[start:end].split()) >= FEWEST_WORDS
        and not _POINTING.search(text[start:end])
        and is_code(text[a:b])
    ]


def needs_lead(sentence: str, lead: Lead, language: Language) -> bool:
    """Whether a quote would mislead without what leads to it.

    The first item of a list does, a sentence that leans on the one before it, and one that states a
    value: of whom or when it holds may stand before.
    """
    if lead.kind != "before":
        return lead.first
    return refers_back(sentence) or any(each.measured for each in quantities(sentence, language))


def _of_clause(
    text: str, sentence: tuple[int, int], start: int, spans: list[tuple[int, int]]
) -> Lead | None:
    """The words before the first item of a sentence that was cut into its items, or by a page."""
    begin = _after_number(text, sentence[0])
    if start <= begin:
        return None
    if not is_item(text[start : sentence[1]]):
        return _lead(text, begin, start, start, "cut")
    items = [a for a, _ in spans if begin < a < sentence[1] and is_item(text[a : sentence[1]])]
    return _lead(text, begin, min(items), start, "list")


def _before(text: str, whole: list[tuple[int, int]], index: int, start: int) -> Lead | None:
    """The lead-in of the list that a sentence is an item of, or the sentence before it."""
    item = is_item(text[slice(*whole[index])])
    earlier = range(index - 1, -1, -1)
    if item:
        leading = (n for n in earlier if text[slice(*whole[n])].rstrip().endswith(":"))
        n = next(leading, None)
        return None if n is None else _lead(text, *whole[n], start, "list")
    if index == 0 or _PARAGRAPH.match(text, whole[index][0]):
        return None
    a, b = whole[index - 1]
    gap = text[b : whole[index][0]]
    if is_heading(text[a:b]) or is_item(text[a:b]) or gap.count("\n") > 1:
        return None
    return _lead(text, _after_number(text, a), b, start, "before")


def _lead(text: str, begin: int, end: int, start: int, kind: Kind) -> Lead:
    return Lead(
        start=begin,
        text=" ".join(text[begin:end].split()),
        kind=kind,
        first=not text[end:start].strip(),
    )


def _after_number(text: str, start: int) -> int:
    marker = _PARAGRAPH.match(text, start)
    return marker.end() if marker else start
