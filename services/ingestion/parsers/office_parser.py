"""Read the tables of spreadsheets as their sheets show them, each row with its place."""

import csv
import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from io import StringIO
from itertools import islice, pairwise, product
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

from lxml import etree

from services.domain.notices import Notice
from services.ingestion.parsers.archive import as_transitional, checked_archive
from services.ingestion.parsers.encoding import decode
from services.ingestion.parsers.extraction import (
    Extraction,
    clean,
    in_sections,
    require_length,
    to_superscript,
)
from services.ingestion.parsers.file_metadata import file_metadata
from services.ingestion.parsers.tables import ParsedCell, grid_of, padded, sheet_lines
from services.ingestion.parsers.text_body import loss_notices
from services.language.query.language import language_by_words

_WITH_WORDS: Final = ("xl/sharedStrings", "xl/worksheets/sheet")
_BESIDE_CELLS: Final = re.compile(r"xl/(?:comments|drawings/drawing).*\.xml$")
_UNREAD_TEXT: Final = re.compile(rb"<(?:\w+:)?(?:comment|txBody)\b")
_TAG: Final = re.compile("<[^>]*>?")
_SAMPLE: Final = 100_000
"""Bytes of each file of a workbook by which its language is told."""
_MOST_MERGED: Final = 10_000
"""Places of one merged cell; a sheet may merge whole columns."""
_MOST_NAMED: Final = 5
_SAMPLED_ROWS: Final = 50  # rows of a file by which its separator is told

_Style = tuple[bool, bool]
"""Whether a row is bold, and whether it has a colour behind it."""


