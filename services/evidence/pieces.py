"""Split a text into pieces by its layout: paragraphs, list items, table rows, code."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from typing import Final, Literal

from services.domain.value import Span
from services.language.text.layout import LINE, MARKDOWN_HEADING, units
from services.language.text.sentences import clauses, is_heading

PieceKind = Literal["prose", "heading", "row", "code", "rule"]

_BULLET: Final = re.compile(r"([*+•◦▪‣·]|[-–—])\s+(?=\S)")
_ORDERED: Final = re.compile(r"(\(?)(\d{1,3}[a-z]{0,2}|[A-Z]|([a-z])\3?)([.)])\s+(?=\S)")
_UNDERLINE: Final = re.compile(r"([=\-~^\"'`#*+._:])\1{2,}\s*$")


@dataclass(frozen=True)
class Marker:
    """The start of a list item: ``-``, ``2.``, ``b)``, ``(3)``.

    ``family`` is the same for all items of a list. ``ordinal`` counts from 1 and is 0 for bullets.
    ``end`` is where the words of the item begin.
    """

    family: str
    ordinal: int
    end: int


@dataclass(frozen=True)
class Piece:
    """Lines that belong together: a paragraph, an item, a row, a block of code.

    ``words`` is where the text after the marker begins; ``apart`` is true after a blank line.
    """

    start: int
    end: int
    kind: PieceKind
    indent: int
    apart: bool
    marker: Marker | None = None

    @property
    def words(self) -> int:
        return self.marker.end if self.marker else self.start


@dataclass(frozen=True)
class _Line:
    start: int
    end: int
    text: str
    marker: Marker | None

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())


def pieces(text: str) -> list[Piece]:
    """Return the pieces of a text in order, disjoint, covering everything but white space."""
    result: list[Piece] = []
    for unit in units(text):
        apart = not result or text.count("\n", result[-1].end, unit.start) > 1
        lines = _lines(text, unit.start, unit.end)
        if result and _is_literal(text, result[-1], lines):
            result.append(Piece(unit.start, unit.end, "code", lines[0].indent, apart))
        elif unit.row:
            result.append(Piece(unit.start, unit.end, "row", lines[0].indent, apart))
        elif unit.prose:
            result += _split_lines(text, lines, apart)
        else:
            result.append(_block_piece(text, unit.start, unit.end, apart))
    return [
        replace(piece, kind="heading", marker=None)
        if piece.kind == "prose" and _is_title(text, piece, below)
        else piece
        for piece, below in zip_longest(result, result[1:])
    ]


def _is_literal(text: str, before: Piece, lines: Sequence[_Line]) -> bool:
    """Return whether lines are a literal block: indented after ``::``, or continuing one."""
    indent = min((line.indent for line in lines), default=0)
    if before.kind == "code":
        return 0 < before.indent <= indent
    opens = before.kind == "prose" and text.endswith("::", 0, before.end)
    return opens and indent > before.indent


def _lines(text: str, start: int, end: int) -> list[_Line]:
    lines = []
    for match in LINE.finditer(text, start, end):
        if words := match.group().strip():
            begin = match.start() + match.group().index(words)
            before = text[text.rfind("\n", 0, begin) + 1 : begin]
            content = (before if not before.strip() else "") + words
            marker = _marker(text, begin, begin + len(words))
            lines.append(_Line(begin, begin + len(words), content, marker))
    return lines


def _marker(text: str, start: int, end: int) -> Marker | None:
    """Return the marker at an offset, whether or not it begins an item there."""
    if bullet := _BULLET.match(text, start, end):
        return Marker(bullet[1], 0, bullet.end())
    ordered = _ORDERED.match(text, start, end)
    if ordered is None or (ordered[2].isupper() and ordered[4] == "."):
        return None
    style, ordinal = _counted(ordered[2])
    return Marker(f"{ordered[1]}{style}{ordered[4]}", ordinal, ordered.end())


def _counted(label: str) -> tuple[str, int]:
    """Return the numbering style and the ordinal of a label: ``2a`` and ``2`` are both 2."""
    digits = label.rstrip("abcdefghijklmnopqrstuvwxyz")
    if digits.isdigit():
        return "1", int(digits)
    style = "A" if label.isupper() else "a" * len(label)
    return style, ord(label[0].lower()) - ord("a") + 1


def _split_lines(text: str, lines: Sequence[_Line], apart: bool) -> Iterator[Piece]:
    counting = _Counting(lines)
    begins = [n for n in range(len(lines)) if n == 0 or _begins(lines, n, counting)]
    for first, after in pairwise([*begins, len(lines)]):
        line, end = lines[first], lines[after - 1].end
        yield Piece(line.start, end, "prose", line.indent, apart and first == 0, line.marker)


class _Counting:
    """The lines of a paragraph that have each marker, indexed once."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self.indices: dict[tuple[str, int], list[int]] = {}
        self.last = -1
        self.counted: list[_Line] = []
        for n, line in enumerate(lines):
            if marker := line.marker:
                self.indices.setdefault((marker.family, marker.ordinal), []).append(n)
                self.last = n
                self.counted += [line] if marker.ordinal else []
        self.families = Counter(line.marker.family for line in lines if line.marker)

    def has_before(self, n: int, family: str, ordinal: int) -> bool:
        return self.indices.get((family, ordinal), [n])[0] < n

    def has_after(self, n: int, family: str, ordinal: int) -> bool:
        return self.indices.get((family, ordinal), [n])[-1] > n


