"""Values in the form of a column: as they are compared and sorted, and what proves them."""

import pytest

from services.domain.grids import Form
from services.language.forms import normalise, unstated


@pytest.mark.parametrize(
    ("value", "form", "language", "text", "amount"),
    [
        ("3 Monate", "number", "de", "3 month", 91.3125),
        ("30 days", "number", "en", "30 day", 30.0),
        ("fünfhunderttausend Euro", "number", "de", "500000 EUR", 500_000.0),
        ("2,5 Millionen Euro", "number", "de", "2500000 EUR", 2_500_000.0),
        ("2.500.000 EUR", "number", "de", "2500000 EUR", 2_500_000.0),
        ("EUR 75,000", "number", "en", "75000 EUR", 75_000.0),
        ("unbegrenzt", "number", "de", "unbegrenzt", None),
        ("2027-03-01", "date", "de", "2027-03-01", 20_270_301.0),
        ("2027-03", "date", "en", "2027-03", 20_270_300.0),
        ("unbefristet", "date", "de", "unbefristet", None),
        ("Nein, nur mit Zustimmung", "yesno", "de", "no", None),
        ("Yes", "yesno", "en", "yes", None),
        ("Müller & Söhne  GmbH,", "party", "de", "müller söhne gmbh", None),
    ],
)
def test_a_value_is_compared_and_sorted_by_its_form(
    value: str, form: Form, language: str, text: str, amount: float | None
) -> None:
    assert normalise(value, form, language) == (text, amount)


@pytest.mark.parametrize(
    ("value", "form", "source", "lacking"),
    [
        ("3 Monate", "number", "mit einer Frist von drei Monaten", ""),
        ("90 Tage", "number", "mit einer Frist von neunzig Tagen", ""),
        ("4 Monate", "number", "mit einer Frist von drei Monaten", "4"),
        ("2027-03-01", "date", "beginnt am 1. März 2027", ""),
        ("2027-03-01", "date", "beginnt am 01/03/2027", ""),
        ("2027-03-02", "date", "beginnt am 1. März 2027", "2027-03-02"),
        ("2027-03", "date", "im März 2027", ""),
        ("2027-03", "date", "im Mai 2027", "2027-03"),
        ("2027-05", "date", "it may end in 2027", "2027-05"),
        ("2027-03", "date", "vom März bis zum Mai 2027", ""),
        ("2027-03", "date", "ends in 03/2027", ""),
        ("2027-03", "date", "bis 31.03.27", ""),
        ("2028", "date", "im März 2027", "2028"),
        ("Nord GmbH", "party", "die Nord GmbH", ""),
    ],
)
def test_a_number_that_no_source_states_is_named(
    value: str, form: Form, source: str, lacking: str
) -> None:
    assert unstated(value, form, "de", (source, "de")) == lacking
