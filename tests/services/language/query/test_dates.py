from datetime import date

import pytest

from services.language.query.dates import date_range


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("Was wurde seit 2019 geändert?", date(2019, 1, 1), None),
        ("Verträge vor dem 31.12.2018", None, date(2018, 12, 30)),
        ("decisions between 2010 and 2015", date(2010, 1, 1), date(2015, 12, 31)),
        ("Messungen im März 2020", date(2020, 3, 1), date(2020, 3, 31)),
        ("incidents en février 2020", date(2020, 2, 1), date(2020, 2, 29)),
        ("informes desde enero de 2021", date(2021, 1, 1), None),
        ("entre mars 2019 et juin 2020", date(2019, 3, 1), date(2020, 6, 30)),
        ("reports after 3 March 2020", date(2020, 3, 4), None),
        ("Beschlüsse nach 2020", date(2021, 1, 1), None),
        ("minutes before June 2015", None, date(2015, 5, 31)),
        ("bis Ende 2017", None, date(2017, 12, 31)),
        ("vom 1.2.2019 bis zum 3.4.2019", date(2019, 2, 1), date(2019, 4, 3)),
        ("from 2019-02-01 to 2019-04-03", date(2019, 2, 1), date(2019, 4, 3)),
        ("seit 2015 und vor 2020", date(2015, 1, 1), date(2019, 12, 31)),
        ("jusqu'en 2018", None, date(2018, 12, 31)),
        ("after March 3, 2020", date(2020, 3, 4), None),
        ("between 2015 and 2010", date(2010, 1, 1), date(2015, 12, 31)),
    ],
)
def test_spans(question: str, since: date | None, until: date | None) -> None:
    found = date_range(question)
    assert found is not None
    assert (found.since, found.until) == (since, until)


@pytest.mark.parametrize(
    "question",
    [
        "Is the 2019 safety report loaded?",
        "What does ISO 9001:2015 require?",
        "Notice period in the 2022 supplier agreement",
        "Was ist am 31.02.2020 geschehen?",
        "§ 5 in der Fassung 12.3",
        "Wie viele der 2000 Paragraphen gelten?",
        "since 0999-01-01",
        "after 9999-12-31",
        "",
    ],
)
def test_no_span(question: str) -> None:
    assert date_range(question) is None