def _begins(lines: Sequence[_Line], n: int, counting: _Counting) -> bool:
    line = lines[n]
    if line.marker is None:
        return _follows_list(lines, n, counting)
    family, ordinal = line.marker.family, line.marker.ordinal
    leads = ordinal <= 1 and lines[n - 1].text.endswith(":")
    if ordinal == 0:
        return counting.families[family] > 1 or leads
    if ordinal == 1:
        # Markdown renumbers lists, so every item may be written ``1.``.
        lazy = len(counting.indices[family, 1]) > 1
        return lazy or counting.has_after(n, family, 2) or leads
    return any(counting.has_before(n, family, previous) for previous in (ordinal - 1, ordinal))


def _follows_list(lines: Sequence[_Line], n: int, counting: _Counting) -> bool:
    """Return whether a line begins the sentence after a numbered list, outside its last item."""
    line, counted = lines[n], counting.counted
    if len(counted) < 2 or counting.last > n:
        return False
    ended = lines[n - 1].text.endswith((".", "!", "?"))
    return ended and line.indent <= counted[-1].indent and line.text.strip()[:1].isupper()


def _block_piece(text: str, start: int, end: int, apart: bool) -> Piece:
    before = text[text.rfind("\n", 0, start) + 1 : start]
    indent = len(before) if not before.strip() else 0
    kind: PieceKind = "code" if re.search(r"\w", text[start:end]) else "rule"
    return Piece(start, end, kind, indent, apart)


def _is_title(text: str, piece: Piece, below: Piece | None) -> bool:
    """Return whether a piece of prose is a Markdown heading or an underlined line."""
    if below and below.kind == "rule" and not below.apart:
        ruled = _UNDERLINE.match(text[below.start : below.end])
        if ruled and "\n" not in text[piece.start : piece.end]:
            return True
    return bool(MARKDOWN_HEADING.match(text, piece.start))


LONGEST_CASE: Final = 600
"""Characters of a case that is combined of several, or quoted in full."""
_MARKER: Final = 8
"""Most characters of a marker between two lead-ins, white space included."""

