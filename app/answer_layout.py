"""A report laid out for reading: its sentences under their headings, places numbered once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from services.types import Citation, Sentence

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class Mark:
    """A citation with its number; the same place has the same number everywhere."""

    number: int
    citation: Citation


@dataclass(frozen=True)
class Line:
    """A sentence of the answer. A quote is the document's own words.

    ``begins`` tells that a paragraph begins with it.
    """

    text: str
    supported: bool
    quote: bool
    marks: tuple[Mark, ...]
    begins: bool = True


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


def lay_out(report: dict[str, Any]) -> list[Part]:
    """Parts of a report in reading order.

    Args:
        report: the JSON object "research report"; ``answer`` holds the headings, ``sentences``
            the text, in the same order.
    """
    answer = report["answer"]
    headings = [(match.start(), match[1].strip()) for match in _HEADING.finditer(answer)]
    numbers = _Numbers()
    lines: dict[int, list[Line]] = {}
    cursor = 0
    for item in report["sentences"]:
        sentence = Sentence.model_validate(item)
        behind = cursor
        begin, cursor = _span(answer, sentence.text, cursor)
        index = sum(start <= begin for start, _ in headings)
        begins = index not in lines or _PARAGRAPH.search(answer, behind, begin) is not None
        lines.setdefault(index, []).append(_line(sentence, numbers, begins))
    titles = ["", *(title for _, title in headings)]
    return [Part(titles[index], tuple(lines[index])) for index in sorted(lines)]


def _line(sentence: Sentence, numbers: "_Numbers", begins: bool) -> Line:
    own_words = any(citation.quote == sentence.text for citation in sentence.citations)
    marks = tuple(Mark(numbers.of(citation), citation) for citation in sentence.citations)
    return Line(" ".join(sentence.text.split()), sentence.supported, own_words, marks, begins)


def _span(answer: str, sentence: str, after: int) -> tuple[int, int]:
    """Where a sentence stands in the answer, whatever its line breaks; ``after`` if nowhere."""
    pattern = r"\s+".join(re.escape(word) for word in sentence.split())
    found = re.compile(pattern).search(answer, after) if pattern else None
    return found.span() if found else (after, after)


class _Numbers:
    """Numbers places in order of first appearance."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int, int], int] = {}

    def of(self, citation: Citation) -> int:
        place = (citation.document_id, citation.start, citation.end)
        return self._known.setdefault(place, len(self._known) + 1)


def cited_places(parts: Sequence[Part]) -> list[Mark]:
    """Every cited place once, by number."""
    marks = {mark.number: mark for part in parts for line in part.lines for mark in line.marks}
    return [marks[number] for number in sorted(marks)]
