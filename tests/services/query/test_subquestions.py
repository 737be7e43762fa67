import pytest

from services.query.subquestions import subquestions


@pytest.mark.parametrize(
    ("question", "language", "count"),
    [
        ("Was ist Dosis?", "de", 1),
        ("Welche Grenzwerte gelten, und wie lange gilt das Verbot?", "de", 2),
        ("Wer darf das, wann und unter welchen Bedingungen?", "de", 3),
        ("What is the limit, and what about visitors?", "en", 2),
        ("Who may do that, when and where?", "en", 3),
        ("Quel est le délai et comment le prolonger ?", "fr", 2),
        ("¿Cuál es el plazo y cómo se prorroga?", "es", 2),
        ("Welche Ausnahmen gibt es? Wer entscheidet? Wie lange dauert es?", "de", 3),
        ("Compare the two drafts. List all deadlines.", "en", 2),
        ("- Was ist X?\n- Was ist Y?\n- Was ist Z?", "de", 3),
        ("Darf dem Leiter gekündigt werden, und wie viele Tage Urlaub hat er?", "de", 2),
        ("Does the rule apply and how much is due?", "en", 2),
        ("Ist das eine Anlage und ein Gerät?", "de", 1),
        ("Explain how the valve works", "en", 1),
        ("Erkläre Schritt für Schritt, wie eine Prüfung abläuft", "de", 1),
        ("Der Bescheid kam am Montag. Was mache ich jetzt?", "de", 1),
    ],
)
def test_number_of_questions(question: str, language: str, count: int) -> None:
    assert len(subquestions(question, language)) == count


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Was ist der Unterschied zwischen wie lange und wie oft?", "de"),
        ("Was ist der Unterschied zwischen Freigrenze und Freigabewert?", "de"),
        ("What is the difference between what was planned and what was done?", "en"),
        ("Quelle différence entre qui décide et qui exécute ?", "fr"),
        ("Was bedeutet „wer entscheidet und wie wird geprüft“?", "de"),
        ("What does Müller (and how much) mean?", "en"),
        ("Which rules apply to X and Y?", "en"),
    ],
)
def test_what_belongs_together_stays_whole(question: str, language: str) -> None:
    assert subquestions(question, language) == (question,)


def test_a_between_that_is_closed_lets_the_next_question_begin() -> None:
    question = "Unterschied zwischen Freigrenze und Freigabe, und wie wird er berechnet?"
    assert subquestions(f"Was ist der {question}", "de") == (
        "Was ist der Unterschied zwischen Freigrenze und Freigabe",
        "wie wird er berechnet?",
    )


def test_parts_keep_their_words_and_circumstances() -> None:
    question = "Wir sind zu dritt. Wer haftet und wer meldet den Vorfall?"
    assert subquestions(question, "de") == (
        "Wir sind zu dritt. Wer haftet",
        "wer meldet den Vorfall?",
    )


@pytest.mark.parametrize("text", ["", "   ", "?", "- ", "???", "und", "\n\n"])
def test_there_is_always_one(text: str) -> None:
    assert len(subquestions(text, "de")) == 1


def test_not_more_than_eight() -> None:
    assert len(subquestions("\n".join(f"- Was ist {n}?" for n in range(30)), "de")) == 8