_ANAPHORIC: Final = re.compile(
    r"^\W*(?:diese[mnrs]?|dies|sie|er|es|ihm|ihr|ihnen|deren|dessen|satz\s+\d|(?:die\s+)?sätze\s+\d|abweichend\s+(?:da|hier)von"
    r"|(?:in|für|bei|nach|mit)\s+diese[mnrs]?|hierbei|hierzu|hierfür|dabei|dazu|davon|dafür|danach|daneben|das\s+gleiche"
    r"|jedoch|allerdings|deshalb|daher|andernfalls|ausgenommen|dann|dort"
    r"|this|these|those|it|they|he|she|that|such|here|in\s+(?:this|that|these|such)|for\s+(?:this|these)|however|instead|otherwise"
    r"|therefore|thus|then|similarly|conversely|in\s+contrast|the\s+(?:same|latter|former|only\s+exception))\b",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(
    r"(?P<elsewhere>(?:§+|\b(?:Abs(?:atz(?:es)?|ätzen?|\.)|Art(?:ikels?|\.)|Nummern?|Nr\.|Anlagen?"
    r"|paragraph|section|subsection|article))\s*\d+[a-z]?\s+)?"
    r"\b(?:Satz(?:es)?|Sätzen?|sentences?)\s+(?P<number>\d{1,2})\b",
    re.IGNORECASE,
)
_EXCEPTION: Final = re.compile(
    r"^\W*(?:(?:abweichend|unbeschadet|ausgenommen)\b|(?:die\s+)?s[aä]tze?\s+\d"
    r"|(?:dies|das|this|it|that)\s+(?:gilt\s+(?:\w+\s+)?nicht|(?:does|shall|do)\s+not\s+apply)"
    r"|(?:the\s+)?(?:first|second|preceding|previous)\s+sentences?\b|by\s+way\s+of\s+derogation)",
    re.IGNORECASE,
)


def is_anaphoric(sentence: str) -> bool:
    """Return whether a sentence's subject is in the one before: ``Sie ist …``, ``It is …``."""
    return bool(_ANAPHORIC.match(sentence))


def is_exception(sentence: str) -> bool:
    """Return whether a sentence restricts an earlier one: ``Satz 1 gilt nicht …``."""
    return bool(_EXCEPTION.match(sentence))


def is_open(sentence: str) -> bool:
    """Return whether a sentence needs what follows it: it is a question or ends with a colon."""
    return sentence.rstrip("*_` ").endswith((":", "?"))


def first_needed(sentence: str, number: int) -> int | None:
    """Return the index of the first sentence before ``number`` that one cites: ``Satz 1`` is 0."""
    named = (
        int(match["number"]) - 1 for match in _NUMBERED.finditer(sentence) if not match["elsewhere"]
    )
    return min((index for index in named if 0 <= index < number), default=None)


def combined(text: str, outer: Span | None, inner: Span | None) -> Span | None:
    """Return the case of an item in a nested list: both lead-ins if nothing separates them."""
    if outer is None or inner is None or inner[0] <= outer[0]:
        return inner or outer
    if are_near(text, outer, inner):
        return outer[0], inner[1]
    return inner if is_clause(text, inner) else outer


def are_near(text: str, outer: Span, inner: Span) -> bool:
    """Return whether two lead-ins make one quote: at most a marker stands between them."""
    between = text[outer[1] : inner[0]]
    apart = len(between) > _MARKER and any(character.isalnum() for character in between)
    return not apart and inner[1] - outer[0] <= LONGEST_CASE


def is_clause(text: str, lead_in: Span) -> bool:
    """Return whether a lead-in says something by itself, unlike ``2. for plants``."""
    words = text[slice(*lead_in)].rstrip("*_` ")
    return words.endswith(":") or not is_heading(words)


def short_rule(text: str, rule: Span | None) -> Span | None:
    """Return the rule of a subsection; of a long enumeration only the words before its items."""
    if rule is None or rule[1] - rule[0] <= LONGEST_CASE:
        return rule
    return clauses(text, *rule)[0]
