"""Tables as lines: which rows are heads, and what each row says."""

from datetime import date, datetime, time, timedelta

import pytest

from services.ingestion.parsers.extraction import Extraction, Heading
from services.ingestion.parsers.office_parser import format_value
from services.ingestion.parsers.pdf.tables import with_written_tables
from services.ingestion.parsers.tables import (
    Grid,
    ParsedCell,
    grid_lines,
    grid_of,
    heads_of,
    sheet_lines,
)


def grid(*rows: str) -> Grid:
    """``a|b`` are two cells, ``<`` goes on the cell to the left and ``^`` the one above."""
    cells: list[list[ParsedCell]] = []
    for row in rows:
        cells.append([])
        for column, text in enumerate(row.split("|")):
            known = {"<": cells[-1][-1:], "^": cells[-2][column : column + 1] if cells[1:] else []}
            cells[-1].append((known.get(text) or [ParsedCell(text)])[0])
    return cells


def shown(table: Grid, marked: int = 0) -> list[str]:
    above, heads = heads_of(table, marked)
    return grid_lines(table, heads, above)[above:]


def test_a_row_names_its_columns() -> None:
    assert shown(grid("Nuklid|Grenze", "H-3|1 E+9", "|7")) == [
        "Nuklid: H-3 | Grenze: 1 E+9",
        "Grenze: 7",
    ]


def test_heads_of_several_rows_are_joined() -> None:
    table = grid("Stoff|Grenzwert|<|Norm", "^|Mittel|Spitze|^", "Blei|1|2|EN 1")
    assert shown(table) == [
        "Stoff: Blei | Grenzwert, Mittel: 1 | Grenzwert, Spitze: 2 | Norm: EN 1"
    ]
    assert heads_of(grid("A|B", "C|D", "x|y"), marked=2)[1] == ["A, C", "B, D"]


def test_a_row_that_counts_the_columns_belongs_to_the_heads() -> None:
    assert shown(grid("Nuklid|Luft", "1|2", "H-3|5")) == ["Nuklid (1): H-3 | Luft (2): 5"]


def test_joined_cells_belong_to_each_of_their_rows_and_name_each_of_their_columns() -> None:
    table = grid("Depot|Van|Load|Range", "North|A|1|2", "^|B|3|<", "All vans are yellow|<|<|<")
    assert shown(table)[1:] == ["Depot: North | Van: B | Load / Range: 3", "All vans are yellow"]


def test_a_row_that_stands_below_several_heads_is_none_itself() -> None:
    table = grid("Drug|Dose|<|Days", "Pneumonia|<|see ng165|<", "Doxycycline|200 mg|<|5")
    assert heads_of(table) == (1, ["Drug", "Dose", "Dose", "Days"])
    assert shown(table)[-1] == "Drug: Doxycycline | Dose: 200 mg | Days: 5"


def test_rows_above_the_heads_stay_unchanged() -> None:
    table = grid("Tabelle 1|<", "Ort|Wert", "Kurgebiet|35")
    assert grid_lines(table, ["Ort", "Wert"], 2) == [
        "Tabelle 1", "Ort | Wert", "Ort: Kurgebiet | Wert: 35",
    ]  # fmt: skip
    assert heads_of(table)[0] == 2


@pytest.mark.parametrize(
    "rows",
    [
        ("Name:|Ada", "Ort:|London"),
        ("1|2|3", "4|5|6"),
        ("1 200|3,5 %", "a|b"),
        (f"{'long ' * 40}|b", "c|d"),
        ("a|b",),
        ("one cell", "another"),
    ],
)
def test_numbers_forms_and_long_texts_are_no_heads(rows: tuple[str, ...]) -> None:
    assert heads_of(grid(*rows)) == (0, [])


def sheet(*rows: str) -> Grid:
    return grid_of(row.split("|") for row in rows)


def test_rows_of_a_sheet_name_their_columns() -> None:
    rows = sheet("Grenzen", "", "Nuklid||Grenze", "H-3|x|1000", "", "C-14||100")
    assert sheet_lines(rows) == [
        "Grenzen",
        "Nuklid | Grenze",
        "Nuklid: H-3 | x | Grenze: 1000",
        "Nuklid: C-14 | Grenze: 100",
    ]


def test_a_title_of_two_cells_is_no_head() -> None:
    rows = sheet("Price list|valid from 1 May", "", "Article|Price", "Ladder|120")
    assert sheet_lines(rows)[-1] == "Article: Ladder | Price: 120"
    narrow = sheet("Price list|valid from 1 May||", "Article|Colour|Size|Price", "Ladder|red|3|120")
    assert sheet_lines(narrow)[-1] == "Article: Ladder | Colour: red | Size: 3 | Price: 120"


