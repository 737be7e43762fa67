import pytest

from services.language.query.parts import subquestions


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("Was ist Dosis?", 1),
        ("Welche Grenzwerte gelten, und wie lange gilt das Verbot?", 2),
        ("Wer darf das, wann und unter welchen Bedingungen?", 3),
        ("What is the limit, and what about visitors?", 2),
        ("Who may do that, when and where?", 3),
        ("Quel est le délai et comment le prolonger ?", 2),
        ("¿Cuál es el plazo y cómo se prorroga?", 2),
        ("Welche Ausnahmen gibt es? Wer entscheidet? Wie lange dauert es?", 3),
        ("- Was ist X?\n- Was ist Y?\n- Was ist Z?", 3),
        ("Darf dem Leiter gekündigt werden, und wie viele Tage Urlaub hat er?", 2),
        ("Does the rule apply and how much is due?", 2),
        ("Ist das eine Anlage und ein Gerät?", 1),
        ("Explain how the valve works", 1),
        ("Erkläre Schritt für Schritt, wie eine Prüfung abläuft", 1),
        ("Der Bescheid kam am Montag. Was mache ich jetzt?", 1),
    ],
)
def test_number_of_questions(question: str, count: int) -> None:
    assert len(subquestions(question)) == count


@pytest.mark.parametrize(
    "question",
    [
        "Was ist der Unterschied zwischen wie lange und wie oft?",
        "Was ist der Unterschied zwischen Freigrenze und Freigabewert?",
        "What is the difference between what was planned and what was done?",
        "Quelle différence entre qui décide et qui exécute ?",
        "Was bedeutet „wer entscheidet und wie wird geprüft“?",
        "What does Müller (and how much) mean?",
        "Which rules apply to X and Y?",
    ],
)
def test_what_belongs_together_stays_whole(question: str) -> None:
    assert subquestions(question) == (question,)


def test_a_between_that_is_closed_lets_the_next_question_begin() -> None:
    question = "Unterschied zwischen Freigrenze und Freigabe, und wie wird er berechnet?"
    assert subquestions(f"Was ist der {question}") == (
        "Was ist der Unterschied zwischen Freigrenze und Freigabe",
        "wie wird er berechnet?",
    )


def test_parts_keep_their_words_and_circumstances() -> None:
    question = "Wir sind zu dritt. Wer haftet und wer meldet den Vorfall?"
    assert subquestions(question) == (
        "Wir sind zu dritt. Wer haftet",
        "wer meldet den Vorfall?",
    )


@pytest.mark.parametrize("text", ["", "   ", "?", "- ", "???", "und", "\n\n"])
def test_there_is_always_one(text: str) -> None:
    assert len(subquestions(text)) == 1


def test_not_more_than_eight() -> None:
    assert len(subquestions("\n".join(f"- Was ist {n}?" for n in range(30)))) == 8
