"""Which questions ask what a thing is, and which sentences say it."""

import pytest

from services.extractive.definitions import PLAIN, defined_term, defines


@pytest.mark.parametrize(
    ("language", "question", "term"),
    [
        ("de", "Was ist ein Gefahrenbereich?", "Gefahrenbereich"),
        ("de", "Was versteht man unter einer geprüften Quelle?", "geprüften Quelle"),
        ("de", "Wie ist die Altlast definiert?", "Altlast"),
        ("de", "Wie ist die Anlage zu prüfen?", None),
        ("de", "Was ist bei einem Unfall im Lager noch am gleichen Tag zu tun?", None),
        ("de", "Wer prüft den Kran?", None),
        ("en", "What is a hazard zone?", "hazard zone"),
        ("en", "What does duty holder mean?", "duty holder"),
        ("en", "How is it measured?", None),
        ("en", "What does the hoist accept as loads?", None),
        ("en", "What does the inspector do?", None),
        ("fr", "Qu'est-ce qu'une zone surveillée ?", "zone surveillée"),
        ("es", "¿Qué es una zona vigilada?", "zona vigilada"),
        ("xx", "What is a hazard zone?", None),
    ],
)
def test_the_term_that_is_asked_for(language: str, question: str, term: str | None) -> None:
    assert defined_term(question, language) == term


@pytest.mark.parametrize(
    ("language", "term", "sentence", "worth"),
    [
        ("de", "Gefahrenbereich", "2. Gefahrenbereich, wenn Personen stürzen können.", 1.0),
        ("de", "Gefahrenbereich", "Gefahrenbereich: jeder Bereich unter einer Last.", 1.0),
        ("de", "Altlast", "Altlasten im Sinne dieses Gesetzes sind belastete Flächen.", 1.0),
        ("de", "Halter", "Als Halter gilt, wer das Gerät besitzt.", 1.0),
        ("de", "Freimenge", "Mengen ohne Anzeige (Freimengen) legt sie fest.", 1.0),
        ("de", "Lager", "Unter einem Lager wird ein Raum für Vorräte verstanden.", 1.0),
        ("de", "Kran", "Ein Kran ist ein Gerät zum Heben von Lasten.", PLAIN),
        ("de", "Kran", "Ein Kran ist jährlich zu prüfen.", 0.0),
        ("de", "Kran", "Die Krane müssen nicht gesondert abgegrenzt werden.", 0.0),
        ("de", "Kran", "Der Kranführer: seine Pflichten.", 0.0),
        ("en", "hazard zone", "“Hazard zone” means any area below a load.", 1.0),
        ("en", "crane", "Cranes are the tallest machines on the site.", PLAIN),
        ("en", "crane", "A crane must be inspected every year.", 0.0),
        ("fr", "lieu", "On entend par lieu tout espace clos.", 1.0),
        ("es", "lugar", "Se entiende por lugar todo espacio cerrado.", 1.0),
        ("xx", "crane", "A crane is a machine.", 0.0),
    ],
)
def test_sentences_that_define(language: str, term: str, sentence: str, worth: float) -> None:
    assert defines(sentence, term, language) == worth


@pytest.mark.parametrize(
    ("term", "sentence", "worth"),
    [
        ("Hoist", "``Hoist`` is a machine that lifts.", PLAIN),
        ("Hoist", "A ``Hoist`` captures what a crane lifts.", PLAIN),
        ("Hoist", "To lift, the yard provides a simple ``Hoist`` for each crane.", PLAIN),
        ("hoist", "We use the term *hoists* for machines that lift.", 1.0),
        ("hoist", "A machine that lifts is called a :ref:`hoist <lifting>`.", 1.0),
        ("Hoist", "The yard has ``Hoist`` and ``Crane``.", 0.0),
    ],
)
def test_names_are_told_through_their_marks(term: str, sentence: str, worth: float) -> None:
    assert defines(sentence, term, "en") == worth
