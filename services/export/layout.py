"""The sentences of an answer under their headings, each cited passage with one number.

The app's pages and every export use this layout, so a number means the same passage in all.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from services.domain import PROOF, Citation, CitedSentence, QuoteKey, Standing
from services.domain.answers import ReviewedSentence, SentenceReview, find_sentence, parse_sentence
from services.language.text.layout import table_lines
from services.language.text.normal import one_line

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\s*\n")
_ITEM = "- "
_MARKS_ALONE = re.compile(r"(?:[->] )?\[.*\]|[->]?")
"""What remains of sentences that a person removed."""
_ENDS = (".", "!", "?", "…")
_NEAR = 8
"""Characters between a case and its quote that are white space or a marker."""
_Numbered = dict[QuoteKey, tuple[int, Citation]]

Form = Literal["prose", "quote", "item", "row"]
"""How a sentence is set: running text, a verbatim quote, a list item, or a row of a table."""


@dataclass(frozen=True)
class LayoutLine:
    """A sentence with the numbers, from 1, of the passages that it cites.

    ``standing`` None is a remark of the program, ``begins`` whether it starts a paragraph.
    ``cells`` of a row have the names of their columns. ``case`` are the words that say for whom or
    when a quote holds. ``n`` is the index among the sentences of the answer, -1 for a remark;
    ``closest`` claims nothing.
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
        """Whether it is a remark or has a proof."""
        return self.standing is None or self.standing in PROOF

    @property
    def quote(self) -> bool:
        return self.form == "quote"

    @property
    def cited_text(self) -> str:
        """The text that its numbers follow: all of it, or the last cell of a row."""
        return self.cells[-1][1] if self.cells else self.text

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.cells)

    def continues(self, before: "LayoutLine") -> bool:
        """Whether it belongs to the same paragraph, list or table as the line before."""
        alike = self.form == before.form and self.columns == before.columns
        return alike and not (self.begins or self.quote)


@dataclass(frozen=True)
class LayoutSection:
    """Lines under a heading; the first section, without one, answers the question itself."""

    heading: str
    lines: tuple[LayoutLine, ...]

    @property
    def paragraphs(self) -> list[tuple[LayoutLine, ...]]:
        """Its lines grouped into paragraphs, lists and tables; a quote stands alone."""
        groups: list[list[LayoutLine]] = []
        for line in self.lines:
            if not groups or not line.continues(groups[-1][-1]):
                groups.append([])
            groups[-1].append(line)
        return [tuple(group) for group in groups]


@dataclass(frozen=True)
class Layout:
    """Sections in reading order, and the cited passages by number, from 1."""

    sections: tuple[LayoutSection, ...]
    citations: tuple[Citation, ...]

    @property
    def lines(self) -> list[LayoutLine]:
        return [line for section in self.sections for line in section.lines]


def lay_out(report: Mapping[str, Any], numbered: Sequence[Citation] = ()) -> Layout:
    """Read headings and forms from ``answer`` and everything else from ``sentences``, in order.

    Citations of ``numbered`` already have a number, from 1, and come first in the result.
    """
    answer = report["answer"]
    headings = list(_HEADING.finditer(answer))
    titles = ["", *(one_line(heading[1]) for heading in headings)]
    numbers: _Numbered = {citation.key: (n, citation) for n, citation in enumerate(numbered, 1)}
    lines: dict[int, list[LayoutLine]] = {}
    cursor = 0
    for n, stored in enumerate(report["sentences"]):
        sentence = parse_sentence(stored)
        match, before = find_sentence(answer, sentence.text, cursor), cursor
        begin, cursor = match.span() if match else (cursor, cursor)
        index = sum(heading.start() <= begin for heading in headings)
        begins = index not in lines or _PARAGRAPH.search(answer, before, begin) is not None
        listed = f"\n{answer[:begin]}".endswith(f"\n{_ITEM}")
        line = _line(sentence, numbers, n, begins=begins, listed=listed)
        lines.setdefault(index, []).append(line)
    notes = set(map(one_line, report.get("notes") or ()))
    for index, text in enumerate(_texts_under(headings, report)):
        remarks_there = _read_remarks(text)
        if index in lines:  # the sentences themselves are among them
            remarks_there = [line for line in remarks_there if line.text in notes]
        lines.setdefault(index, []).extend(remarks_there)
    sections = (
        LayoutSection(titles[index], tuple(lines[index])) for index in sorted(lines) if lines[index]
    )
    return Layout(tuple(sections), tuple(citation for _, citation in numbers.values()))


