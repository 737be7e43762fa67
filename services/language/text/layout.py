"""Split a text at the units that its layout shows: paragraphs, headings, list items, rows, code.

A line break either wraps a paragraph or ends something: told by how the next line begins, and by
whether its first word would have fitted on the line before.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from services.domain.value import BETWEEN_CELLS

LINE = re.compile(r"[^\n\r\f\v\x85\u2028\u2029]+")
_RULE = re.compile(r"([=\-~^\"'`#*+._:|])\1{2,}\s*$|(?=[\s:|-]*?-{3})[\s:|-]++$")
_FENCE = re.compile(r"(?:```|~~~)")
MARKDOWN_HEADING = re.compile(r"#{1,6}\s+\S")
_BULLET = re.compile(r"[*+•◦▪‣·]\s+\S")
_DASH = re.compile(r"[-–—]\s+\S")
_BETWEEN_BARS = re.compile(r"\s*\|.+\|\s*$")
_NAMED_CELLS = re.compile(r"(?=[^\W_a-zß-ÿ])(?:[^|]* \| )?[^|]*\S: \S[^|]* \| \S")
_FIELD = re.compile(r":?[A-Z][A-Za-z-]{2,24}:\s+\S")
_SUBSECTION = re.compile(r"\(\d{1,2}[a-z]{0,2}\)\s+[A-ZÄÖÜ„\"(]")
_NUMBERED_HEADING = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[A-ZÄÖÜ]")
_SECTION_HEADING = re.compile(
    r"§\s*\d+[a-z]*\s+(?!Abs|S[aä]tze?\b|Nr|Nummer|Buchst|Halbsatz|Ziff)[A-ZÄÖÜ(„]"
    r"|(?:Teil|Kapitel|Abschnitt|Unterabschnitt|Titel|Buch|Anlage|Anhang|Artikel|Chapter|Part"
    r"|Appendix|Annex)\s+(?:\d+[a-z]?|[IVXLC]+|[A-Z])(?:\s+(?!Abs|S[aä]tz|Nr|Nummer)[A-ZÄÖÜ(„]|\s*$)"
)
_BEGINS_ANEW = re.compile(r"[A-ZÄÖÜ\d§„\"“«»('`\[<|]")
_FINISHED = re.compile(r"[.!?:;…][\"'“”’»)\]`*]*\s*$")
_UNFINISHED = re.compile(r"[,\-–(„|;]\s*$")
_CODE = re.compile(
    r"""\s*(?:>>>|\.\.\.\s|@\w|\#!|\#\s
      | (?:async\s+)?(?:def|class)\s+\w | (?:from|import)\s+[\w.]+(?:\s+import\b|\s*$|\s*,|\s+as\b)
      | (?:return|raise|yield|await|assert|del|pass|else|try|finally|break|continue)\b[^.]*$
      | (?:if|elif|for|while|with|except|match|case)\b.*:\s*(?:\#.*)?$
      | [\w.\[\]]+\s*(?::\s*[\w.\[\]|, "']+)?=[^=] | [\w.]+\(.*\)?\s*(?:\#.*|->.*)?$
      | [)\]}]+[,:;]?\s*$ | type\s+\w+.*= | \w+:\s*[A-Z]\w*(?:\[.*\])?\s*(?:\#.*)?$ )""",
    re.VERBOSE,
)
_SHORT: Final = 0.7
_NARROWEST: Final = 40


@dataclass(frozen=True)
class _Line:
    start: int
    end: int
    text: str

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())

    @property
    def stripped(self) -> str:
        return self.text.strip()


@dataclass(frozen=True)
class Unit:
    """A span without outer white space; ``prose``: it may hold several sentences."""

    start: int
    end: int
    prose: bool
    row: bool = False


