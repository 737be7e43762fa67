import pytest

from services.language.quantities import quantities


def values(text: str, language: str = "de") -> list[tuple[float, str | None]]:
    return [(number.value, number.unit) for number in quantities(text, language)]


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


def test_what_looks_like_an_endless_number_is_none() -> None:
    assert quantities("Commit 7E9999999 und 5 x 10^400 Becquerel", "de") == ()
