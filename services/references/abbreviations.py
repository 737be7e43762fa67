"""Abbreviations that a text introduces, and whether one belongs to the short title of a law.

A short form and a long form belong together when the letters of the one are found in the other in
order, the first at its beginning (the method of Schwartz and Hearst), or when they name a German
law: each piece of its abbreviation, a capital with the small letters behind it, stands for a word
of the compound: ``Strl·Sch·G`` for ``Strahlen·schutz·gesetz``.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

_HEADS: Final = (
    ("gesetzbuch", ("GB",)),
    ("gesetz", ("G",)),
    ("verordnung", ("V", "VO")),
    ("ordnung", ("O",)),
)
_VOWELS: Final = frozenset("aeiouyäöü")
_SKIPPED: Final = 2
"""Letters that may be left out between two letters of a piece (``Strl`` of ``Strahl``)."""
_SHORTEST_WORD: Final = 4
_LONGEST_TAIL: Final = {True: 12, False: 9}
"""Letters that may follow a piece up to the next word, for pieces of one letter and of more."""
_ENOUGH: Final = 0.4
"""Share of the letters that the abbreviation must show if the title does not speak for it."""
_STEM: Final = 5
_SHORT = re.compile(
    r"\((?:(?P<long>[A-ZÄÖÜ][\w-]{5,60})\s[-–]\s)?(?P<short>[A-ZÄÖÜ][\w./-]{1,11})\)"
)
_LONG = re.compile(r"\b(?P<short>[A-ZÄÖÜ]{2,8})\s\((?P<long>[A-Za-zÄÖÜäöü][\w -]{5,80})\)")
_SHORT_FORM_AT_END = re.compile(
    r"\((?P<short>(?=\w*[A-ZÄÖÜ]\w*[A-ZÄÖÜ])[A-ZÄÖÜ][\w-]{1,11})(?: \d{4})?\)\s*$"
)
_WORDS = re.compile(r"[\w-]+")
_LEAD: Final = 120
_CAPITALS: Final = 2
_SMALL_WORD = re.compile(
    r"^(?:der|die|das|des|dem|den|ein|eine[rsnm]?|the|an?|of|und|and|nach|für|vom|von|zur|zum|im|in)\s+",
    re.IGNORECASE,
)


class ShortForm(NamedTuple):
    """A short form and its long form, each with its span."""

    short: str
    start: int
    end: int
    long: str
    long_start: int
    long_end: int


def short_form_of_title(title: str, text: str) -> tuple[str, int, int] | None:
    """Return the abbreviation in a title (``… (StrlSchG)``) with its first span in the text."""
    match = _SHORT_FORM_AT_END.search(title)
    start = text.find(match["short"]) if match else -1
    return (match["short"], start, start + len(match["short"])) if match and start >= 0 else None


def short_forms(text: str) -> Iterator[ShortForm]:
    """Yield the pairs that a text introduces: ``Strahlenschutzkommission (SSK)``, ``SSK (…)``."""
    for match in _SHORT.finditer(text):
        if not _is_short(match["short"]):
            continue
        span = match.span("long") if match["long"] else _before(text, match)
        if span:
            yield ShortForm(match["short"], *match.span("short"), text[slice(*span)], *span)
    for match in _LONG.finditer(text):
        if _is_short(match["short"]) and _spells(match["short"], match["long"]):
            yield ShortForm(
                match["short"], *match.span("short"), match["long"], *match.span("long")
            )


def _is_short(written: str) -> bool:
    """Return whether a word has the capitals of an abbreviation: ``AVV-IMIS``, not ``Euratom``."""
    return sum(char.isupper() for char in written) >= _CAPITALS and not written.isdigit()


def _before(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """Return the span of the fewest words before the parenthesis that fit the short form."""
    start = max(0, match.start() - _LEAD)
    lead = re.split(r"[.;:()\n]", text[start : match.start()])[-1]
    offset = match.start() - len(lead)
    words = list(_WORDS.finditer(lead))
    short = match["short"]
    for word in reversed(words[-min(len(short) + 5, len(short) * 2) :]):
        long = lead[word.start() :].rstrip()
        if _SMALL_WORD.match(long) or not word.group()[0].isalpha():
            continue
        if _spells(short, long) or abbreviates(short, long):
            return offset + word.start(), offset + word.start() + len(long)
    return None


def _spells(short: str, long: str) -> bool:
    """Return whether the long form has the letters in order, mostly at the start of words."""
    letters = [char for char in short.casefold() if char.isalnum()]
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
        heads[0] == letters[0] and sum(char in letters for char in heads) * 2 >= len(heads)
    )


def abbreviates(abbreviation: str, name: str, title: str = "") -> bool:
    """Return whether an abbreviation fits the short title of a German law in base form.

    Three things must agree: the kind (G for a Gesetz, V for a Verordnung, …), each word of the
    compound with a piece of the abbreviation in order, and, against chance, either most letters
    (``At`` of ``Atom``) or a word of ``title``.
    """
    split = _split(name, abbreviation.replace("-", ""))
    if split is None:
        return False
    core, pieces = split
    joined, borders, capitals = "", set[int](), set[int]()
    for word in core:
        borders.add(len(joined))
        if word.isupper():
            capitals.update(range(len(joined), len(joined) + len(word)))
        joined += word.casefold()
    words = _align([piece.casefold() for piece in pieces], joined, borders, capitals)
    if words is None:
        return False
    if sum(map(len, pieces)) / len(joined) >= _ENOUGH:
        return True
    return any(len(word) >= _STEM and word[:_STEM] in title.casefold() for word in words)


def _split(name: str, abbreviation: str) -> tuple[list[str], list[str]] | None:
    """Split the name into words and the abbreviation into pieces, both without the kind."""
    for head, signs in _HEADS:
        if not name.casefold().endswith(head):
            continue
        core = [word for word in re.split(r"[\s-]+", name[: -len(head)]) if word not in ("", "und")]
        for sign in signs:
            pieces = re.findall(r"[A-ZÄÖÜ][a-zäöüß]*", abbreviation[: -len(sign)])
            if abbreviation.endswith(sign) and "".join(pieces) + sign == abbreviation:
                return (core, pieces) if core and pieces else None
        return None
    return None


def _align(
    pieces: list[str], name: str, borders: set[int], capitals: set[int]
) -> tuple[str, ...] | None:
    """Cut the name into one word for each piece; None if that is impossible."""

    @cache  # the number of ways to cut would grow exponentially
    def split_from(number: int, start: int) -> tuple[str, ...] | None:
        if number == len(pieces):
            return () if start == len(name) else None
        piece = pieces[number]
        letters_end = _letters(piece, name, start)
        if letters_end is None:
            return None
        border = min((position for position in borders if position > start), default=len(name))
        for end in range(border, letters_end - 1, -1):
            certain = start in capitals or (start in borders and end == border)
            if not _is_word(
                name[start:end], letters_end - start, len(piece), certain, end == border
            ):
                continue
            following = split_from(number + 1, end)
            if following is not None:
                return name[start:end], *following
        return None

    return split_from(0, 0)


def _letters(piece: str, name: str, start: int) -> int | None:
    """Return where the letters of a piece end in the name, with few others between them."""
    if not name.startswith(piece[0], start):
        return None
    position = start + 1
    for letter in piece[1:]:
        index = name.find(letter, position, position + _SKIPPED + 1)
        if index < 0:
            return None
        position = index + 1
    return position


def _is_word(word: str, covered: int, letters: int, certain: bool, closed: bool) -> bool:
    """Return whether a stretch of a name can be one word.

    A piece of so many ``letters`` reaches over ``covered`` of its letters. ``certain`` says that
    the spelling marks the word's start, ``closed`` its end.
    """
    tail = len(word) - covered
    if tail == 0:
        return certain or letters >= 3
    if not _VOWELS & set(word) or tail > _LONGEST_TAIL[letters == 1]:
        return False
    return closed or len(word) >= _SHORTEST_WORD