def test_units_below_the_heads_belong_to_them() -> None:
    rows = sheet("Article|Price|Weight", "|euros|kg", "Ladder|120|8", "Rope|7|1")
    assert sheet_lines(rows)[-2:] == [
        "Article: Ladder | Price, euros: 120 | Weight, kg: 8",
        "Article: Rope | Price, euros: 7 | Weight, kg: 1",
    ]


def test_words_below_the_heads_belong_to_them_where_numbers_follow() -> None:
    rows = sheet("Gas|to air|to land", "|kg/year|kg/year", "Methane|100 000|-", "Ozone|10|7")
    assert sheet_lines(rows)[-1] == "Gas: Ozone | to air, kg/year: 10 | to land, kg/year: 7"


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        (
            ("State|n|Literacy|", "||none|school", "(1)|(2)|(3)|(4)", "Goa|24|7|25"),
            "State (1): Goa | n (2): 24 | Literacy, none (3): 7 | Literacy, school (4): 25",
        ),
        (
            ("|2012||2007|", "State|town|land|town|land", "Assam|31|8|26|9", "Goa|24|7|25|9"),
            "State: Goa | 2012, town: 24 | 2012, land: 7 | 2007, town: 25 | 2007, land: 9",
        ),
    ],
)
def test_a_head_of_plain_cells_reaches_over_those_that_the_row_below_parts(
    rows: tuple[str, ...], last: str
) -> None:
    assert sheet_lines(sheet(*rows))[-1] == last


def test_rows_that_a_document_marks_may_be_any_heads() -> None:
    assert shown(grid("Item|10|20", "Rope|7|10"), marked=1) == ["Item: Rope | 10: 7 | 20: 10"]


def test_other_heads_hold_from_where_they_are_set_off() -> None:
    rows = sheet("Article|Price", "Ladder|120", "", "Name|City", "Ada|London")
    assert sheet_lines(rows)[-1] == "Article: Ada | Price: London"
    assert sheet_lines(rows, {0, 3})[-1] == "Name: Ada | City: London"


WRITTEN = "(1) Es gilt [Nuklid | Grenze; H-3 | 1 E+9;\nC-14 | 1 E+7] für alle.\n\nAnlage 5"


def test_a_table_in_brackets_becomes_rows_and_offsets_move() -> None:
    heading = Heading(WRITTEN.index("Anlage"), len(WRITTEN), "Anlage 5", 1)
    pages = (0, WRITTEN.index("C-14"), WRITTEN.index("Anlage"))
    read = with_written_tables(Extraction(None, WRITTEN, (heading,), pages))
    assert read.text == (
        "(1) Es gilt\n\nNuklid | Grenze\nNuklid: H-3 | Grenze: 1 E+9\n"
        "Nuklid: C-14 | Grenze: 1 E+7\n\nfür alle.\n\nAnlage 5"
    )
    moved = read.headings[0]
    assert read.text[moved.start : moved.end] == "Anlage 5"
    first, second, third = read.pages
    assert first == 0 and read.text[third:] == "Anlage 5"
    assert (
        read.text[:second].rstrip().endswith("1 E+9")
        or "C-14" in read.text[second - 10 : second + 20]
    )


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: [int | str]) -> None: ...",
        "[a | b] and [c; d]",
        "[Erläuterung: | lang; zu Spalte 2: | länger]",
    ],
)
def test_other_brackets_stay(text: str) -> None:
    assert with_written_tables(Extraction(None, text)).text == text


def test_ambiguous_heads_are_not_guessed() -> None:
    text = "[System | Anzahl; A 1 | Geräte | viele; A 2 | Anlagen | 10]"
    assert with_written_tables(Extraction(None, text)).text.split("\n") == [
        "", "", "System | Anzahl", "A 1 | Geräte | viele", "A 2 | Anlagen | 10", "", "",
    ]  # fmt: skip


def test_of_too_few_heads_the_first_stands_over_the_cells_that_are_no_numbers() -> None:
    text = "[Nuklid | Ci; Form | Luft | Wasser; 1 | 2 | 3; H-3 | A | 1 | 2; C-14 | A | 3 | 4]"
    found = with_written_tables(Extraction(None, text)).text
    assert "\nC-14 | A | Luft (2): 3 | Wasser (3): 4" in found


