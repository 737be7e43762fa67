"""The word or name that a question asks to be looked for: ``Freigrenze``, ``the Keller survey``.

What stands in quotation marks; else the words of content that are left without those that only
say that something is mentioned (``sections``, ``occur``), which a head tells by their vector.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from services.query.comparison import Span
from services.query.function_words import FUNCTION_WORDS
from services.query.heads import QuestionReader

_QUOTED: Final = re.compile(
    r"„([^“”\"\n]{2,80})[“”\"]|“([^”\n]{2,80})”|\"([^\"\n]{2,80})\"|«\s*([^»\n]{2,80}?)\s*»"
)
_WORD: Final = re.compile(r"[^\W_][\w.'’-]*\w|\w")
_SMALL: Final = frozenset().union(*FUNCTION_WORDS.values())
_MOST_WORDS: Final = 3


def quoted(text: str) -> Iterator[Span]:
    """Where the words stand that are in quotation marks."""
    for match in _QUOTED.finditer(text):
        yield next(match.span(group) for group in range(1, 5) if match.start(group) >= 0)


def mentioned(question: str, reader: QuestionReader, *, known: Collection[str] = ()) -> str | None:
    """The word or name that is looked for, None if it cannot be told.

    Of several that are left the longest; the documents decide whether they have it.

    Args:
        question: one that asks where or how often something is mentioned.
        reader: the heads.
        known: names of documents, which are where it is looked for.
    """
    for start, end in quoted(question):
        return question[start:end].strip()
    where = tuple(name.casefold() for name in known if name)
    runs = [
        question[start:end]
        for start, end in _runs(question, reader)
        if not question[start:end].casefold().startswith(where)
    ]
    longest = max(runs, key=len, default="")
    return longest if 0 < len(longest.split()) <= _MOST_WORDS else None


def _runs(question: str, reader: QuestionReader) -> Iterator[Span]:
    """Words side by side that are neither function words nor say that something is mentioned."""
    run: Span | None = None
    for n, match in enumerate(_WORD.finditer(question)):
        word = match.group()
        apart = run is not None and not question[run[1] : match.start()].isspace()
        if n == 0 or word.casefold() in _SMALL or reader.frames(word) or apart:
            if run is not None:
                yield run
            run = None
        if n and word.casefold() not in _SMALL and not reader.frames(word):
            run = (run[0] if run else match.start(), match.end())
    if run is not None:
        yield run