def _texts_under(headings: Sequence[re.Match[str]], report: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text before the first heading and under each, without opening and closing."""
    text: str = report["answer"]
    starts = [0, *(heading.end() for heading in headings)]
    ends = [*(heading.start() for heading in headings), len(text)]
    opening, closing = report.get("opening") or "", report.get("closing") or ""
    for start, end in zip(starts, ends, strict=True):
        yield text[start:end].strip().removeprefix(opening).removesuffix(closing)


def standings_of(sentences: Iterable[Any]) -> dict[str, int]:
    """Count sentences by standing.

    ``reviewed`` are those that a person decided without a proof, ``closest`` claim nothing.
    """
    return dict(Counter(map(_standing, map(parse_sentence, sentences))))


def _standing(sentence: CitedSentence) -> str:
    decided = isinstance(sentence, ReviewedSentence) and sentence.review is not None
    if decided and sentence.standing not in PROOF:
        return "reviewed"
    return "closest" if sentence.closest else sentence.standing


def case_of(citation: Citation) -> str:
    """Return for whom or when a quote holds, as set before it; "" if the quote says so itself.

    ``[…]`` marks whole sentences left out between the two.
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


def remarks(texts: Iterable[str], form: Form = "prose") -> tuple[LayoutLine, ...]:
    """Return texts of the program as lines, each a paragraph of its own or an item of a list."""
    lines = [line for line in map(one_line, texts) if line]
    return tuple(
        LayoutLine(line, None, form, (), begins=form == "prose" or n == 0)
        for n, line in enumerate(lines)
    )


def _read_remarks(text: str) -> list[LayoutLine]:
    """Return the text under a heading without sentences, such as what was searched for."""
    lines: list[LayoutLine] = []
    for paragraph in _PARAGRAPH.split(text):
        rows = [row.strip() for row in paragraph.strip().splitlines()]
        rows = [row for row in rows if not _MARKS_ALONE.fullmatch(row)]
        listed = all(row.startswith(_ITEM) for row in rows)
        lines += remarks((row.removeprefix(_ITEM) for row in rows), "item" if listed else "prose")
    return lines


def _line(
    sentence: CitedSentence, numbers: _Numbered, n: int, *, begins: bool, listed: bool
) -> LayoutLine:
    reviewed = sentence if isinstance(sentence, ReviewedSentence) else None
    verbatim = [citation for citation in sentence.citations if citation.quote == sentence.text]
    quote = sentence.standing == "quote" or (bool(verbatim) and sentence.standing != "follows")
    cells = _cells_of(sentence.text) if listed else ()
    cited = dict.fromkeys(
        numbers.setdefault(citation.key, (len(numbers) + 1, citation))[0]
        for citation in sentence.citations
    )
    return LayoutLine(
        text=_with_row_breaks(sentence.text),
        standing=sentence.standing,
        form="row" if cells else "item" if listed else "quote" if quote else "prose",
        numbers=tuple(cited),
        begins=begins,
        cells=cells,
        case=case_of((verbatim or sentence.citations)[0]) if quote else "",
        reason=one_line(sentence.reason),
        decisive=tuple(map(one_line, sentence.decisive)),
        review=reviewed.review if reviewed else None,
        note=reviewed.note if reviewed else None,
        n=n,
        closest=sentence.closest,
    )


def _cells_of(text: str) -> tuple[tuple[str, str], ...]:
    """Return the cells of ``Column: cell | Column: cell`` with their columns; () of other text."""
    pairs = [f"{one_line(cell)} ".partition(": ") for cell in text.split("|")]
    if len(pairs) < 2 or not all(name and colon for name, colon, _ in pairs):
        return ()
    return tuple((name, cell.strip()) for name, _, cell in pairs)


def _with_row_breaks(text: str) -> str:
    """Return text on one line, except for rows of a table, which keep a line each."""
    lines = [one_line(line) for line in text.splitlines() if line.strip()]
    rows = table_lines(lines)
    above, below = " ".join(lines[: rows.start]), " ".join(lines[rows.stop :])
    return "\n".join(filter(None, [above, *lines[rows.start : rows.stop], below]))