def test_a_cell_across_the_table_stands_before_the_rows_below_it() -> None:
    table = grid("Depot|Vans|Range", "North|<|<", "A|1|200", "South|<|<", "A|3|150")
    assert shown(table) == [
        "North",
        "North | Depot: A | Vans: 1 | Range: 200",
        "South",
        "South | Depot: A | Vans: 3 | Range: 150",
    ]


def test_the_cell_above_the_heads_counts_if_they_are_repeated() -> None:
    table = grid("North|<", "Van|Range", "A|200", "South|<", "Van|Range", "A|150")
    assert shown(table) == [
        "North | Van: A | Range: 200",
        "South",
        "Van | Range",
        "South | Van: A | Range: 150",
    ]


def test_years_are_heads_above_other_numbers_only() -> None:
    assert shown(grid("Brand|1994|1995", "Own|17.1|17.4")) == [
        "Brand: Own | 1994: 17.1 | 1995: 17.4"
    ]
    assert heads_of(grid("Ida|1994", "Rosa|1987")) == (0, [])


def test_heads_may_leave_the_names_of_rows_without_one() -> None:
    assert shown(grid("|<|Luft|Wasser", "H-3|A|1|2", "C-14|A|3|4"))[1] == (
        "C-14 | A | Luft: 3 | Wasser: 4"
    )


def test_a_form_has_no_heads() -> None:
    text = "[Notabschaltung | ■ ja | ■ nein; Zwangsabschaltung | ■ ja | ■ nein]"
    assert with_written_tables(Extraction(None, text)).text == text
    assert heads_of(grid("Licht|ja|nein", "Ton|ja|nein")) == (0, [])
    assert heads_of(grid("Ton|Wert", "a|1", "Ton|Wert"))[1] == ["Ton", "Wert"], "as on each page"


DAY = datetime(2026, 3, 5)


@pytest.mark.parametrize(
    ("value", "number_format", "expected"),
    [
        (0.075, "0.0%", "7.5%"),
        (0.075, "0%", "8%"),
        (1234.5, '#,##0.00 "€"', "1,234.50 €"),
        (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"),
        (11524175, "#,##0", "11,524,175"),
        (-3.5, '0.00;[Red]"minus "0.00', "minus 3.50"),
        (0, '0;-0;"none"', "none"),
        (7, "00000", "00007"),
        (3.10, "0.0##", "3.1"),
        (12345.678, "0.00E+00", "1.23E+04"),
        (1500000, '0.0,," Mio."', "1.5 Mio."),
        (0.1 + 0.2, "General", "0.3"),
        (12, "General", "12"),
        (12, 'General" kg"', "12 kg"),
        (-12, 'General;"minus "General', "minus 12"),
        (2.5, "0", "3"),
        (2.675, "0.00", "2.68"),
        (0.145, "0%", "15%"),
        (-2.5, "0", "-3"),
        (1e300, "0.0", "1" + "0" * 300 + ".0"),
        (500, '[>=1000000]0.0,,"M";0', "500"),
        (0.5, "# ?/?", "0.5"),
        (99.5, '_-* #,##0.00 "€"_-', "99.50 €"),
        (True, "General", "TRUE"),
        (None, "General", ""),
        ("00007", "@", "00007"),
        (DAY, "dd.mm.yyyy", "05.03.2026"),
        (DAY, "[$-407]d. mmmm yyyy", "5. March 2026"),
        (DAY, "mm-dd-yy", "2026-03-05"),
        (DAY, "General", "2026-03-05 00:00:00"),
        (date(2026, 3, 5), "yyyy-mm-dd", "2026-03-05"),
        (datetime(2026, 3, 5, 9, 7), "d/m/yy h:mm", "5/3/26 9:07"),
        (time(9, 7, 5), "hh:mm:ss", "09:07:05"),
        (time(18, 15), "h:mm AM/PM", "6:15 PM"),
        (timedelta(days=1, hours=14, minutes=30), "[h]:mm", "38:30"),
        (timedelta(minutes=3, seconds=9), "mm:ss", "03:09"),
    ],
)
def test_what_a_cell_shows(value: object, number_format: str, expected: str) -> None:
    assert format_value(value, number_format) == expected


def test_numbers_of_a_german_sheet_have_a_decimal_comma() -> None:
    assert format_value(1234.5, '#,##0.00 "€"', decimal_comma=True) == "1.234,50 €"
    assert format_value(0.075, "0.0%", decimal_comma=True) == "7,5%"
    assert format_value(DAY, "dd.mm.yyyy", decimal_comma=True) == "05.03.2026"
