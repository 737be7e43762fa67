import pytest

from services.language.quantities import agreement, quantities


def values(text: str, language: str = "de") -> list[tuple[float, str | None]]:
    return [(number.value, number.unit) for number in quantities(text, language)]


@pytest.mark.parametrize(
    "text", ["20 Millisievert", "20 mSv", "0,02 Sv", "20mSv", "20.000 µSv", "20 Millisieverts"]
)
def test_one_dose_in_many_spellings(text: str) -> None:
    [(value, unit)] = values(text)
    assert unit == "Sv"
    assert value == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("1 000 Bq", "de", 1000.0),
        ("1.000 Bq", "de", 1000.0),
        ("1,000 Bq", "en", 1000.0),
        ("1.000 Bq", "en", 1.0),
        ("25 900,00 Bq", "de", 25_900.0),
        ("0,5 Bq", "en", 0.5),
        ("3 E+3 Bq", "de", 3000.0),
        ("3 x 10-3 Bq", "de", 0.003),
        ("2,5 Milliarden Bq", "de", 2.5e9),
        ("zwölf Bq", "de", 12.0),
        ("-5 Bq", "de", -5.0),
    ],
)
def test_numerals(text: str, language: str, value: float) -> None:
    [(found, _)] = values(text, language)
    assert found == pytest.approx(value)


def test_units_that_agree() -> None:
    assert values("300 Becquerel je Kubikmeter") == values("300 Bq/m³")
    [(grams, per_gram)], [(kilos, per_kilo)] = values("0,2 Bq/g"), values("200 Bq/kg")
    assert grams == pytest.approx(kilos)
    assert per_gram == per_kilo
    assert values("5 %") == values("5 Prozent") == values("5 per cent", "en")
    assert values("ein Jahr") == values("12 Monate") == [(12.0, "month")]
    assert values("zwölf Stunden")[0][1] == "s"


def test_what_is_no_quantity() -> None:
    assert values("nach § 78 Absatz 1, 2 und 4 Satz 1, §§ 70 bis 80, Anlage 4 Tabelle 1") == []
    assert values("Radon-222 und Cs-137, 1. für Ärzte, (2) eine Person, PEP 604, Nummer 9a") == []


def test_ranges_and_lists_share_their_unit() -> None:
    assert [u for _, u in values("zwischen 16 und 18 Jahren")] == ["month", "month"]
    assert values("16 bis 18 Jahre") == values("zwischen 16 und 18 Jahren")
    assert values("5, 10 und 20 mSv") == values("5 mSv; 10 mSv; 20 mSv")


def test_dates_and_versions_are_whole() -> None:
    assert (
        values("vor dem 31. Dezember 2018") == values("vor dem 31.12.2018") == [(20181231, "date")]
    )
    assert values("Python 3.10", "en") != values("Python 3.1", "en")


def test_limits_and_periods() -> None:
    [under, yearly] = quantities("unter 18 Jahren höchstens 6 Millisievert im Kalenderjahr", "de")
    assert (under.bound, yearly.bound, yearly.period) == ("upper", "upper", "year")
    [least] = quantities("nicht weniger als 3 Tage", "de")
    assert least.bound == "lower"
    [remote] = quantities("in fünf aufeinander folgenden Jahren", "de")
    assert remote.unit == "month"


@pytest.mark.parametrize(
    ("claim", "source", "expected"),
    [
        ("20 mSv", "20 Millisievert im Kalenderjahr", "full"),
        ("20 mSv pro Jahr", "20 Millisievert im Kalenderjahr", "full"),
        ("unter 18", "unter 18 Jahren", "weak"),
        ("2 mSv im Jahr", "2 Millisievert im Monat", "unit"),
        ("20 µSv", "20 Millisievert", "unit"),
        ("3 Personen", "3 Millisievert", "unit"),
        ("mehr als 10 mSv", "nicht mehr als 10 Millisievert", "bound"),
        ("30 mSv", "20 Millisievert", "none"),
        ("seit 2018", "ab dem 31. Dezember 2018", "full"),
    ],
)
def test_agreement(claim: str, source: str, expected: str) -> None:
    [claimed] = quantities(claim, "de")
    assert agreement(claimed, quantities(source, "de")) == expected


def test_what_looks_like_an_endless_number_is_none() -> None:
    assert quantities("Commit 7E9999999 und 5 x 10^400 Becquerel", "de") == ()
