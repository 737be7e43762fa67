"""A document's text as its reader sees it: running text and tables, and the matches of a search.

Parsers write a row of a table as ``Nuclide: H-3 | Limit: 100``; Markdown has ``| H-3 | 100 |``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from services.domain.value import Span
from services.language.text.layout import is_barred, table_lines

_PARAGRAPH: Final = re.compile(r"(?:[^\n]+\n?)+")
_LINE: Final = re.compile(r"[^\n]+")
_RULE: Final = re.compile(r"\|[\s:|-]*-[\s:|-]*\|")
_CELL: Final = re.compile(r"(?:^|(?<= \| ))(?:(?! \| ).)+", re.MULTILINE)
_BARRED_CELL: Final = re.compile(r"(?<=\|)[^|]*(?=\|)")
_NAME: Final = re.compile(r"\S[^|]*?(?=: \S)")
_Row = tuple[Span | None, ...]


@dataclass(frozen=True)
class TableView:
    """A table whose cells are spans, None where empty; a row may be one cell across the table."""

    heads: _Row
    rows: tuple[_Row, ...]

    @property
    def cells(self) -> list[Span]:
        return [cell for row in (self.heads, *self.rows) for cell in row if cell]


def blocks(text: str, extent: Span) -> Iterator[Span | TableView]:
    """Yield the running texts and the tables of a part of a text, in its order."""
    start = extent[0]
    for paragraph in _PARAGRAPH.finditer(text, *extent):
        lines = [line.span() for line in _LINE.finditer(text, *paragraph.span())]
        if rows := table_lines([text[slice(*line)] for line in lines]):
            if text[start : lines[rows.start][0]].strip():
                yield start, lines[rows.start][0]
            yield _table(text, lines[rows.start : rows.stop])
            start = lines[rows[-1]][1]
    if text[start : extent[1]].strip():
        yield start, extent[1]


def matches(text: str, phrase: str, extent: Span | None = None) -> list[Span]:
    """Return where a reader sees a phrase, whatever its case, white space and soft hyphens."""
    words = phrase.split()
    if not words:
        return []
    pattern = r"\s+".join("\xad?".join(map(re.escape, word)) for word in words)
    find = re.compile(pattern, re.IGNORECASE)
    visible = (
        span
        for block in blocks(text, extent or (0, len(text)))
        for span in (block.cells if isinstance(block, TableView) else [block])
    )
    return [match.span() for span in visible for match in find.finditer(text, *span)]


def _table(text: str, lines: Sequence[Span]) -> TableView:
    """Return the lines of a table with its heads; lines of one cell may be between the rows."""
    rows = [_cells(text, line) for line in lines]
    if len(rows) > 1 and _RULE.fullmatch(text[slice(*lines[1])].strip()):
        return _by_position([rows[0], *rows[2:]], headed=True)
    if names := _names(text, rows):
        return _by_name(text, names, rows)
    return _by_position(rows, headed=False)


def _cells(text: str, line: Span) -> list[Span]:
    pattern = _BARRED_CELL if is_barred(text[slice(*line)]) else _CELL
    return [_stripped(text, cell.span()) for cell in pattern.finditer(text, *line)]


def _stripped(text: str, span: Span) -> Span:
    piece = text[slice(*span)]
    start = span[0] + len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def _by_position(rows: Sequence[Sequence[Span]], *, headed: bool) -> TableView:
    width = max(map(len, rows))
    filled = [_filled(row, width) for row in rows]
    return TableView(filled[0], tuple(filled[1:])) if headed else TableView((), tuple(filled))


def _filled(row: Sequence[Span], width: int) -> _Row:
    """Return a row with empty cells at its end, unless one cell goes across the table."""
    cells = [cell if cell[0] < cell[1] else None for cell in row]
    return tuple(cells if len(cells) == 1 else cells + [None] * (width - len(cells)))


def _names(text: str, rows: Sequence[Sequence[Span]]) -> dict[str, Span]:
    """Return the names of the columns, from rows with one before each cell but the first."""
    names: dict[str, Span] = {}
    for row in rows:
        prefixes = [_NAME.match(text, *cell) for cell in row]
        if len(row) > 1 and all(prefixes[1:]):
            names |= {m[0]: m.span() for m in prefixes if m and m[0] not in names}
    return names


def _by_name(text: str, names: Mapping[str, Span], rows: Sequence[Sequence[Span]]) -> TableView:
    """Return a table whose rows repeat the names of the columns; cells without one come first."""
    placed = [_placed(text, names, row) for row in rows]
    free_columns = max(len(free) for free, named in placed if named)
    heads: list[Span | None] = [None] * free_columns + list(names.values())
    known_heads = {head for name in names for head in (name, *name.split(", "))}
    body: list[_Row] = []
    for free, named in placed:
        if named:
            before = [None] * (free_columns - len(free))
            body.append((*before, *free, *(named.get(name) for name in names)))
        elif not {text[slice(*cell)] for cell in free} <= known_heads:  # else heads above the rows
            body.append(_filled(free, len(heads)))
    return TableView(tuple(heads), tuple(body))


def _placed(
    text: str, names: Mapping[str, Span], row: Sequence[Span]
) -> tuple[list[Span], dict[str, Span]]:
    """Return the cells of a row without a name, and the others by their name."""
    free, named = [], {}
    for cell in row:
        match = _NAME.match(text, *cell)
        if match and match[0] in names:
            named[match[0]] = match.end() + 2, cell[1]
        else:
            free.append(cell)
    return free, named
