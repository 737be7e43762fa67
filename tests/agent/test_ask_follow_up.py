"""Which follow-ups need the conversation, and what completes them without a model."""

import pytest

from agent.ask.follow_up import completed, needs_conversation, pointing_word, resolves
from agent.ask.models import PastTurn
from agent.ask.names import names_of

NEEDY = [
    ("de", "und für Jugendliche?"),
    ("de", "Wer kann davon befreien?"),
    ("de", "Wie lange gilt sie?"),
    ("de", "Und das zweite?"),
    ("de", "Warum?"),
    ("en", "and for apprentices?"),
    ("en", "What must the second one contain?"),
    ("en", "Who may grant it?"),
    ("en", "What about pregnant women?"),
    ("fr", "et pour les apprentis ?"),
    ("fr", "Qui paie pour elle ?"),
    ("es", "¿y para los aprendices?"),
    ("es", "¿Desde cuándo lo es?"),
]
WHOLE = [
    ("de", "Was ist ein Kontrollbereich?"),
    ("de", "Wann ist eine Quelle umschlossen und wie wird sie geprüft?"),
    ("de", "Und wer überwacht den Schutz der Bevölkerung vor Radon?"),
    ("de", "Gibt es eine Pflicht zur Messung in Schulen?"),
    ("en", "Is it allowed to operate an X-ray device without a licence?"),
    ("en", "What is radon?"),
    ("en", "Are there limits for the lens of the eye?"),
    ("fr", "Faut-il une autorisation pour transporter des sources ?"),
    ("fr", "Il y a quelles exigences pour le personnel médical ?"),
    ("es", "¿Qué documentos exige la solicitud de licencia?"),
    ("xx", "and?"),
]


@pytest.mark.parametrize(("language", "question"), NEEDY)
def test_what_leans_on_the_conversation_is_seen(language: str, question: str) -> None:
    assert needs_conversation(question, language) is not None


@pytest.mark.parametrize(("language", "question"), WHOLE)
def test_what_stands_alone_is_left_alone(language: str, question: str) -> None:
    assert needs_conversation(question, language) is None


def turn(question: str, answer: str, *places: str) -> PastTurn:
    return PastTurn(question=question, names=names_of(question, "de"), answer=answer, places=places)


def test_an_ellipsis_takes_over_what_the_question_before_was_about() -> None:
    past = [turn("Welcher Grenzwert gilt für beruflich exponierte Personen?", "20 mSv.")]
    whole = completed("und für Jugendliche?", "and", past, "de")
    assert whole.by == "rules"
    assert whole.question == "Für Jugendliche? (Grenzwert, beruflich exponierte Personen)"


def test_the_second_one_is_the_second_item_of_the_answer() -> None:
    answer = "Überwachungsbereich, Kontrollbereich und Sperrbereich."
    whole = completed("Was gilt im zweiten?", "it", [turn("Welche Bereiche?", answer)], "de")
    assert "Kontrollbereich" in whole.question and "Sperrbereich" not in whole.question


def test_without_a_list_the_second_one_is_the_second_place() -> None:
    past = [turn("Welche Grenzwerte gelten?", "x" * 200, "StrlSchG § 78", "StrlSchG § 80")]
    assert "StrlSchG § 80" in completed("Was sagt der zweite?", "it", past, "de").question


def test_the_numbers_of_the_second_list_item_do_not_run_out() -> None:
    past = [turn("Welche Bereiche?", "Nur einer ist genannt.")]
    assert completed("Und der vierte?", "it", past, "de").question.startswith("Der vierte?")


@pytest.mark.parametrize(
    ("language", "question", "word"),
    [
        ("de", "Wer kann davon befreien?", "davon"),
        ("en", "What must the second one contain?", "the second one"),
        ("de", "Welcher Paragraph regelt das?", "das"),
        ("de", "Ist das erlaubt?", "das"),
        ("en", "Which section of the act says that?", "that"),
        ("de", "Was ist das Register?", None),
        ("de", "Ist das Betreten des Sperrbereichs erlaubt?", None),
        ("en", "Who must ensure that workers are informed?", None),
        ("de", "Wann ist eine Quelle umschlossen und wie wird sie geprüft?", None),
        ("de", "und für Jugendliche?", None),
        ("xx", "and it?", None),
    ],
)
def test_the_word_that_points_back_is_known(language: str, question: str, word: str | None) -> None:
    assert pointing_word(question, language) == word


@pytest.mark.parametrize(
    ("whole", "enough"),
    [
        ("Welcher Grenzwert gilt für Jugendliche?", True),  # an ellipsis replaces the persons
        ("Welcher Dosisgrenzwert gilt für Jugendliche?", True),
        ("Gilt das Jahr für Jugendliche?", False),
    ],
)
def test_a_model_must_say_half_of_what_the_turn_before_was_about(whole: str, enough: bool) -> None:
    past = turn("Welcher Grenzwert gilt für beruflich exponierte Personen?", "Im Jahr 20 mSv.")
    assert resolves(whole, "und für Jugendliche?", past, "de") is enough


def test_a_model_must_say_the_item_that_was_meant() -> None:
    past = turn("Welche Bereiche?", "Überwachungsbereich, Kontrollbereich und Sperrbereich.")
    assert resolves("Was gilt im Kontrollbereich?", "Was gilt im zweiten?", past, "de")
    assert not resolves("Was gilt in den Bereichen?", "Was gilt im zweiten?", past, "de")
