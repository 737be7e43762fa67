"""What is shown at first sight of passages that only come closest."""

import pytest

from agent.engine.layout import FIRST_SIGHT, LayoutLine, LayoutSection, first_sight

FILLER = "Anderes gilt hier nicht. "


def line(n: int, text: str, case: str = "") -> LayoutLine:
    return LayoutLine(
        text, "quote", "quote", (n + 1,), True, case=case, decisive=("Grenzwert",), n=n
    )


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (["Kurz.", "Auch kurz."], [0, 1]),
        ([FILLER * 14, "x" * 60, "Kurz."], [0]),  # the order is kept: nothing is skipped
        ([FILLER * 40, "x" * 60], [0]),
    ],
)
def test_passages_are_shown_in_order_while_they_have_room(
    texts: list[str], shown: list[int]
) -> None:
    found = first_sight([LayoutSection("", tuple(line(n, text) for n, text in enumerate(texts)))])
    assert list(found) == shown
    assert sum(map(len, found.values())) <= FIRST_SIGHT


def test_a_long_passage_is_cut_around_the_words_that_decide() -> None:
    text = f"{FILLER * 30}Der Grenzwert beträgt 85 Dezibel. {FILLER * 30}"
    (shown,) = first_sight([LayoutSection("", (line(0, text, case="Für alle:"),))]).values()
    assert shown.startswith("… ") and shown.endswith(" …") and len(shown) <= FIRST_SIGHT
    assert "Der Grenzwert beträgt 85 Dezibel." in shown


def test_the_parts_of_a_question_share_the_room() -> None:
    parts = [LayoutSection(name, (line(n, FILLER * 40),)) for n, name in enumerate("ab")]
    found = first_sight(parts)
    assert list(found) == [0, 1]
    assert all(len(text) <= FIRST_SIGHT // 2 for text in found.values())
