"""Counting a word: which words of the question it is, decided by the documents."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.engine.engine import Engine
from tests.support.desk import ask, open_desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    home: Path = tmp_path_factory.mktemp("home")
    with open_desk(home) as client:
        yield client


@pytest.mark.parametrize(
    "question",
    [
        "Liste alle Paragraphen auf, die den Begriff Grenzwert erwähnen",
        "Liste alle Paragraphen auf, die den Begriff grenzwert erwähnen",
        "Zeige alle Abschnitte, die das Wort Grenzwert irgendwo anführen",
    ],
)
def test_a_verb_beside_the_term_is_not_counted(desk: Engine, question: str) -> None:
    turn = ask(desk, question)
    assert (turn["way"], turn["refused"]) == ("scan", False)
    assert turn["coverage"]["matched"] > 0 and turn["sentences"]
    assert "rwähnen« kommt" not in turn["opening"]


def test_none_is_no_answer_for_words_that_the_documents_do_not_have(desk: Engine) -> None:
    turn = ask(desk, "Wie oft wird Xylophon erwähnt?")
    assert turn["opening"].startswith("Gesucht wurde nach »Xylophon«") and "?" in turn["opening"]
    assert turn["coverage"]["statement"] is None and not turn["refused"]
    english = ask(desk, "How many sections mention xylophones?")
    assert "Which word do you mean?" in english["opening"]


def test_none_is_believed_of_a_quoted_term(desk: Engine) -> None:
    turn = ask(desk, "Wie oft wird „Xylophon“ erwähnt?")
    assert "kommt in 0 von" in turn["opening"] and "0 von" in turn["coverage"]["statement"]


def test_none_is_believed_of_a_word_that_stands_elsewhere(desk: Engine) -> None:
    turn = ask(desk, "Wie oft wird Grenzwert in § 1 erwähnt?")
    assert "kommt in 0 von" in turn["opening"]