def parse_workbook(path: Path) -> Extraction:
    """Read an ``.xlsx`` file as its sheets show it, formulas with the values of its last save."""
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    with checked_archive(path, InvalidFileException), ZipFile(as_transitional(path)) as archive:
        workbook = load_workbook(
            as_transitional(path), read_only=True, data_only=True, rich_text=True
        )
        sheets = [(sheet, _layout(archive, sheet)) for sheet in workbook.worksheets]
        decimal_comma = _language(archive) == "de"
        sections, hidden = [], 0
        for sheet, layout in sheets:
            if sheet.sheet_state == "visible":
                grid, marked, left_out = _grid(sheet, layout, decimal_comma)
                if lines := sheet_lines(grid, marked):
                    sections.append((sheet.title, lines))
                hidden += left_out
        warnings = tuple(_omitted(archive, sheets, hidden))
        properties = workbook.properties
    metadata = file_metadata(
        tags=properties.keywords, author=properties.creator, day=properties.modified
    )
    return in_sections(properties.title, sections, metadata, warnings)


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the file of a sheet says beside its values; rows and columns count from 1.

    ``merged`` leads from a place to the place that covers it. ``unsaved`` are the cells whose
    formula has no value, as a program writes them that does not calculate.
    """

    rows: frozenset[int]
    columns: frozenset[int]
    merged: Mapping[tuple[int, int], tuple[int, int]]
    unsaved: tuple[str, ...]


def _layout(archive: ZipFile, sheet: Any) -> _Layout:
    from openpyxl.utils import range_boundaries

    rows, columns, unsaved = set[int](), set[int](), list[str]()
    merged: dict[tuple[int, int], tuple[int, int]] = {}
    row = 0
    with archive.open(sheet._worksheet_path) as file:
        for event, element in etree.iterparse(
            file, ("start", "end"), tag=["{*}col", "{*}row", "{*}c", "{*}mergeCell"], huge_tree=True
        ):
            name = etree.QName(element).localname
            if event == "start" and name == "row":
                row = int(element.get("r", row + 1))
                rows.update([row] if _is_set(element, "hidden") else [])
            elif event == "end" and name == "col" and _is_set(element, "hidden"):
                columns.update(range(int(element.get("min", 1)), int(element.get("max", 1)) + 1))
            elif event == "end" and name == "mergeCell":
                left, top, right, bottom = range_boundaries(element.get("ref"))
                area = product(range(top, bottom + 1), range(left, right + 1))
                merged.update(dict.fromkeys(islice(area, _MOST_MERGED), (top, left)))
            elif event == "end" and name == "c":
                formula, text = element.find("{*}f"), element.get("t") == "str"
                if formula is not None and not (text or element.findtext("{*}v")):
                    unsaved += [element.get("r", "")]
                element.clear()
    return _Layout(frozenset(rows), frozenset(columns), merged, tuple(unsaved))


def _language(archive: ZipFile) -> str | None:
    words = []
    for name in archive.namelist():
        if name.startswith(_WITH_WORDS):
            with archive.open(name) as file:
                words.append(_TAG.sub(" ", file.read(_SAMPLE).decode("utf-8", "replace")))
    return language_by_words(" ".join(html.unescape(" ".join(words)).split()))


def _is_set(element: etree._Element, name: str) -> bool:
    return element.get(name, "0") in ("1", "true")


def _grid(
    sheet: Any, layout: _Layout, decimal_comma: bool
) -> tuple[list[list[ParsedCell]], set[int], int]:
    """Return the cells that a sheet shows, the rows (from 0) it sets off, and how much it hides."""
    grid: list[list[ParsedCell]] = []
    styles: list[_Style] = []
    hidden_rows, hidden_columns, length = 0, set[int](), 0
    covering: dict[tuple[int, int], ParsedCell] = {}
    sheet.reset_dimensions()  # which some programs state wrongly
    for row, values in enumerate(sheet.iter_rows(), 1):
        if row in layout.rows:
            hidden_rows += any(value.value is not None for value in values)
            continue
        cells = []
        for column, value in enumerate(values, 1):
            number_format = getattr(value, "number_format", "")
            text = format_value(_raised(value.value), number_format, decimal_comma=decimal_comma)
            require_length(length := length + len(text))
            cell = ParsedCell(" ".join(text.split()))
            if first := layout.merged.get((row, column)):
                cell = covering.setdefault(first, cell)
            if column not in layout.columns:
                cells.append(cell)
            elif cell.text:
                hidden_columns.add(column)
        filled = [value for value in values if value.value is not None]
        styles.append(_style(filled))
        grid.append(cells)
    return (
        padded(grid),
        {n for n, pair in enumerate(pairwise(styles)) if _is_set_off(*pair)},
        hidden_rows + len(hidden_columns),
    )


def _raised(value: Any) -> Any:
    from openpyxl.cell.rich_text import CellRichText, TextBlock

    if not isinstance(value, CellRichText):
        return value
    runs = [(str(run), isinstance(run, TextBlock) and run.font.vertAlign) for run in value]
    return "".join(to_superscript(text) if at == "superscript" else text for text, at in runs)


def _style(cells: Sequence[Any]) -> _Style:
    is_coloured = [cell.fill.fill_type == "solid" for cell in cells]
    return bool(cells) and all(cell.font.b for cell in cells), bool(cells) and all(is_coloured)


def _is_set_off(row: _Style, below: _Style) -> bool:
    return any(one and not other for one, other in zip(row, below, strict=True))


def _omitted(
    archive: ZipFile, sheets: Sequence[tuple[Any, _Layout]], hidden: int
) -> Iterator[Notice]:
    names = archive.namelist()
    yield from loss_notices(
        Counter(
            drawings=sum(name.startswith("xl/charts/chart") for name in names),
            objects=sum(name.startswith("xl/embeddings/") for name in names),
        )
    )
    members = filter(_BESIDE_CELLS.match, names)
    if count := sum(len(_UNREAD_TEXT.findall(archive.read(member))) for member in members):
        yield Notice.of("comments and text boxes are not read: {count}", count=count)
    if titles := [sheet.title for sheet, _ in sheets if sheet.sheet_state != "visible"]:
        yield Notice.of("hidden sheets are not read: {names}", names=", ".join(titles))
    if hidden:
        yield Notice.of("hidden rows and columns are not read: {count}", count=hidden)
    if cells := [f"{sheet.title}!{cell}" for sheet, layout in sheets for cell in layout.unsaved]:
        yield Notice.of(
            "formulas without a saved value are missing: {cells}; open the file in a spreadsheet "
            "program and save it",
            cells=", ".join(cells[:_MOST_NAMED]) + (" …" if cells[_MOST_NAMED:] else ""),
        )


def parse_csv(path: Path) -> Extraction:
    """Read comma-separated values, whatever separates them."""
    text, warnings = decode(path.read_bytes())
    rows = csv.reader(StringIO(text, newline=""), delimiter=_separator(text))
    lines = map(clean, sheet_lines(grid_of(rows)))
    return Extraction(None, "\n".join(lines), warnings=warnings)


def _separator(text: str) -> str:
    """Return what gives over half of the rows one number of fields; commas last, as in decimals."""

    def alike(separator: str) -> int:
        sample = islice(csv.reader(StringIO(text, newline=""), delimiter=separator), _SAMPLED_ROWS)
        widths = Counter(len(row) for row in sample if row)
        width, number = max(widths.items(), key=itemgetter(1), default=(0, 0))
        return number if width > 1 and 2 * number > widths.total() else 0

    return max("\t;|,", key=alike)


_GENERAL: Final = 11  # significant digits that the format General shows
_LITERAL: Final = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|_.|\*.|\[(?!h|m|s)[^\]]*\]')
"""Quoted text, an escaped character, a currency, a space, a fill, a colour or condition."""
_DIGITS: Final = re.compile(r"[0#?][0#?,]*(?:\.[0#?]*)?,*(E[+-]0+)?")
_GENERAL_NUMBER: Final = re.compile("general|@", re.IGNORECASE)
_CONDITION: Final = re.compile(r"\[[<>=]")
_TIME: Final = re.compile(r"\[(h+|m+|s+)\]|(y+|m+|d+|h+|s+)(\.0+)?|(AM/PM|A/P)", re.IGNORECASE)
_ENGLISH: Final[Mapping[int, str]] = {}
_GERMAN: Final[Mapping[int, str]] = {ord(","): ".", ord("."): ","}
_START: Final = datetime(1899, 12, 30)
_DATES: Final = {
    "y": "%y", "yy": "%y", "yyy": "%Y", "yyyy": "%Y", "m": "{0.month}", "mm": "%m", "mmm": "%b",
    "mmmm": "%B", "mmmmm": "%b", "d": "{0.day}", "dd": "%d", "ddd": "%a", "dddd": "%A",
    "h": "{0.hour}", "hh": "%H", "s": "{0.second}", "ss": "%S",
}  # fmt: skip
_HALF_DAYS: Final = _DATES | {"h": "{1}", "hh": "%I"}
_MINUTES: Final = {"m": "{0.minute}", "mm": "%M"}


def format_value(value: object, number_format: str, *, decimal_comma: bool = False) -> str:
    """Return a cell as its number format (ECMA-376, 18.8.31) shows it, else the plain value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime | date | time | timedelta):
        return _moment(value, number_format.split(";")[0])
    if isinstance(value, int | float):
        return _number(value, number_format, _GERMAN if decimal_comma else _ENGLISH)
    return str(value)


