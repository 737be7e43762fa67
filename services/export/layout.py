"""The sentences of a report under their headings, each cited place with one number.

The app's page and every export are laid out by this, so a number means the same place in all.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.domain import PROOF, Citation, CitedSentence, QuoteKey, Standing
from services.domain.reviews import ReviewedSentence, SentenceReview, place_in, read_sentence
from services.export.clean import one_line
from services.language.text.layout import names_cells

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\s*\n")
_ENDS = (".", "!", "?", "…")
_NEAR = 8
"""Characters between a case and its quote that are white space or a marker."""
_Places = dict[QuoteKey, tuple[int, Citation]]


@dataclass(frozen=True)
class Line:
    """A sentence with the numbers of its places. A quote is the document's own words.

    ``standing`` is None for what is said by us and is no sentence of the documents. ``begins``
    tells that a paragraph begins with it, ``case`` are the words that say for whom or when a quote
    holds. ``reason`` and ``decisive`` are those of `CitedSentence`; ``review`` is a person's word,
    ``note`` what somebody wrote beside it, ``n`` its place among the sentences; ``closest`` tells
    that it claims nothing.
    """

    text: str
    standing: Standing | None
    quote: bool
    numbers: tuple[int, ...]
    begins: bool
    case: str = ""
    reason: str = ""
    decisive: tuple[str, ...] = ()
    review: SentenceReview | None = None
    note: SentenceReview | None = None
    n: int = -1
    closest: bool = False

    @property
    def proven(self) -> bool:
        """Whether nothing is to be said against it."""
        return self.standing is None or self.standing in PROOF


@dataclass(frozen=True)
class Part:
    """A part of the answer; the first, without a heading, answers the question itself."""

    heading: str
    lines: tuple[Line, ...]

    @property
    def paragraphs(self) -> list[tuple[Line, ...]]:
        """The lines as they stand together; a quote stands alone."""
        groups: list[list[Line]] = []
        for line in self.lines:
            if line.begins or line.quote or groups[-1][-1].quote:
                groups.append([])
            groups[-1].append(line)
        return [tuple(group) for group in groups]


@dataclass(frozen=True)
class Layout:
    """Parts in reading order, and the cited places by number, from 1."""

    parts: tuple[Part, ...]
    places: tuple[Citation, ...]


def lay_out(report: Mapping[str, Any], numbered: Sequence[Citation] = ()) -> Layout:
    """Reads the headings from ``answer`` and all else from ``sentences``, in their order.

    Args:
        report: a report, or an answer of a conversation.
        numbered: places that have a number already, from 1; they come first in the result.
    """
    answer = report["answer"]
    headings = [(match.start(), match[1]) for match in _HEADING.finditer(answer)]
    titles = ["", *(one_line(title) for _, title in headings)]
    places: _Places = {each.key: (n, each) for n, each in enumerate(numbered, 1)}
    lines: dict[int, list[Line]] = {}
    cursor = 0
    for n, item in enumerate(report["sentences"]):
        sentence = read_sentence(item)
        here, behind = place_in(answer, sentence.text, cursor), cursor
        begin, cursor = here.span() if here else (cursor, cursor)
        index = sum(start <= begin for start, _ in headings)
        begins = index not in lines or _PARAGRAPH.search(answer, behind, begin) is not None
        lines.setdefault(index, []).append(_line(sentence, places, begins, n))
    parts = tuple(Part(titles[index], tuple(lines[index])) for index in sorted(lines))
    return Layout(parts, tuple(place for _, place in places.values()))


def standings_of(sentences: Iterable[Any]) -> dict[str, int]:
    """How many sentences have each standing.

    ``reviewed`` where a person let no proof stand, ``closest`` where a quote claims nothing.
    """
    return dict(Counter(map(_standing, map(read_sentence, sentences))))


def _standing(sentence: CitedSentence) -> str:
    decided = isinstance(sentence, ReviewedSentence) and sentence.review is not None
    judged = decided and sentence.standing not in PROOF
    if judged:
        return "reviewed"
    return "closest" if sentence.closest else sentence.standing


def case_of(citation: Citation) -> str:
    """For whom or when a quote holds, as it is set before the quote; "" where it says so itself.

    A gap between the two is shown where whole sentences are left out.
    """
    if citation.case is None:
        return ""
    words = one_line(citation.case.text)
    if 0 <= citation.start - citation.case.end <= _NEAR and words.endswith((",", ";", *_ENDS)):
        return words
    if words.endswith(_ENDS):
        return f"{words} […]"
    words = words.rstrip(" ,;:")
    return f"{words}:" if words else ""


def _line(sentence: CitedSentence, places: _Places, begins: bool, n: int) -> Line:
    said = sentence if isinstance(sentence, ReviewedSentence) else None
    own = [citation for citation in sentence.citations if citation.quote == sentence.text]
    quote = sentence.standing == "quote" or bool(own)
    numbers = dict.fromkeys(
        places.setdefault(each.key, (len(places) + 1, each))[0] for each in sentence.citations
    )
    return Line(
        text=_running(sentence.text),
        standing=sentence.standing,
        quote=quote,
        numbers=tuple(numbers),
        begins=begins,
        case=case_of((own or sentence.citations)[0]) if quote else "",
        reason=one_line(sentence.reason),
        decisive=tuple(map(one_line, sentence.decisive)),
        review=said.review if said else None,
        note=said.note if said else None,
        n=n,
        closest=sentence.closest,
    )


def _running(text: str) -> str:
    """On one line, but for rows of a table, which stay below each other."""
    rows = [one_line(each) for each in text.splitlines() if each.strip()]
    return "\n".join(rows) if all(map(names_cells, rows)) else " ".join(rows)
