"""What a question asks for, told by its interrogative."""

import pytest

from services.query.asked_for import asked_for


@pytest.mark.parametrize(
    ("language", "question", "word"),
    [
        ("de", "Wie viele Feiertage hat das Jahr?", "Feiertage"),
        ("de", "Wer war der erste Bürgermeister der Stadt?", "Bürgermeister"),
        ("de", "Welche ordentliche Mietdauer gilt?", "Mietdauer"),
        ("de", "Wie hoch ist die Pacht auf dem Land?", "Pacht"),
        ("de", "Wie heißt der Vorsitzende des Vereins?", "Vorsitzende"),
        ("en", "how many jurors must agree", "jurors"),
        ("en", "Who was the first mayor of the town?", "mayor"),
        ("en", "What is the price of a ticket?", "price"),
        ("fr", "Combien de jours a le mois ?", "jours"),
        ("fr", "Qui est le premier président ?", "président"),
        ("es", "¿Cuántos días tiene el mes?", "días"),
        ("es", "¿Quién fue el primer presidente?", "presidente"),
        ("de", "In welchen Abständen wird geprüft?", None),  # frames the answer, is not asked for
        ("en", "For which period is it valid?", None),
        ("de", "Wer bestellt den Beauftragten?", None),
        ("de", "Welche gelten?", None),
        ("de", "Was ist ein Sperrbereich?", None),
        ("en", "Who is it?", None),
        ("xx", "How many days?", None),
    ],
)
def test_the_thing_asked_for(language: str, question: str, word: str | None) -> None:
    assert asked_for(question, language) == word
