"""The part of a passage that a query is about, for readers who can take little."""

from services.domain import Language
from services.language.text import sentences, stems


def excerpt(text: str, query: str, language: Language, most: int) -> str:
    """Up to ``most`` characters of a text: the run of sentences with most of the query's words.

    Of several the first; blanks are single. A sentence that is longer by itself is cut.
    """
    parts = [" ".join(text[start:end].split()) for start, end in sentences(text)]
    parts = [part for part in parts if part]
    if len(" ".join(parts)) <= most:
        return " ".join(parts)
    wanted = frozenset(stems(query, language))
    found = [wanted & frozenset(stems(part, language)) for part in parts]
    runs = [_run(parts, first, most) for first in range(len(parts))]
    # max takes the first of equals.
    first = max(
        range(len(parts)),
        key=lambda start: len(frozenset().union(*found[start : start + runs[start]])),
    )
    return " ".join(parts[first : first + runs[first]])[:most]


def _run(parts: list[str], first: int, most: int) -> int:
    """How many sentences from one on fit; at least that one."""
    length, count = len(parts[first]), 1
    for part in parts[first + 1 :]:
        length += 1 + len(part)
        if length > most:
            break
        count += 1
    return count
