"""Finding quotes: layouts that documents have, and changes that must not pass."""

import pytest

from agent.reading.prove import QuotedText
from agent.reading.sections import SEPARATOR

LAW = (
    "(1) Die Arbeit-\ngeberin teilt die Änderung des Antrags innerhalb von 1,5 Jahren mit.\n"
    "(2) Der Grenzwert beträgt 20 Milli\u00adsievert im Kalenderjahr; er gilt nicht für Minder-\n"
    "jährige. Bei −5 °C bis 15 °C sind 1 000 m² zulässig („kleine Anlage“).\n10 20 30"
)


def found(quote: str, text: str = LAW) -> list[str]:
    return [text[start:end] for start, end in QuotedText(text, "de").find(quote)]


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("Die Arbeitgeberin teilt die Änderung", "Die Arbeit-\ngeberin teilt die Änderung"),
        ("20 Millisievert im Kalenderjahr", "20 Milli\u00adsievert im Kalenderjahr"),
        ('zulässig ("kleine Anlage")', "zulässig („kleine Anlage"),
        ("bei -5 °C bis 15 °C", "Bei −5 °C bis 15 °C"),
        ("1 000 m² zulässig", "1 000 m² zulässig"),
        ("die Änderungen des Antrages innerhalb", "die Änderung des Antrags innerhalb"),
        ("(1) Die Arbeitgeberin teilt", "(1) Die Arbeit-\ngeberin teilt"),
        ("im Kalenderjahr;", "im Kalenderjahr;"),
        ("im Kalenderjahr.", "im Kalenderjahr"),
        ("20", "20"),
    ],
)
def test_the_words_that_stand_there_are_found(quote: str, there: str) -> None:
    if quote == "20":  # it stands twice: too little to name a place
        assert found(quote) == []
    else:
        assert found(quote) == [there]


def test_a_short_quote_that_stands_twice_is_the_one_behind_the_quote_before_it() -> None:
    text = QuotedText(LAW, "de")
    ((_, end),) = text.find("20 Millisievert im Kalenderjahr")
    assert text.find("20", end) == ((LAW.rindex("20"), LAW.rindex("20") + 2),)
    assert text.find("40", end) == text.find("20", len(LAW)) == ()


def test_the_parts_of_a_quote_with_gaps_are_found_one_behind_the_other() -> None:
    assert found("Der Grenzwert beträgt 20 Millisievert […] gilt nicht für Minderjährige") == [
        "Der Grenzwert beträgt 20 Milli\u00adsievert",
        "gilt nicht für Minder-\njährige",
    ]
    assert found("gilt nicht für Minderjährige … Der Grenzwert beträgt 20 Millisievert") == []


@pytest.mark.parametrize(
    "quote",
    [
        "Es ist keine Gebühr fällig. […] Andere zahlen 9 Euro.",
        "Es ist keine Gebühr fällig.\n[…]\nAndere zahlen 9 Euro.",
        "Es ist keine Gebühr fällig. Andere zahlen 9 Euro.",
        "Es ist keine Gebühren fällig. Anderer zahlen 9 Euro.",
        "Es ist keine … Gebühr fällig. Andere zahlen 9 Euro.",
    ],
)
def test_no_span_of_a_quote_covers_what_is_left_out(quote: str) -> None:
    shown = ["Es ist keine Gebühr fällig.", "Andere zahlen 9 Euro."]
    *before, last = found(quote, SEPARATOR.join(shown))
    assert [" ".join(before), last] == shown
    assert found(f"[…] {last}", SEPARATOR.join(shown)) == [last]


@pytest.mark.parametrize(
    "quote",
    [
        "er gilt für Minderjährige",
        "Der Grenzwert beträgt 2 Millisievert im Kalenderjahr",
        "Der Grenzwert beträgt 200 Millisievert im Kalenderjahr",
        "die Änderung des Antrags innerhalb von 15 Jahren",
        "die Änderung des Antrags innerhalb von 5 Jahren",
        "5 °C bis 15 °C sind 1 000 m²",
        "1020 30",
        "geberin teilt die Änderung des Antr",
        "…",
        "",
    ],
)
def test_what_does_not_stand_there_is_not_found(quote: str) -> None:
    assert found(quote) == []