def _number(value: float, number_format: str, marks: Mapping[int, str]) -> str:
    general = (f"{value:.{_GENERAL}g}" if isinstance(value, float) else str(value)).translate(marks)
    if _CONDITION.search(number_format) or not isfinite(value):
        return general
    sections = number_format.split(";")
    negative = value < 0 and len(sections) > 1
    section = sections[1] if negative else sections[0]
    if value == 0 and len(sections) > 2:
        section = sections[2]
    plain, literals = _without_literals(section)
    digits = _DIGITS.search(plain)
    if digits is None and (literals or _GENERAL_NUMBER.search(plain)):
        text = _GENERAL_NUMBER.sub(
            general.removeprefix("-") if negative else general, plain, count=1
        )
        return _with_literals(text, literals).strip()
    if digits is None or "/" in plain:
        return general
    scaled = Decimal(repr(abs(value) if negative else value))
    scaled *= 100 ** plain.count("%")
    pattern = digits[0]
    scaled /= 1000 ** (len(pattern) - len(pattern.rstrip(",")))
    text = _scientific(scaled, pattern) if digits[1] else _fixed(scaled, pattern)
    text = plain[: digits.start()] + text.translate(marks) + plain[digits.end() :]
    return _with_literals(text, literals).strip()


def _scientific(value: Decimal, pattern: str) -> str:
    mantissa = pattern.partition("E")[0]
    return f"{float(value):.{len(mantissa.partition('.')[2])}E}"


