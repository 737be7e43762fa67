"""A cell of a spreadsheet is read as its sheet shows it."""

from datetime import date, datetime, time, timedelta

import pytest

from services.ingestion.parsers.office_parser import format_value

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
