"""The lines of a PDF as one text: without running headers and footers, joined into paragraphs.

Paragraphs end, in this order of signs, at a heading, a gap, another font size, a bullet or a
numbered subsection, an indentation, and a line in which the next word would have had room.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from statistics import median
from typing import Final, Literal
from unicodedata import category

from services.ingestion.parsers.headings import label_of
from services.ingestion.parsers.pdf.lines import Line, Page

Edge = Literal["top", "bottom"]

_DEPTH: Final = 4
"""How many lines from the edge inwards may belong to a header or footer."""
_LONGEST_FURNITURE: Final = 120
_SHARE: Final = 0.4
"""Left and right pages may differ, so that each header stands on just under half of them."""
_MINIMUM: Final = 3
_TOLERANCE: Final = 8.0  # how far a header may move between pages, in points
_ROMAN = re.compile(r"[ivxlc]+$")
_OUTER_NUMBER = re.compile(r"^(\d+)\b|\b(\d+)$")

_NONE, _SPACE, _NEW_LINE, _PARAGRAPH = "", " ", "\n", "\n\n"
"""What connects two neighbouring lines."""
_PARAGRAPH_GAP: Final = 1.18  # distance of paragraphs, in usual distances of lines
_USUAL_LEADING: Final = 1.25
"""Distance of lines in font heights, where a size is too rare to measure it."""
_FEWEST_DISTANCES: Final = 5
_OTHER_SIZE: Final = 1.15
_CAUTION: Final = 1.15
"""Words are taken for wider than the average letter of their line makes them."""
_SYMBOLS: Final = frozenset({"Sm", "So", "Co"})
"""Categories of signs that mark an item: no section sign, currency or dash."""
_INDENT: Final = 0.8  # smallest indentation, in font heights
_WORD_GAP: Final = 0.12  # distance of words in a row, in font heights
_SENTENCE_END = re.compile(r"[.!?:;…][\"'”“«»)\]]*$")
_BULLET = re.compile(r"[•▪◦‣●○■□➢➔✓·]\s*")
_LIST_ITEM = re.compile(r"(?:[•▪◦‣●○■□–—*-]|\(?(?:\d{1,3}|[a-z]{1,2}|[ivx]+)[.)])\s")
_SUBSECTION = re.compile(r"\(\d+[a-z]{0,2}\)\s")
_LAST_WORD = re.compile(r"([^\W_]+)-$")
_WORD = re.compile(r"[^\W_]+")
_CONJUNCTIONS: Final = frozenset(
    {"und", "oder", "bzw", "beziehungsweise", "respektive", "sowie", "bis", "noch"}
    | {"and", "or", "nor", "versus", "vs"}
)


def without_furniture(pages: Sequence[Page]) -> list[Page]:
    """Remove the lines that repeat at the top or bottom of most pages, apart from the number."""
    removed: set[Line] = set()
    labels = Counter(
        label.text for page in pages for line in page.lines if (label := label_of(line.text))
    )
    for edge in ("top", "bottom"):
        edges = [_edge_lines(page, edge) for page in pages]
        furniture = {
            line for line in _repeated(edges) | _numbered(edges) if not _is_lone_label(line, labels)
        }
        for lines in edges:
            removed.update(takewhile(furniture.__contains__, lines))
    return [
        replace(page, lines=tuple(line for line in page.lines if line not in removed))
        for page in pages
    ]


def _edge_lines(page: Page, edge: Edge) -> list[Line]:
    inwards = sorted(page.lines, key=lambda line: line.baseline, reverse=edge == "top")
    return inwards[:_DEPTH]


def _is_lone_label(line: Line, labels: Mapping[str, int]) -> bool:
    """Return whether a line is the label of a section that no other line begins with."""
    label = label_of(line.text)
    return label is not None and label.kind != "number" and labels[label.text] == 1


def _repeated(edges: Sequence[Sequence[Line]]) -> set[Line]:
    """Return lines whose text, except for digits, is at the same height on many pages."""
    groups: defaultdict[str, list[Line]] = defaultdict(list)
    for lines in edges:
        for line in lines:
            if len(line.text) <= _LONGEST_FURNITURE:
                text = line.text.casefold()
                if not line.row:  # those of a table may differ in their numbers only
                    text = "#" if _ROMAN.match(text) else re.sub(r"\d+", "#", text)
                groups[text].append(line)
    needed = max(_MINIMUM, _SHARE * len(edges))
    furniture: set[Line] = set()
    for group in groups.values():
        level = _at_one_height(group)
        if len({line.page for line in level}) >= needed:
            furniture.update(level)
    return furniture


def _numbered(edges: Sequence[Sequence[Line]]) -> set[Line]:
    """Return lines that begin or end with the page number, as in "18 1.6 Paths and knots"."""
    shifted: defaultdict[int, list[Line]] = defaultdict(list)
    for line in (line for lines in edges for line in lines[:2]):
        if len(line.text) <= _LONGEST_FURNITURE and not line.row:
            for first, last in _OUTER_NUMBER.findall(line.text):
                shifted[int(first or last) - line.page].append(line)
    level = _at_one_height(max(shifted.values(), key=len)) if shifted else []
    enough = len({line.page for line in level}) >= max(_MINIMUM, len(edges) / 2)
    return set(level) if enough else set()


def _at_one_height(lines: Sequence[Line]) -> list[Line]:
    middle = median(line.baseline for line in lines)
    return [line for line in lines if abs(line.baseline - middle) <= _TOLERANCE]


@dataclass(frozen=True, slots=True)
class Flow:
    """Text of the lines, with the start and end offset of every line in it."""

    text: str
    spans: tuple[tuple[int, int], ...]


def join_lines(lines: Sequence[Line], headings: Collection[range]) -> Flow:
    """Compose the text; paragraphs start before and after each heading, at an empty range once."""
    layout, hyphens = _Layout(lines), Hyphens(line.text for line in lines)
    inside = {index for heading in headings for index in heading[1:]}
    of_headings = inside.union(*((heading.start, heading.stop) for heading in headings))
    texts: list[str] = []
    spans: list[tuple[int, int]] = []
    position = 0
    for index, line in enumerate(lines):
        text, separator = line.text, ""
        if index:
            cut, separator = False, _SPACE if index in inside else _PARAGRAPH
            if index not in of_headings:
                separator = layout.break_between(lines[index - 1], line)
            if separator == _SPACE:
                cut, separator = hyphens.join(lines[index - 1].text, text)
            if cut:
                texts[-1] = texts[-1][:-1]
                position -= 1
                spans[-1] = (spans[-1][0], position)
        position += len(separator)
        texts += [separator, text]
        spans.append((position, position + len(text)))
        position += len(text)
    return Flow("".join(texts), tuple(spans))


class _Layout:
    def __init__(self, lines: Sequence[Line]) -> None:
        self._leading = _leadings(lines)
        self._left: dict[tuple[int, int], float] = {}
        self._right: dict[tuple[int, int], float] = {}
        for line in lines:
            column = _column(line)
            self._left[column] = min(self._left.get(column, line.x0), line.x0)
            self._right[column] = max(self._right.get(column, line.x1), line.x1)

    def break_between(self, above: Line, below: Line) -> str:
        if above.row or below.row:
            return _NEW_LINE if above.row and below.row else _PARAGRAPH
        drop = above.baseline - below.baseline
        height = max(above.height, below.height)
        if above.page != below.page or drop < -0.5 * height:
            return self._break_between_columns(above, below)
        if abs(drop) < 0.5 * height and below.x0 > above.x1 - 2:
            return _NONE if _touch(above, below) else _SPACE
        usual = self._leading.get(round(height, 1), _USUAL_LEADING * height)
        if drop > _PARAGRAPH_GAP * usual or _other_size(above, below):
            return _PARAGRAPH
        if _BULLET.match(below.text) or _begins_item(above, below):
            return _NEW_LINE
        ended = bool(_SENTENCE_END.search(above.text))
        if ended and (_SUBSECTION.match(below.text) or _indented(above, below)):
            return _PARAGRAPH
        if not above.hyphen and self._had_room(above, below):
            return _PARAGRAPH if ended else _NEW_LINE
        return _SPACE

    def _break_between_columns(self, above: Line, below: Line) -> str:
        """Return the separator over a page or column border: sentences go on unless they end."""
        if _other_size(above, below):
            return _PARAGRAPH
        if not _SENTENCE_END.search(above.text):
            return _NEW_LINE if _BULLET.match(below.text) else _SPACE
        starts = _LIST_ITEM.match(below.text) or _SUBSECTION.match(below.text)
        indent = below.x0 - self._left[_column(below)]
        if starts or self._had_room(above, below) or indent > _INDENT * below.height:
            return _PARAGRAPH
        return _SPACE

    def _had_room(self, above: Line, below: Line) -> bool:
        word = below.text.split(maxsplit=1)[0]
        letter = _CAUTION * (above.x1 - above.x0) / len(above.text)
        needed = (len(word) + 1) * letter + 0.5 * above.height
        return above.x1 + needed < self._right[_column(above)]


def _leadings(lines: Sequence[Line]) -> dict[float, float]:
    drops: defaultdict[float, Counter[float]] = defaultdict(Counter)
    for above, below in pairwise(lines):
        drop = round(above.baseline - below.baseline, 1)
        if above.page == below.page and 0.8 * above.height < drop < 2.2 * above.height:
            drops[round(max(above.height, below.height), 1)][drop] += 1
    return {
        height: counter.most_common(1)[0][0]
        for height, counter in drops.items()
        if counter.total() >= _FEWEST_DISTANCES
    }


def _column(line: Line) -> tuple[int, int]:
    """Return the column of a line: lines that start within about an inch share one."""
    return line.page, round(line.x0 / 72)


def _indented(above: Line, below: Line) -> bool:
    """Return whether a line is indented; the second line of a list item does not count."""
    return below.x0 - above.x0 > _INDENT * below.height and not _LIST_ITEM.match(above.text)


def _begins_item(above: Line, below: Line) -> bool:
    """Return whether a line begins further left, with a mark alone, as an item after an item."""
    mark = below.text.split(maxsplit=1)[0]
    outdented = above.x0 - below.x0 > _INDENT * below.height
    return outdented and len(mark) == 1 and category(mark) in _SYMBOLS


def _touch(left: Line, right: Line) -> bool:
    """Return whether two pieces of a row are one word; a raised digit never joins a number."""
    numbers = left.text[-1].isdigit() and right.text[0].isdecimal()
    return right.x0 - left.x1 <= _WORD_GAP * left.height and not numbers


def _other_size(above: Line, below: Line) -> bool:
    small, large = sorted((above.height, below.height))
    return large > _OTHER_SIZE * small


class Hyphens:
    """Decides by the words within the lines of a document what a hyphen at a line end means."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: set[str] = set()
        broken = False
        for line in lines:
            words = _WORD.findall(line)[broken:]
            broken = line.endswith("-")
            self._words.update(words[:-1] if broken else words)

    def join(self, above: str, below: str) -> tuple[bool, str]:
        """Return whether the hyphen above goes, and what stands between two lines of a paragraph.

        Suspended hyphens stay ("Umwelt- und"), and so do those of compounds
        ("UV-Strahlung").
        """
        if not above.endswith("-"):
            return False, " "
        last, first = _LAST_WORD.search(above), _WORD.match(below)
        if last is None or first is None or first[0].casefold() in _CONJUNCTIONS:
            return False, " "
        return self._is_broken(last[1], first[0]), ""

    def _is_broken(self, last: str, first: str) -> bool:
        if not first[0].islower() or last[-1].isdigit() or (len(last) > 1 and last.isupper()):
            return False
        if last + first in self._words:
            return True
        return last not in self._words or first not in self._words