def _fixed(value: Decimal, pattern: str) -> str:
    """Return a number with the decimals and the leading zeros of a pattern such as ``#,##0.00``."""
    integer, _, decimals = pattern.replace(",", "").replace("?", "#").partition(".")
    with localcontext() as context:
        context.rounding = ROUND_HALF_UP
        text = f"{value:.{len(decimals)}f}"
    optional = len(decimals) - len(decimals.rstrip("#"))
    for _ in range(optional):
        text = text.removesuffix("0")
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    before, point, after = text.removesuffix(".").partition(".")
    before = before.zfill(integer.count("0"))
    if "," in pattern.partition(".")[0].rstrip(","):
        before = f"{int(before):,}"
    return sign + before + point + after


def _moment(value: date | time | timedelta, number_format: str) -> str:
    plain, literals = _without_literals(number_format)
    if plain.strip().casefold() in ("", "general") or not _TIME.search(plain):
        return str(value)
    if plain == "mm-dd-yy":  # the date of the country in which the sheet is opened
        plain = "yyyy-mm-dd"
    hours = _HALF_DAYS if any(match[4] for match in _TIME.finditer(plain)) else _DATES
    elapsed = value if isinstance(value, timedelta) else timedelta()
    moment = _START + value if isinstance(value, timedelta) else _as_datetime(value)
    after_hours = False
    texts: list[str] = []
    end = 0
    for match in _TIME.finditer(plain):
        texts.append(plain[end : match.start()])
        end = match.end()
        token = (match[2] or "").lower()
        follows = _TIME.search(plain, end)
        if match[1]:
            texts.append(_elapsed(elapsed, match[1].lower()))
        elif match[4]:
            texts.append(f"{moment:%p}")
        elif set(token) == {"m"} and (after_hours or (follows and follows[0][0] in "sS")):
            texts.append(moment.strftime(_MINUTES.get(token, "%M")).format(moment))
        else:
            texts.append(
                moment.strftime(hours.get(token, "")).format(moment, moment.hour % 12 or 12)
            )
        after_hours = bool(match[1]) or set(token) == {"h"}
    return _with_literals("".join([*texts, plain[end:]]), literals).strip()


def _as_datetime(value: date | time) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, time):
        return datetime.combine(_START, value)
    return datetime.combine(value, time())


def _elapsed(value: timedelta, unit: str) -> str:
    seconds = {"h": 3600, "m": 60, "s": 1}[unit[0]]
    return str(int(value.total_seconds()) // seconds).zfill(len(unit))


def _without_literals(section: str) -> tuple[str, list[str]]:
    """Put a private character in place of each literal, and return those with the literals."""
    literals: list[str] = []

    def placeholder(match: re.Match[str]) -> str:
        literals.append(match[1] or match[2] or match[3] or "")
        return chr(0xE000 + len(literals) - 1)

    return _LITERAL.sub(placeholder, section), literals


def _with_literals(text: str, literals: list[str]) -> str:
    for number, literal in enumerate(literals):
        text = text.replace(chr(0xE000 + number), literal)
    return text
