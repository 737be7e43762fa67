"""The sentences of a report under their headings, each cited place with one number.

The app's page and every export are laid out by this, so a number means the same place in all.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from services.domain import PROOF, Citation, CitedSentence, QuoteKey, Standing
from services.domain.reviews import ReviewedSentence, SentenceReview, place_in, read_sentence
from services.export.clean import one_line
from services.language.text.layout import names_cells

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\s*\n")
_ITEM = "- "
_MARKS_ALONE = re.compile(r"(?:[->] )?\[.*\]|[->]?")
"""What is left of sentences that a person removed."""
_ENDS = (".", "!", "?", "…")
_NEAR = 8
"""Characters between a case and its quote that are white space or a marker."""
_Places = dict[QuoteKey, tuple[int, Citation]]

Form = Literal["prose", "quote", "item", "row"]
"""How a sentence is set: running text, the document's own words, in a list, or in a table."""


@dataclass(frozen=True)
class Line:
    """A sentence with the numbers of its places.

    ``standing`` is None for what is said by us and is no sentence of the documents. ``begins``
    tells that a paragraph begins with it. ``cells`` of a row are the names of the columns, each
    with what stands there. ``case`` are the words that say for whom or when a quote holds.
    ``reason`` and ``decisive`` are those of `CitedSentence`; ``review`` is a person's word,
    ``note`` what somebody wrote beside it, ``n`` its place among the sentences; ``closest`` tells
    that it claims nothing.
    """

    text: str
    standing: Standing | None
    form: Form
    numbers: tuple[int, ...]
    begins: bool
    cells: tuple[tuple[str, str], ...] = ()
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

    @property
    def quote(self) -> bool:
        """Whether it is the document's own words."""
        return self.form == "quote"

    @property
    def shown(self) -> str:
        """What its numbers stand behind: its text, or that of the last cell."""
        return self.cells[-1][1] if self.cells else self.text

    @property
    def columns(self) -> tuple[str, ...]:
        """The names above the cells of a row."""
        return tuple(name for name, _ in self.cells)

    def goes_on(self, before: "Line") -> bool:
        """Whether it stands in the same paragraph, list or table as the line before."""
        alike = self.form == before.form and self.columns == before.columns
        return alike and not (self.begins or self.quote)


@dataclass(frozen=True)
class Part:
    """A part of the answer; the first, without a heading, answers the question itself.

    A part in which no sentence stands has lines that are said by us.
    """

    heading: str
    lines: tuple[Line, ...]

    @property
    def paragraphs(self) -> list[tuple[Line, ...]]:
        """The lines as they stand together: paragraphs, lists, tables; a quote stands alone."""
        groups: list[list[Line]] = []
        for line in self.lines:
            if not groups or not line.goes_on(groups[-1][-1]):
                groups.append([])
            groups[-1].append(line)
        return [tuple(group) for group in groups]


@dataclass(frozen=True)
class Layout:
    """Parts in reading order, and the cited places by number, from 1."""

    parts: tuple[Part, ...]
    places: tuple[Citation, ...]


def lay_out(report: Mapping[str, Any], numbered: Sequence[Citation] = ()) -> Layout:
    """Reads headings and forms from ``answer`` and all else from ``sentences``, in their order.

    Args:
        report: a report, or an answer of a conversation, without its opening and closing.
        numbered: places that have a number already, from 1; they come first in the result.
    """
    answer = report["answer"]
    headings = list(_HEADING.finditer(answer))
    titles = ["", *(one_line(each[1]) for each in headings)]
    places: _Places = {each.key: (n, each) for n, each in enumerate(numbered, 1)}
    lines: dict[int, list[Line]] = {}
    cursor = 0
    for n, item in enumerate(report["sentences"]):
        sentence = read_sentence(item)
        here, behind = place_in(answer, sentence.text, cursor), cursor
        begin, cursor = here.span() if here else (cursor, cursor)
        index = sum(each.start() <= begin for each in headings)
        begins = index not in lines or _PARAGRAPH.search(answer, behind, begin) is not None
        listed = f"\n{answer[:begin]}".endswith(f"\n{_ITEM}")
        line = _line(sentence, places, n, begins=begins, listed=listed)
        lines.setdefault(index, []).append(line)
    for index, text in enumerate(_segments(report, headings)):
        if index not in lines:
            lines[index] = _said_by_us(text)
    parts = (Part(titles[index], tuple(lines[index])) for index in sorted(lines) if lines[index])
    return Layout(tuple(parts), tuple(place for _, place in places.values()))


def _segments(report: Mapping[str, Any], headings: Sequence[re.Match[str]]) -> Iterable[str]:
    """The text before the first heading and under each, without opening and closing."""
    text: str = report["answer"]
    starts = [0, *(each.end() for each in headings)]
    ends = [*(each.start() for each in headings), len(text)]
    opening, closing = report.get("opening") or "", report.get("closing") or ""
    for start, end in zip(starts, ends, strict=True):
        yield text[start:end].strip().removeprefix(opening).removesuffix(closing)


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


def said(texts: Iterable[str], form: Form = "prose") -> tuple[Line, ...]:
    """What is no sentence of the documents, each a paragraph of its own or an item of a list."""
    lines = [line for line in map(one_line, texts) if line]
    return tuple(
        Line(line, None, form, (), begins=form == "prose" or n == 0) for n, line in enumerate(lines)
    )


def _said_by_us(text: str) -> list[Line]:
    """What stands where no sentence does: what was searched for, or where it is said."""
    lines: list[Line] = []
    for paragraph in _PARAGRAPH.split(text):
        rows = [row.strip() for row in paragraph.strip().splitlines()]
        rows = [row for row in rows if not _MARKS_ALONE.fullmatch(row)]
        listed = all(row.startswith(_ITEM) for row in rows)
        lines += said((row.removeprefix(_ITEM) for row in rows), "item" if listed else "prose")
    return lines


def _line(sentence: CitedSentence, places: _Places, n: int, *, begins: bool, listed: bool) -> Line:
    read = sentence if isinstance(sentence, ReviewedSentence) else None
    own = [citation for citation in sentence.citations if citation.quote == sentence.text]
    quote = sentence.standing == "quote" or (bool(own) and sentence.standing != "follows")
    cells = cells_of(sentence.text) if listed else ()
    numbers = dict.fromkeys(
        places.setdefault(each.key, (len(places) + 1, each))[0] for each in sentence.citations
    )
    return Line(
        text=_running(sentence.text),
        standing=sentence.standing,
        form="row" if cells else "item" if listed else "quote" if quote else "prose",
        numbers=tuple(numbers),
        begins=begins,
        cells=cells,
        case=case_of((own or sentence.citations)[0]) if quote else "",
        reason=one_line(sentence.reason),
        decisive=tuple(map(one_line, sentence.decisive)),
        review=read.review if read else None,
        note=read.note if read else None,
        n=n,
        closest=sentence.closest,
    )


def cells_of(text: str) -> tuple[tuple[str, str], ...]:
    """The cells of ``Column: cell | Column: cell`` with their columns; () of other text."""
    pairs = [f"{one_line(each)} ".partition(": ") for each in text.split("|")]
    if len(pairs) < 2 or not all(name and colon for name, colon, _ in pairs):
        return ()
    return tuple((name, cell.strip()) for name, _, cell in pairs)


def _running(text: str) -> str:
    """On one line, but for rows of a table, which stay below each other."""
    rows = [one_line(each) for each in text.splitlines() if each.strip()]
    return "\n".join(rows) if all(map(names_cells, rows)) else " ".join(rows)
