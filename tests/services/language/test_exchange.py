"""A task about one thing becomes a task about another, or nothing at all."""

import pytest

from services.domain import Language
from services.language.exchange import exchange

PRICE = ("Was kostet der Versand von Möbeln?", "Was kostet der Versand von Teppichen?")
COOK = ("Wie lange muss ein Kürbis kochen?", "Wie lange muss eine Möhre kochen?")
KEEPER = ("Was darf ein Angestellter?", "Was darf ein Beschäftigter?")
CHEESE = ("How is hard cheese stored?", "How is soft cheese stored?")


@pytest.mark.parametrize(
    ("questions", "language", "task", "expected"),
    [
        (PRICE, "de", "Rücknahme von Möbeln", "Rücknahme von Teppichen"),
        (PRICE, "de", "Wer haftet", "Wer haftet"),
        (PRICE, "de", "Möbelhäuser in der Nähe", None),
        (PRICE, "de", "Preise nach § 4", None),
        (PRICE, "de", "Preise seit 2019", None),
        (COOK, "de", "Ob ein Kürbis geschält wird", "Ob eine Möhre geschält wird"),
        (COOK, "de", "Ob der Kürbis geschält wird", None),
        (KEEPER, "de", "Rechte des Angestellten", "Rechte des Beschäftigten"),
        (CHEESE, "en", "which hard cheese keeps longest", "Which soft cheese keeps longest"),
        (CHEESE, "en", "hardness of the rind", None),
    ],
)
def test_things_are_exchanged_where_that_is_certain(
    questions: tuple[str, str], language: Language, task: str, expected: str | None
) -> None:
    change = exchange(*questions, language)
    assert change is not None and change.applied(task) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Was kostet der Versand?", "Wann kommt die Lieferung aus Lyon an?"),
        ("Was kostet der Versand?", "Was kostet der Versand von Teppichen?"),
        ("Wer haftet für Schäden am Auto und wer zahlt?", "Wer haftet?"),
    ],
)
def test_another_question_is_no_exchange(old: str, new: str) -> None:
    assert exchange(old, new, "de") is None


def test_a_question_is_itself() -> None:
    change = exchange(PRICE[0], PRICE[0], "de")
    assert change is not None and change.applied("Rücknahme von Möbeln") == "Rücknahme von Möbeln"
