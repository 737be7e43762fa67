"""Find headings without markup: lines with a label, and short lines alone above text.

The latter are told in every language by place and style. Repeated lines ("Example:") are no
headings, and several in a row are a list.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from services.ingestion.parsers.extraction import Heading, plain_title
from services.ingestion.parsers.headings import (
    LabelKind,
    is_heading_like,
    is_label,
    label_of,
    with_paragraph_signs,
)

CAPITALS, BOLD, PLAIN = range(3)
"""Styles of a line, from the one whose headings stand above the others'."""

LONGEST: Final = 90  # characters of the longest heading that only its place tells
MOST_IN_A_ROW: Final = 2
"""A heading and one below it; more short lines in a row are a list, a form or an address."""
FEWEST: Final = 2  # headings that a text needs of a style: a single one is chance
_CLOSE: Final = 6  # characters between a bare label and its title: blank lines
_BOLD: Final = re.compile(r"(\*\*|__)(?=\S)(?P<title>(?:(?!\1).)+)(?<=\S)\1")
_SENTENCE: Final = re.compile(r"[.!?;][\"'”“»)\]]*(?:\s|$)")
_COMPLETE: Final = re.compile(r"[.!?;…][\"'”“»)\]*_]*$")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph that begins at ``start``; ``bold`` where all of it is set so."""

    start: int
    text: str
    bold: bool = False

    @property
    def title(self) -> str:
        marked = _BOLD.fullmatch(self.text)
        return plain_title(marked["title"] if marked else self.text)

    @property
    def style(self) -> int | None:
        """How a line is set that could be a heading, None where it could not."""
        if "\n" in self.text:
            return None
        title = self.title
        if "|" in title or not 2 < len(title) <= LONGEST:
            return None
        label = label_of(title)
        if not title[0].isalnum() or title[0].islower() or not is_heading_like(title, label):
            return None
        if title.isupper() and len(title.split()[0]) > 1:
            return CAPITALS
        if self.bold or _BOLD.fullmatch(self.text):
            return BOLD
        return None if label is not None and label.kind == "number" else PLAIN


def blocks_of(text: str) -> list[Block]:
    """Return the paragraphs; a first line that ends although the next word had room is separate."""
    blocks: list[Block] = []
    for match in re.finditer(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*", text):
        first, _, following = match[0].partition("\n")
        if following and _ends_early(first, following):
            blocks.append(Block(match.start(), first.rstrip()))
            begin = match.start() + len(first) + 1 + len(following) - len(following.lstrip())
            blocks.append(Block(begin, following.strip()))
        else:
            blocks.append(Block(match.start(), match[0].rstrip()))
    return blocks


def _ends_early(first: str, following: str) -> bool:
    room = max(map(len, following.split("\n"))) - len(first.rstrip())
    goes_on = label_of(following.lstrip()) is not None or following.lstrip()[0].islower()
    return not goes_on and len(following.split()[0]) < room


_PATTERN_LEVELS: Final[dict[LabelKind, int]] = {
    "annex": 1, "container": 2, "article": 3, "paragraph": 4,
}  # fmt: skip


def labelled_headings(blocks: Sequence[Block]) -> list[Heading]:
    """Return separate lines with a label ("§ 4 Einsatz"); numbers only where they continue."""
    headings: list[Heading] = []
    numbering: list[int] = []
    titles = with_paragraph_signs([" ".join(block.text.split()) for block in blocks])
    for block, title in zip(blocks, titles, strict=True):
        label = label_of(title)
        if label is None or not is_heading_like(title, label):
            continue
        level = _PATTERN_LEVELS.get(label.kind, 0)
        if label.kind == "number":
            numerals = label.text.split(".")
            numbers = [int(numeral) for numeral in numerals if numeral.isdigit()]
            if len(numbers) < len(numerals) or not _continues(numbering, numbers):
                continue
            numbering, level = numbers, len(_PATTERN_LEVELS) + len(numerals)
        headings.append(
            Heading(block.start, block.start + len(block.text), plain_title(title), level)
        )
    return headings


def _continues(last: list[int], new: list[int]) -> bool:
    if not last:
        return all(number in (0, 1) for number in new)
    if new == [*last, 1]:
        return True
    depth = len(new) - 1
    return depth < len(last) and new[:depth] == last[:depth] and new[depth] == last[depth] + 1


def all_headings(marked: Sequence[Heading], blocks: Sequence[Block]) -> list[Heading]:
    """Return headings with markup, else those with labels, and with them lines that stand alone.

    The latter rank below markup and equal to labels; beside labels they must be bold or capitals.
    One that follows a bare label (``§ 6``) is its title.
    """
    labelled = {heading.start: heading for heading in marked or labelled_headings(blocks)}
    lines = [
        _Line(block, is_labelled=block.start in labelled, needs_type=bool(labelled))
        for block in blocks
    ]
    deepest = max((heading.level for heading in marked), default=-1)
    above: Heading | None = None
    headings: list[Heading] = []
    alone = {heading.start: heading for heading in _standalone(lines, deepest + 1)}
    for start in sorted(labelled.keys() | alone.keys()):
        heading = labelled.get(start) or alone[start]
        if start in alone and not marked and above is not None:
            if is_label(above.title) and start - above.end < _CLOSE:
                title = f"{above.title} {heading.title}"
                headings[-1] = above = Heading(above.start, heading.end, title, above.level)
                continue
            heading = replace(heading, level=above.level)
        if start in labelled:
            above = heading
        headings.append(heading)
    return headings


class _Line:
    """A block among others: how it is set if it could be a heading, and whether it is one."""

    def __init__(self, block: Block, *, is_labelled: bool, needs_type: bool) -> None:
        self.block, self.is_labelled = block, is_labelled
        style = None if is_labelled else block.style
        self.style = None if needs_type and style == PLAIN else style
        self.complete = is_labelled or _COMPLETE.search(block.text) is not None


def _standalone(lines: Sequence[_Line], level: int) -> Iterator[Heading]:
    """Yield the lines that are headings by place and style, from ``level`` on."""
    names = Counter(line.block.title.casefold() for line in lines if line.style is not None)
    candidates = [
        line
        for row in _rows(lines)
        for line in lines[row.start : row.stop]
        if names[line.block.title.casefold()] == 1 and _above_text(line, row, lines)
    ]
    styles = Counter(line.style for line in [*_title_above_text(lines), *candidates])
    for line in candidates:
        block, style = line.block, line.style
        if style is not None and styles[style] >= FEWEST:
            yield Heading(block.start, block.start + len(block.text), block.title, level + style)


def _title_above_text(lines: Sequence[_Line]) -> Sequence[_Line]:
    """Return the first line if it is above text as headings are: it names the document."""
    first, below = lines[:1], lines[1:2]
    above = first and below and first[0].style is not None and below[0].style is None
    return first if above and _SENTENCE.search(below[0].block.text) else ()


def _rows(lines: Sequence[_Line]) -> Iterator[range]:
    """Runs of lines that could be headings, with text below; the first names the document."""
    start = 0
    for number, line in enumerate(lines):
        if line.style is not None:
            continue
        if 0 < number - start <= MOST_IN_A_ROW:
            yield range(max(start, 1), number)
        start = number + 1


def _above_text(line: _Line, row: range, lines: Sequence[_Line]) -> bool:
    """Return whether a line is separate: the text above is complete, sentences follow."""
    above, below = lines[row.start - 1], lines[row.stop].block.text
    if above.block.text.endswith(":") and not above.is_labelled:
        return False
    if line.style == BOLD:
        return True
    sentences = len(below) > len(line.block.text) and _SENTENCE.search(below) is not None
    titled = row.start == 1 and above.style is not None
    return sentences and (line.style == CAPITALS or titled or above.complete)
