"""Abbreviations and what they stand for: ``Strahlenschutzgesetz (StrlSchG)``, ``IMIS``.

A short form and a long form belong together when the letters of the one are found in the other in
order, the first at its beginning (the method of Schwartz and Hearst), or when they name a German
law (``services.ingestion.abbreviations``).
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from services.graph.names import clean_name
from services.graph.structure.source import Source
from services.ingestion.abbreviations import abbreviates

_SHORT = re.compile(
    r"\((?:(?P<long>[A-ZÄÖÜ][\w-]{5,60})\s[-–]\s)?(?P<short>[A-ZÄÖÜ][\w./-]{1,11})\)"
)
_LONG = re.compile(r"\b(?P<short>[A-ZÄÖÜ]{2,8})\s\((?P<long>[A-Za-zÄÖÜäöü][\w -]{5,80})\)")
_OWN = re.compile(r"\((?P<short>(?=\w*[A-ZÄÖÜ]\w*[A-ZÄÖÜ])[A-ZÄÖÜ][\w-]{1,11})(?: \d{4})?\)\s*$")
_WORDS = re.compile(r"[\w-]+")
_LEAD: Final = 120
_CAPITALS: Final = 2
_SKIPPED: Final = re.compile(
    r"^(?:der|die|das|des|dem|den|ein|eine[rsnm]?|the|an?|of|und|and|nach|für|vom|von|zur|zum|im|in)\s+",
    re.IGNORECASE,
)


class ShortForm(NamedTuple):
    """A short form with its place, and the long form with its own."""

    short: str
    start: int
    end: int
    long: str
    long_start: int
    long_end: int


def own_short_form(source: Source) -> tuple[str, int, int] | None:
    """The abbreviation in the title (``… Strahlung (StrlSchG)``) where the text shows it first."""
    match = _OWN.search(source.title)
    start = source.text.find(match["short"]) if match else -1
    return (match["short"], start, start + len(match["short"])) if match and start >= 0 else None


def short_forms(source: Source) -> Iterator[ShortForm]:
    """The pairs that a text introduces, in order."""
    text = source.text
    for match in _SHORT.finditer(text):
        if not _is_short(match["short"]):
            continue
        span = match.span("long") if match["long"] else _before(text, match)
        if span and clean_name(text[slice(*span)]):
            yield ShortForm(match["short"], *match.span("short"), text[slice(*span)], *span)
    for match in _LONG.finditer(text):
        if _is_short(match["short"]) and _spells(match["short"], match["long"]):
            yield ShortForm(
                match["short"], *match.span("short"), match["long"], *match.span("long")
            )


def _is_short(written: str) -> bool:
    """Capitals make an abbreviation: ``StrlSchG``, ``AVV-IMIS``, not ``Euratom``."""
    return sum(each.isupper() for each in written) >= _CAPITALS and not written.isdigit()


def _before(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """The shortest words before the parenthesis that the short form abbreviates."""
    start = max(0, match.start() - _LEAD)
    lead = re.split(r"[.;:()\n]", text[start : match.start()])[-1]
    offset = match.start() - len(lead)
    words = list(_WORDS.finditer(lead))
    short = match["short"]
    for word in reversed(words[-min(len(short) + 5, len(short) * 2) :]):
        long = lead[word.start() :].rstrip()
        if _SKIPPED.match(long) or not word.group()[0].isalpha():
            continue
        if _spells(short, long) or abbreviates(short, long):
            return offset + word.start(), offset + word.start() + len(long)
    return None


def _spells(short: str, long: str) -> bool:
    """Whether the letters stand in the long form in order, from the beginnings of its words."""
    letters = [each for each in short.casefold() if each.isalnum()]
    folded = long.casefold()
    if len(folded) < 2 * len(letters) or not folded.startswith(letters[0]):
        return False
    position = len(folded)
    for letter in reversed(letters[1:]):
        position = folded.rfind(letter, 0, position)
        if position <= 0:
            return False
    heads = "".join(word[0] for word in re.split(r"[\s-]+", folded) if word)
    return len(heads) == 1 or (
        heads[0] == letters[0] and sum(each in letters for each in heads) * 2 >= len(heads)
    )
