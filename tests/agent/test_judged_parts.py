"""A question of several parts: each is judged by itself, and one without an answer is named."""

from collections.abc import Iterator

import pytest

from agent.engine.engine import Engine
from tests.support.desk import ask, open_desk

LIMIT = "Welcher Grenzwert gilt für Beschäftigte unter 18 Jahren"
EXCEPTION = "Welche Ausnahmen kann die Behörde zulassen"
MOON = "Welche Farbe hat der Mond"
COW = "Wie viel Milch gibt eine Kuh"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("parts")) as desk:
        yield desk


@pytest.mark.parametrize("depth", ["fast", "enhanced"])
@pytest.mark.parametrize(
    ("question", "certainty", "missing"),
    [
        (f"{LIMIT}?", "perhaps", ()),
        (f"{LIMIT}? {EXCEPTION}?", "perhaps", ()),
        (f"{LIMIT}? {MOON}?", "perhaps", (MOON,)),
        (f"{MOON}? {LIMIT}?", "perhaps", (MOON,)),
        (f"{MOON}? {COW}?", "refused", ()),
    ],
)
def test_a_part_without_an_answer_is_named_and_spoils_no_other(
    desk: Engine, depth: str, question: str, certainty: str, missing: tuple[str, ...]
) -> None:
    turn = ask(desk, question, depth=depth)
    assert turn["certainty"] == certainty
    named = turn["answer"].partition("Nicht in den Dokumenten gefunden: ")[2].casefold()
    assert [part for part in (LIMIT, EXCEPTION, MOON, COW) if part.casefold() in named] == list(
        missing
    )
    assert ("70 Dezibel" in turn["answer"]) == (certainty == "perhaps")
