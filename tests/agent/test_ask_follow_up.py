"""What completes a follow-up without a model, and what a model must keep."""

import pytest

from agent.ask.models import PastTurn
from agent.ask.rewrite import completed, names_of, needs_conversation, resolves
from tests.support.desk import READER


def turn(question: str, answer: str) -> PastTurn:
    return PastTurn(question=question, names=names_of(question, "de"), answer=answer)


LIMIT = turn("Welcher Grenzwert gilt für beruflich exponierte Personen?", "Im Jahr 20 mSv.")


def test_the_first_question_of_a_conversation_needs_none() -> None:
    assert not needs_conversation("und für Jugendliche?", [], "de", READER)


@pytest.mark.parametrize("reader", [READER, None])
def test_an_ellipsis_needs_the_conversation(reader: object) -> None:
    assert needs_conversation("und für Jugendliche?", [LIMIT], "de", reader)  # type: ignore[arg-type]
    whole = "Wann ist eine Quelle umschlossen und wie wird sie geprüft?"
    assert not needs_conversation(whole, [LIMIT], "de", reader)  # type: ignore[arg-type]


def test_an_ellipsis_takes_over_what_the_question_before_was_about() -> None:
    whole = completed("und für Jugendliche?", [LIMIT], "de")
    assert whole.by == "rules"
    assert whole.question == "und für Jugendliche? (Grenzwert, beruflich exponierte Personen, Jahr)"


def test_what_a_short_answer_named_may_be_meant() -> None:
    past = [turn("Welche Bereiche?", "Überwachungsbereich, Kontrollbereich und Sperrbereich.")]
    assert "Kontrollbereich" in completed("Was gilt im zweiten?", past, "de").question


@pytest.mark.parametrize(
    ("whole", "enough"),
    [
        ("Welcher Grenzwert gilt für Jugendliche?", True),  # an ellipsis replaces the persons
        ("Welcher Dosisgrenzwert gilt für Jugendliche?", True),
        ("Gilt das Jahr für Jugendliche?", False),
    ],
)
def test_a_model_must_say_half_of_what_the_turn_before_was_about(whole: str, enough: bool) -> None:
    assert resolves(whole, LIMIT, "de") is enough
