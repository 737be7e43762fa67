"""The two sides of a comparison, each with what it shares with the other.

Whether a question compares is not told here. The word that joins the sides tells where they stand:
``and`` and ``from`` have one on either side, ``than`` has the first one at the beginning. Where
the second side begins with a preposition that stood before (``for tenants with those for
landlords``), the sides are what follow the two of them, and they share what stands before. Where it
begins with the same word as something before, both sides begin there.
"""

import re
from typing import Final

from services.query.function_words import FUNCTION_WORDS
from services.vocabulary import word_set

Span = tuple[int, int]

_JOINING: Final[tuple[frozenset[str], ...]] = (
    frozenset({"vs", "versus", "gegenüber"}),
    frozenset({"als", "than", "que"}),
    frozenset({"mit", "with", "avec", "con"}),
    frozenset({"und", "and", "et", "y", "oder", "or", "ou", "o", "&"}),
    frozenset({"von", "vom", "from", "to", "zu"}),
)
"""Words between two sides, those that say most first."""
_COORDINATING: Final = (_JOINING[0], _JOINING[3])
_THAN: Final = _JOINING[1]
_BETWEEN: Final = frozenset({"between", "zwischen", "entre"})
_PREPOSITIONS: Final = word_set(
    """für bei beim in im an am nach gegen auf unter über for of at on under by pour chez dans sur
    para en"""
)
_STANDING: Final = word_set(
    "denen denjenigen diejenigen jenen those that one ones ceux celles celui celle"
)
"""Words that stand for the head of the first side."""
_SMALL: Final = frozenset().union(*FUNCTION_WORDS.values()) | _PREPOSITIONS | _BETWEEN | _STANDING
_WORD: Final = re.compile(
    r"§+\s*\d+\w*|(?:art(?:ikel|icle|\.)?|anlage|anhang|annex|section|pep|rfc)\s+\d+\w*"
    r"|[^\W_][\w.'’-]*\w|\w|&",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"[,;:?!.\n]\s|[,;:?!\n]")
_LONGEST: Final = 5
"""Words of a side."""


def compared(question: str) -> tuple[str, str] | None:
    """Both sides of a comparison; None where no two things stand in it."""
    pair = pair_spans(question)
    if pair is None:
        return None
    (a, b), (c, d) = pair
    head = _head(question, a)
    rest = question[d:].rstrip(" ?.!")
    first, second = f"{head}{question[a:b]}{rest}", f"{head}{question[c:d]}{rest}"
    return (first, second) if first.casefold() != second.casefold() else None


def pair_spans(question: str) -> tuple[Span, Span] | None:
    """Where the two things stand that a comparison holds together."""
    words = [match.span() for match in _WORD.finditer(question)]
    said = [_said(question[start:end]) for start, end in words]
    for joining in _JOINING:
        for n in _joints(said, joining):
            parallel = None if joining is _THAN else _parallel(question, words, said, n)
            if parallel is not None:
                return parallel
            right = _run_after(question, words, said, n)
            if right and joining is not _THAN and said[right[0]] in said[:n]:
                return _repeated(words, said, n, right[0])
            left = _left_of(question, words, said, n, right, joining)
            if left and right:
                if joining in _COORDINATING:
                    right = right[: len(left)]
                return (words[left[0]][0], words[left[-1]][1]), (
                    words[right[0]][0],
                    words[right[-1]][1],
                )
    return None


def _repeated(words: list[Span], said: list[str], joint: int, second: int) -> tuple[Span, Span]:
    """Sides that begin with the same word: each has all that it needs."""
    first = said.index(said[second])
    last = min(second + joint - first, len(words)) - 1
    return (words[first][0], words[joint - 1][1]), (words[second][0], words[last][1])


def _said(word: str) -> str:
    """A word in small letters; a lone capital stays, for it names something."""
    return word if len(word) == 1 else word.casefold()


def _joints(said: list[str], joining: frozenset[str]) -> list[int]:
    """Where the joining words stand, after a ``between`` if there is one."""
    opened = next((n for n, word in enumerate(said) if word in _BETWEEN), 0)
    return [n for n, word in enumerate(said) if word in joining and n > opened]


def _parallel(
    question: str, words: list[Span], said: list[str], joint: int
) -> tuple[Span, Span] | None:
    """Sides that begin with the same word: ``the limit for A with the limit for B``."""
    right = next((m for m in range(joint + 1, len(words)) if said[m] not in _SMALL), None)
    same = [m for m in range(joint) if right is not None and said[m] == said[right]]
    if right is None or not same:
        return None
    last = right
    while last + 1 < len(words) and not _BREAK.search(
        question[words[last][1] : words[last + 1][0]]
    ):
        last += 1
    return (words[same[-1]][0], words[joint - 1][1]), (words[right][0], words[last][1])


def _left_of(
    question: str,
    words: list[Span],
    said: list[str],
    joint: int,
    right: list[int],
    joining: frozenset[str],
) -> list[int]:
    """The words of the first side."""
    between = range(joint + 1, right[0]) if right else range(0)
    for n in between:
        if said[n] in _PREPOSITIONS:
            same = [m for m in range(joint) if said[m] == said[n]]
            if same:
                return _run_after(question, words, said, same[-1], stop=joint)
    if joining is _THAN:
        return _run_after(question, words, said, 0, stop=joint)[: len(right)]
    left: list[int] = []
    for n in range(joint - 1, -1, -1):
        gap = question[words[n][1] : words[n + 1][0]]
        if said[n] in _SMALL or _BREAK.search(gap) or (n == 0 and left):
            break
        left.insert(0, n)
    return left if joining in _COORDINATING else left[: len(right)]


def _run_after(
    question: str, words: list[Span], said: list[str], n: int, stop: int | None = None
) -> list[int]:
    """The first words of content after a word, as far as they stand side by side."""
    run: list[int] = []
    for m in range(n + 1, len(words) if stop is None else stop):
        broken = run and _BREAK.search(question[words[m - 1][1] : words[m][0]])
        if (said[m] in _SMALL and run) or broken or len(run) == _LONGEST:
            break
        if said[m] not in _SMALL:
            run.append(m)
    return run


def _head(question: str, start: int) -> str:
    """What both sides share before them: the thing that they are sides of, with its preposition."""
    before = [match.span() for match in _WORD.finditer(question[:start])]
    prepositions = 0
    for n in range(len(before) - 1, 0, -1):
        begin, end = before[n]
        word = question[begin:end].casefold()
        prepositions += word in _PREPOSITIONS
        if word in _BETWEEN:
            return ""
        if word not in _SMALL:
            return question[begin:start] if prepositions else ""
    return ""