def units(text: str) -> Iterator[Unit]:
    """Yield the layout units of a text; together they cover all but white space."""
    fenced = False
    for block in _blocks(text):
        fences = sum(bool(_FENCE.match(line.stripped)) for line in block)
        if fenced or fences or _is_code(block):
            yield _unit(block, prose=False)
        else:
            rows = table_lines([line.text for line in block])
            yield from _cut(block[: rows.start])
            for line in block[rows.start : rows.stop]:
                rule = _RULE.match(line.stripped)
                yield _unit([line], prose=not rule, row=not rule and is_row(line.text))
            yield from _cut(block[rows.stop :])
        fenced ^= fences % 2 == 1


def table_lines(lines: Sequence[str]) -> range:
    """Return the lines of a paragraph from its first to its last row, if most of these are rows."""
    rows = [n for n, line in enumerate(lines) if is_row(line)]
    table = range(rows[0], rows[-1] + 1) if rows else range(0)
    is_table = 2 * len(rows) > len(table) and (len(table) > 1 or names_cells(lines[rows[0]]))
    return table if rows and is_table else range(len(lines), len(lines))


def is_row(line: str) -> bool:
    return is_barred(line) or (not line[:1].isspace() and BETWEEN_CELLS in line)


def is_barred(line: str) -> bool:
    return _BETWEEN_BARS.match(line) is not None


def _blocks(text: str) -> Iterator[list[_Line]]:
    block: list[_Line] = []
    previous_end = 0
    for match in LINE.finditer(text):
        line = _Line(match.start(), match.end(), match.group())
        gap = text[previous_end : line.start]
        apart = gap.count("\n") + gap.replace("\r\n", "").count("\r") > 1
        if block and (apart or not line.stripped):
            yield block
            block = []
        previous_end = line.end
        if line.stripped:
            block.append(line)
    if block:
        yield block


def _is_code(block: list[_Line]) -> bool:
    like = sum(bool(_CODE.match(line.text)) for line in block)
    indented = all(line.indent >= 2 for line in block[1:] or block)
    return like >= (0.5 if indented else 0.8) * len(block)


def _cut(block: list[_Line]) -> Iterator[Unit]:
    if not block:
        return
    lengths = sorted(len(line.text.rstrip()) for line in block)
    width = lengths[int(0.9 * (len(lengths) - 1))] if len(lengths) > 1 else 0  # of a wrapped line
    pending: list[_Line] = []
    for line in block:
        if pending and _ends(pending, line, width):
            yield _unit(pending, prose=not _RULE.match(pending[0].stripped))
            pending = []
        pending.append(line)
    yield _unit(pending, prose=not _RULE.match(pending[0].stripped))


def _ends(pending: list[_Line], line: _Line, width: int) -> bool:
    """Return whether the unit of the pending lines ends before ``line``."""
    before, after = pending[-1], line.stripped
    if any(pattern.match(after) for pattern in (_RULE, MARKDOWN_HEADING, _BULLET, _SUBSECTION)):
        return True
    if _RULE.match(before.stripped) or MARKDOWN_HEADING.match(before.stripped):
        return True
    if _FIELD.match(after) and _FIELD.match(pending[0].stripped):
        return True
    finished = bool(_FINISHED.search(before.text)) or _is_heading(pending)
    if _is_heading([line]) or _DASH.match(after):
        return finished or bool(_DASH.match(pending[0].stripped))
    return _broken_early(before, after, width)


def names_cells(line: str) -> bool:
    return _NAMED_CELLS.match(line) is not None


def _is_heading(lines: list[_Line]) -> bool:
    first = lines[0].stripped
    if len(lines) > 3 or _FINISHED.search(lines[-1].text):
        return False
    return bool(_SECTION_HEADING.match(first) or _NUMBERED_HEADING.match(first))


def _broken_early(before: _Line, after: str, width: int) -> bool:
    """Return whether a line ended although the next word would have fitted."""
    if width < _NARROWEST or _UNFINISHED.search(before.text) or not _BEGINS_ANEW.match(after):
        return False
    needed = len(before.text.rstrip()) + 1 + len(after.split(maxsplit=1)[0])
    return needed < _SHORT * width


def _unit(lines: list[_Line], *, prose: bool, row: bool = False) -> Unit:
    first, last = lines[0], lines[-1]
    return Unit(first.start + first.indent, last.start + len(last.text.rstrip()), prose, row)
