import pytest

from services.query.asked_for import asked_for
from services.query.place import what_stands_there


@pytest.mark.parametrize(
    ("question", "language", "what"),
    [
        ("Welcher Paragraph regelt den Grenzwert?", "de", "den Grenzwert"),
        (
            "In welchem Abschnitt steht die Pflicht zur Unterweisung?",
            "de",
            "die Pflicht zur Unterweisung",
        ),
        ("In welchem Paragrafen ist die Bestellung geregelt?", "de", "die Bestellung"),
        (
            "Welcher Paragraph regelt das? (Grenzwert, Jugendliche)",
            "de",
            "das? (Grenzwert, Jugendliche",
        ),
        ("Wo ist die Freigabe geregelt?", "de", "die Freigabe"),
        ("Which section of the act governs releases?", "en", "releases"),
        ("Where is the notice period defined?", "en", "the notice period"),
        ("Wo ist der Sperrbereich?", "de", None),
        ("Where is fresh water stored?", "en", None),
        ("Welche Vorschriften gelten für Röntgengeräte?", "de", None),
        ("Quel article régit la libération ?", "fr", None),
    ],
)
def test_what_the_place_is_asked_of(question: str, language: str, what: str | None) -> None:
    assert what_stands_there(question, language) == what


def test_the_kind_of_place_is_not_the_thing_that_is_asked_for() -> None:
    assert asked_for("Welcher Paragraph regelt den Grenzwert?", "de") is None
    assert asked_for("Welcher Grenzwert gilt?", "de") == "Grenzwert"
