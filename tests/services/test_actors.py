import pytest

from services.extractive.actors import ANSWERS_FOR, asks_who, tells_who


@pytest.mark.parametrize(
    "question",
    [
        "Wer bestellt den Beauftragten?",
        "Welche Behörde genehmigt die Beförderung?",
        "Von wem wird das Register geführt?",
    ],
)
def test_asks_for_an_actor(question: str) -> None:
    assert asks_who(question)


@pytest.mark.parametrize("question", ["Wer ist Betreiber?", "Wie wird bestellt?", "Werden Tiere"])
def test_asks_for_something_else(question: str) -> None:
    assert not asks_who(question)


@pytest.mark.parametrize(
    ("sentence", "question", "worth"),
    [
        ("Der Betreiber hat einen Beauftragten zu bestellen.", "Wer bestellt ihn?", 1.0),
        ("Eine Bestellung, die früher erfolgt ist, gilt fort.", "Wer bestellt ihn?", 0.0),
        ("Nur Fachleute dürfen bestellt werden.", "Wer bestellt ihn?", 0.0),
        ("Beauftragte, die zu bestellen sind, brauchen Fachkunde.", "Wer bestellt sie?", 0.0),
        ("Wer Beauftragte bestellt, teilt das mit.", "Wer bestellt sie?", 0.0),
        ("Die Meldung hat wichtige Angaben zu enthalten.", "Wer meldet wichtige Dinge?", 0.0),
        ("Er wird durch den Betreiber bestellt.", "Wer bestellt ihn?", 1.0),
        ("Der Bund hat den Plan aufzustellen.", "Wer stellt den Plan auf?", 1.0),
        ("Der Plan ist vom Bund aufzustellen.", "Wer stellt den Plan auf?", 1.0),
        ("Der Bund stellt den Plan auf.", "Wer muss den Plan aufstellen?", 1.0),
        ("Er hat dafür zu sorgen, dass gemeldet wird.", "Wer meldet das Ereignis?", 1.0),
        ("Er hat dafür zu sorgen, dass gemessen wird.", "Wer führt Messungen durch?", ANSWERS_FOR),
        ("Die Prüfung wird durch Messung durchgeführt.", "Wer führt die Prüfung durch?", 0.0),
    ],
)
def test_tells_the_actor(sentence: str, question: str, worth: float) -> None:
    assert tells_who(sentence, question) == worth
