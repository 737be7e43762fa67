"""Which words of a passage a query is about: for showing, not for finding."""

import re
from collections.abc import Iterator
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
SHORTEST: Final = 3
"""Letters of a word that is marked; shorter ones are marked if they are numbers."""
SURE: Final = 5
"""Letters from which on a word may lose its ending, or be part of a compound."""
ENDING: Final = 2
_IDLE_WORDS: Final = """
aber als auch auf aus bei das dass dem den der des die diese dieser durch ein eine einem einen einer
eines für gelten gilt haben hat ich ist mit nach nicht oder sich sie sind über und unter vom von vor
was welche welcher welches wer werden wie wird zum zur
and are but for from has have how not that the their this was what when which who with
"""
IDLE: Final = frozenset(_IDLE_WORDS.split())
"""Words that carry grammar rather than content."""


def marked(text: str, query: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, in order, each with whether it is a word that the query names.

    Endings of words and the parts of German compounds are allowed for, roughly: the search
    itself has a stemmer, but a reader only wants to see at once why a passage is there.
    """
    wanted = tuple(_wanted(query))
    done = 0
    for found in _WORD.finditer(text):
        if _is_named(found[0].casefold(), wanted):
            if found.start() > done:
                yield text[done : found.start()], False
            yield found[0], True
            done = found.end()
    if done < len(text):
        yield text[done:], False


def excerpt(text: str, query: str, most: int) -> str:
    """Up to ``most`` characters, cut between words, from where the most words are named."""
    if len(text) <= most:
        return text
    wanted = tuple(_wanted(query))
    places = [m.start() for m in _WORD.finditer(text) if _is_named(m[0].casefold(), wanted)]
    counts = [sum(start <= place < start + most for place in places) for start in places]
    best = places[counts.index(max(counts))] if places else 0
    return _cut(text, min(max(0, best - most // 6), len(text) - most), most)


def _cut(text: str, start: int, most: int) -> str:
    """A window of the text without the halves of words at its ends."""
    window = text[start : start + most]
    if start > 0:
        window = "… " + (window.partition(" ")[2] or window)
    if start + most < len(text):
        window = (window.rpartition(" ")[0] or window) + " …"
    return window


def _wanted(query: str) -> Iterator[str]:
    for word in _WORD.findall(query.casefold()):
        if word.isdigit() or (len(word) >= SHORTEST and word not in IDLE):
            yield word


def _is_named(word: str, wanted: tuple[str, ...]) -> bool:
    return any(word == each or (len(each) >= SURE and _root(each) in word) for each in wanted)


def _root(word: str) -> str:
    return word[: max(SURE, len(word) - ENDING)]
