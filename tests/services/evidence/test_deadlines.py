"""Days that follow from a day and a period, and those that do not."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain import Language
from services.evidence.grounding import calculated_days, ungrounded_numbers
from services.language.quantities import quantities


class Section:
    label, headings, language = "", "", "de"

    def __init__(self, text: str) -> None:
        self.text = text


WAIT = Section("Der volle Anspruch wird nach sechsmonatigem Bestehen erworben.")
NOTICE = Section("Die Frist beträgt vier Wochen. Der Vertrag begann am 30.11.2025.")
CHECKS = Section("Die Frist von einem Jahr beginnt mit Ablauf des Jahres der letzten Prüfung.")
LAST = "Zuletzt wurde im März 2020 geprüft. Bis wann muss die nächste Prüfung sein?"
START = "Ich fange am 1. Februar an. Ab wann habe ich den vollen Anspruch?"


@pytest.mark.parametrize(
    ("claim", "question", "section", "unproven"),
    [
        ("Nach sechs Monaten, mit Ablauf des 31. Juli.", START, WAIT, ()),
        ("Nach sechs Monaten, also am 1. August.", START, WAIT, ()),
        ("Nach sechs Monaten, also am 15. August.", START, WAIT, ("15",)),
        ("Nach sechs Monaten, also am 1.8.2026.", START, WAIT, ("1.8.2026",)),
        ("Vier Wochen nach dem 30.11.2025 ist der 28.12.2025.", "", NOTICE, ()),
        ("Vier Wochen nach dem 30.11.2025 ist der 5.1.2026.", "", NOTICE, ("5.1.2026",)),
        ("Nach einem Jahr, also bis zum 31. Dezember 2021.", LAST, CHECKS, ()),
        ("Nach einem Jahr, also bis zum 31. Dezember 2022.", LAST, CHECKS, ("31. Dezember 2022",)),
        (
            "Nach einem Tag, also bis zum 31. Dezember 2021.",
            LAST,
            CHECKS,
            ("31. Dezember 2021", "einem"),
        ),
        (
            "Nach drei Monaten, also am 31. März 2025.",
            "Gekündigt am 15. Mai 2024.",
            WAIT,
            ("31. März 2025", "drei"),
        ),
        (
            "Nach sechs Monaten, am 31. März 2001.",
            "Ich arbeite 2000 Stunden.",
            WAIT,
            ("31. März 2001",),
        ),
        ("Mit Ablauf des 31. Juli.", START, WAIT, ("31",)),
        ("Nach 9999999 Tagen, am 31.12.9998.", START, WAIT, ("31.12.9998", "9999999")),
    ],
)
def test_a_day_follows_from_a_day_and_a_period_that_the_claim_states(
    claim: str, question: str, section: Section, unproven: tuple[str, ...]
) -> None:
    assert ungrounded_numbers(claim, question, [section], "de") == unproven


@given(
    st.dates(date(1990, 1, 1), date(2100, 12, 31)),
    st.integers(1, 100),
    st.sampled_from([("Monate", "de"), ("days", "en"), ("Wochen", "de"), ("years", "en")]),
)
def test_every_later_day_is_found_whatever_the_calendar(
    day: date, length: int, unit: tuple[str, Language]
) -> None:
    name, language = unit
    months = {"Monate": 1, "years": 12}.get(name)
    if months is None:
        later = date.fromordinal(day.toordinal() + length * (7 if name == "Wochen" else 1))
    else:
        years, month = divmod(day.month - 1 + length * months, 12)
        later = date(day.year + years, month + 1, min(day.day, 28))
    claim = f"{length} {name}: {later.isoformat()}"
    found = calculated_days(claim, f"{day.day}.{day.month}.{day.year}", quantities(claim, language))
    is_cut = months is not None and day.day > 28
    assert found == [(claim.index(": ") + 2, len(claim))] or is_cut
