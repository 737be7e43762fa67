"""What an item wants of a sentence, and whether a sentence has it."""

import pytest

from services.structured.wanted import answered_in, gives, wanted_answer


@pytest.mark.parametrize(
    ("item", "wanted"),
    [
        ("Wie hoch ist der Grenzwert für die Haut", "number"),
        ("Wie lange sind die Ergebnisse aufzubewahren", "time"),
        ("In which version does it become the default", "time"),
        ("Wann muss die Messung wiederholt werden", "occasion"),
        ("Warum muss ein Strahlenpass geführt werden", "reason"),
        ("How has the syntax for unions changed", "change"),
        ("Welche Folgen hat es, wenn der Referenzwert überschritten wird", "consequence"),
        ("What happens when a method overrides nothing", "consequence"),
        ("What does Unpack do when it annotates kwargs", None),
        ("Wer bestellt den Beauftragten", None),
    ],
)
def test_the_item_tells_what_it_wants(item: str, wanted: str | None) -> None:
    assert wanted_answer(item) == wanted


@pytest.mark.parametrize(
    ("wanted", "sentence", "language", "expected"),
    [
        ("number", "Der Grenzwert beträgt 20 Millisievert.", "de", True),
        ("number", "Den Grenzwert bestimmt die Behörde.", "de", False),
        ("time", "Sie sind fünf Jahre lang aufzubewahren.", "de", True),
        ("time", "Starting with Python 3.7 it can be enabled.", "en", True),
        ("time", "Postponed evaluation changes the state.", "en", False),
        ("occasion", "Sie ist zu wiederholen, sobald sich der Arbeitsplatz ändert.", "de", True),
        ("reason", "Er wird geführt, damit die Dosis bekannt ist.", "de", True),
        ("reason", "Der Pass ist dem Inhaber zurückzugeben.", "de", False),
        ("consequence", "If nothing is overridden, checkers report an error.", "en", True),
        ("consequence", "Überschreitet die Dosis den Wert, so ist er zu melden.", "de", True),
        ("consequence", "Many languages have such checks.", "en", False),
        ("change", "The name was deprecated in favour of another.", "en", True),
        (None, "Irgendetwas.", "de", True),
    ],
)
def test_a_sentence_gives_it_or_not(
    wanted: str | None, sentence: str, language: str, expected: bool
) -> None:
    assert gives(wanted, sentence, (), language) == expected  # type: ignore[arg-type]


def test_a_heading_that_promises_reasons_counts_for_what_stands_under_it() -> None:
    assert gives("reason", "Users narrow types often.", ("PEP 1", "Motivation"), "en")


def test_the_number_must_stand_in_a_sentence_about_the_item() -> None:
    item = "Wie hoch ist der Grenzwert für die Augenlinse"
    about = "Der Grenzwert für die Augenlinse beträgt 20 Millisievert."
    apart = "Den Grenzwert für die Augenlinse bestimmt die Behörde. Die Frist beträgt 3 Monate."
    assert answered_in(item, about, (), "de")
    assert not answered_in(item, apart, (), "de")
    assert answered_in(item, "Er beträgt 20 Millisievert.", ("Grenzwert für die Augenlinse",), "de")
    assert answered_in(item, "The limit is 20 mSv.", (), "de", foreign=True)
